import { describe, expect, it } from 'vitest';
import { alertsIn, CoreDriver, GAME_ID, placesIn } from '../support/core-driver.ts';
import type { Market, OrderRef, Rung } from '../../src/domain/index.ts';
import { FeedTrust } from '../../src/engine/feed-trust.ts';
import type { OwnOrder } from '../../src/account/index.ts';
import { Name } from '../../src/account/records.ts';

let made = 0;
/** An order that was accepted at `timeMs`. */
const accepted = (timeMs: number): OwnOrder =>
  ({
    ref: `a.main.#0.run-${(made += 1)}` as OrderRef,
    market: {} as Market,
    side: 'home',
    rung: 0 as Rung,
    status: 'open',
    landed: true,
    said: new Name(undefined, undefined),
    isOfFormerRun: false,
    sentAt: timeMs,
    openSince: timeMs,
  }) as OwnOrder;

/**
 * Watches a feed that is up since 0 and reports nothing, every half second for `forMs`. Returns when it was
 * suspected.
 */
function silent(trust: FeedTrust, forMs: number, from = 0): number[] {
  const suspected: number[] = [];
  const unconfirmed = new Map<OwnOrder, number>();
  const active = new Set<OwnOrder>();
  for (let now = from; now < from + forMs; now += 500) {
    trust.advance(now, 0);
    if (trust.mostNew > 0) {
      const order = accepted(now);
      unconfirmed.set(order, now);
      active.add(order);
      trust.noteSent(active);
    }
    if (trust.watch(now, unconfirmed, 0) !== undefined) {
      suspected.push(now);
      active.clear();
    }
  }
  return suspected;
}

describe('FeedTrust', () => {
  it('tries a silent feed less and less often', () => {
    const times = silent(new FeedTrust(5000), 120_000);
    const waits = times.slice(1).map((now, index) => now - (times[index] ?? 0));
    // 3.5 s until an order is missing, half a second until that is seen, and the wait less the required time
    // of health
    expect(waits).toEqual([4000, 9000, 19_000, 39_000]);
  });

  it('tries a suspect feed with one order and trusts the feed when that order is reported', () => {
    const trust = new FeedTrust(1000);
    expect(trust.mostNew).toBe(Number.POSITIVE_INFINITY);
    expect(trust.watch(4000, new Map([[accepted(0), 0]]), 0)).toMatchObject({ waitMs: 1000 });
    expect([trust.isSuspect, trust.mostNew]).toEqual([true, 0]);
    trust.advance(4000, 0);
    expect(trust.isSuspect).toBe(true);
    trust.advance(4001, 0);
    expect([trust.isSuspect, trust.mostNew]).toEqual([false, 1]);
    const tried = accepted(5000);
    trust.noteSent([{ ...accepted(5000), isOfFormerRun: true }, tried]);
    expect(trust.mostNew).toBe(0);
    expect(trust.advance(5500, 0)).toBe(false);
    tried.said.inFeed = true;
    expect(trust.advance(6000, 0)).toBe(true);
    expect(trust.mostNew).toBe(Number.POSITIVE_INFINITY);
  });

  it('tries another order when the first was refused or its connection was lost', () => {
    const trust = new FeedTrust(1000);
    trust.watch(4000, new Map([[accepted(0), 0]]), 0);
    trust.advance(4001, 0);
    const refused = { ...accepted(5000), landed: false, status: 'refused' as const };
    trust.noteSent([refused]);
    expect(trust.mostNew).toBe(0);
    trust.advance(5500, 0);
    expect(trust.mostNew).toBe(1);
    trust.noteSent([accepted(6000)]);
    expect(trust.mostNew).toBe(0);
    trust.advance(7000, 6500);
    expect(trust.mostNew).toBe(1);
  });

  it('does not suspect a feed for orders from before it came up, nor while it is down', () => {
    const trust = new FeedTrust(1000);
    const unconfirmed = new Map([[accepted(0), 100]]);
    expect(trust.watch(9000, unconfirmed, undefined)).toBeUndefined();
    expect(trust.watch(9000, unconfirmed, 50)).toBeUndefined();
    expect([trust.isSuspect, unconfirmed.size]).toEqual([false, 0]);
  });

  it('starts with the shortest wait again after ten minutes of trust', () => {
    const trust = new FeedTrust(1000);
    const waitAt = (now: number): number | undefined =>
      trust.watch(now, new Map([[accepted(now - 4000), now - 4000]]), 0)?.waitMs;
    const believe = (now: number): void => {
      trust.advance(now, 0);
      const tried = accepted(now);
      trust.noteSent([tried]);
      tried.said.inFeed = true;
      trust.advance(now, 0);
    };
    expect(waitAt(10_000)).toBe(1000);
    believe(20_000);
    expect(waitAt(30_000)).toBe(2000);
    believe(40_000);
    expect(waitAt(700_000)).toBe(1000);
  });

  it('keeps the wait of a feed that loses an event now and then, and extends that of a feed that loses most', () => {
    /** One event in `reports` + 1 is lost. Returns how long each of ten suspicions lasts. */
    const waitsOf = (reports: number): readonly (number | undefined)[] => {
      const trust = new FeedTrust(1000);
      let now = 0;
      return Array.from({ length: 10 }, () => {
        for (let order = 0; order < reports; order++) trust.applyReport();
        now += 4000;
        const waitMs = trust.watch(now, new Map([[accepted(now - 4000), now - 4000]]), 0)?.waitMs;
        now += 300_001;
        trust.advance(now, 0);
        const tried = accepted(now);
        trust.noteSent([tried]);
        tried.said.inFeed = true;
        trust.advance(now, 0);
        return waitMs;
      });
    };
    expect(new Set(waitsOf(50))).toEqual(new Set([1000]));
    expect(waitsOf(3).slice(0, 4)).toEqual([1000, 2000, 4000, 8000]);
  });
});

describe('an order that is filled at once with all of its size', () => {
  /** Both orders of the first place are filled so. The feed reports their plays, or nothing. */
  const suspicions = (isReported: boolean): number => {
    const driver = new CoreDriver();
    const [place] = placesIn(driver.start());
    if (place === undefined) throw new Error('no place');
    const plays = place.orders.map(({ ref, risk }, index) => ({
      txID: `t${index}`,
      filled: risk / 100,
      odds: 110,
      userReference: ref,
    }));
    driver.reply(place.req, {
      data: { createdSessions: plays.map((play) => ({ matched: [play], unmatched: null })) },
    });
    for (const matched of isReported ? plays : [])
      driver.input({
        type: 'frame',
        feed: 'user',
        epoch: 1,
        event: 'positionUpdate',
        data: JSON.stringify({ gameID: GAME_ID, origin: 'order', unmatched: null, matched }),
      });
    expect(driver.core.status().fills).toBe(2);
    return alertsIn(driver.passTime(4000), 'FEED_SUSPECT').length;
  };

  it('counts as reported by the event of its play, which names no offer', () => {
    expect(suspicions(true)).toBe(0);
  });

  it('makes the feed suspect when nothing is reported', () => {
    expect(suspicions(false)).toBe(1);
  });
});
