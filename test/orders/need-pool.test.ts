// The pool of needs against a plain search of all needs, whatever is wanted, refused, denied, accepted, seen
// or waited for.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Cents, GameId, Rung, SlotId } from '../../src/domain/index.ts';
import { market } from '../../src/domain/index.ts';
import { NeedPool } from '../../src/orders/need-pool.ts';
import type { Need } from '../../src/orders/index.ts';
import { needsOf } from '../../src/orders/index.ts';
import { SlotBlocks } from '../../src/orders/slot-blocks.ts';
import { DANGEROUS, GENEROUS, open, SHY, target } from './fixtures.ts';

const TOLERANCE = 0.002;
const rungs = fc.constantFrom(0, 10, 400, -300);
const index = fc.nat(7);
const kind = <K extends string>(name: K): fc.Arbitrary<K> => fc.constant(name);
const action = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: kind('wants'), index, rung: rungs }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: kind('rests'),
      index,
      rung: rungs,
      away: fc.constantFrom(GENEROUS, DANGEROUS, SHY, SHY + 1, 0),
      wanted: fc.constantFrom(true, true, true, false),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: kind('needs nothing'), index }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: kind('refused'),
      index,
      why: fc.constantFrom('wrong', 'doubtful', 'liability', 'stale', 'throttled', 'other'),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: kind('denied'), index }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('accepted'), index }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('seen'), index }) },
  { weight: 3, arbitrary: fc.record({ kind: kind('news') }) },
  { weight: 5, arbitrary: fc.record({ kind: kind('wait'), ms: fc.constantFrom(1, 249, 250, 1000, 30_000) }) },
);
type Action = typeof action extends fc.Arbitrary<infer T> ? T : never;

const inOrder = (needs: readonly Need[]): readonly Need[] => needs.toSorted((a, b) => (a.slot < b.slot ? -1 : 1));

const kindOf = (need: Need): string => (need.type === 'move' ? (need.generous ? 'generous' : 'shy') : need.type);

class Trial {
  readonly #blocks = new SlotBlocks();
  readonly #pool: NeedPool;
  readonly #mayEdit: boolean;
  readonly #needs = new Map<string, readonly Need[]>();
  #now = 1000;

  constructor(mayEdit: boolean) {
    this.#mayEdit = mayEdit;
    this.#pool = new NeedPool(this.#blocks, mayEdit);
  }

  run(action: Action): void {
    if (action.kind === 'news') this.#blocks.applyNews();
    else if (action.kind === 'wait') this.#now += action.ms;
    else {
      const wanted = target(action.index, ('rung' in action ? action.rung : 0) as Rung);
      if (action.kind === 'wants') this.#replace(wanted.market.id, needsOf([wanted], [], TOLERANCE));
      else if (action.kind === 'needs nothing') this.#replace(wanted.market.id, []);
      else if (action.kind === 'rests') {
        const order = open(action.index, (action.rung + action.away) as Rung);
        this.#replace(wanted.market.id, needsOf(action.wanted ? [wanted] : [], [order], TOLERANCE));
      } else if (action.kind === 'refused') this.#blocks.applyRefused(wanted, action.why, this.#now);
      else if (action.kind === 'denied')
        this.#blocks.applyDenied(wanted, this.#now, { control: 'game-loss', reason: '' });
      else if (action.kind === 'accepted') this.#blocks.applyAccepted({ slot: wanted.slot, sentAt: this.#now - 500 });
      else this.#blocks.applySeen(wanted.market.gameId, this.#now, () => undefined);
    }
    this.#compare();
  }

  #replace(market: Parameters<NeedPool['replace']>[0], needs: readonly Need[]): void {
    const before = this.#needs.get(market) ?? [];
    this.#pool.replace(market, needs, this.#now);
    for (const { slot, since } of needs)
      expect(since).toBe(before.find((earlier) => earlier.slot === slot)?.since ?? this.#now);
    this.#needs.set(market, needs);
  }

  #isUrgent(need: Need): boolean {
    return need.type === 'cancel' || (need.type === 'move' && (need.dangerous || !this.#mayEdit));
  }

  #compare(): void {
    const all = [...this.#needs.values()].flat();
    const dueOf = (need: Need): number =>
      need.type === 'cancel' || (need.type === 'move' && need.generous)
        ? this.#now
        : Math.max(this.#now, this.#blocks.nextDue(need.target));
    const ready = all.filter(
      (need) => !this.#isUrgent(need) && need.type !== 'cancel' && this.#blocks.nextDue(need.target) <= this.#now,
    );
    const found = this.#pool.best(Number.POSITIVE_INFINITY, this.#now);
    expect(new Set(found)).toEqual(new Set(ready));
    expect(found).toHaveLength(ready.length);
    const two = this.#pool.best(2, this.#now);
    for (const kind of ['generous', 'shy', 'place']) {
      const ranks = (needs: readonly Need[]): number[] =>
        needs.filter((need) => kindOf(need) === kind).map(({ rank }) => rank);
      const best = ranks(ready)
        .sort((a, b) => b - a)
        .slice(0, 2);
      expect(ranks(two).slice(0, best.length)).toEqual(best);
    }
    const longest = Math.min(...ready.map(({ since = 0 }) => since));
    if (ready.length > 0) expect(Math.min(...two.map(({ since = 0 }) => since))).toBe(longest);
    const urgent = all.filter((need) => this.#isUrgent(need));
    const blocked = (need: Need): boolean => need.type !== 'cancel' && this.#blocks.isBlocked(need.target, this.#now);
    const urgentNow = this.#pool.urgent(this.#now, false);
    const asTheyAre = urgentNow.filter((need) => all.includes(need));
    expect(inOrder(asTheyAre)).toEqual(inOrder(urgent.filter((need) => !blocked(need))));
    const taken = all.filter(
      (need) => kindOf(need) === 'generous' && (this.#isUrgent(need) ? blocked(need) : !ready.includes(need)),
    );
    expect(inOrder(urgentNow.filter((need) => !all.includes(need)))).toMatchObject(
      inOrder(taken).map(({ slot, since }) => ({ type: 'cancel', slot, since })),
    );
    expect(this.#pool.urgent(this.#now, true).every(({ type }) => type === 'cancel')).toBe(true);
    expect(this.#pool.nextDue(this.#now)).toBe(Math.min(Number.POSITIVE_INFINITY, ...all.map(dueOf)));
  }
}

describe('the pool of needs', () => {
  it('finds the same needs as a search of all of them', () => {
    fc.assert(
      fc.property(fc.array(action, { maxLength: 60, size: 'max' }), fc.boolean(), (actions, mayEdit) => {
        const trial = new Trial(mayEdit);
        for (const step of actions) trial.run(step);
      }),
      { numRuns: 300 },
    );
  });

  it('includes the need that waited longest beside the best, so that it is served some day', () => {
    const blocks = new SlotBlocks();
    const pool = new NeedPool(blocks, true);
    const want = (index: number, dollars: number): void => {
      const wanted = { ...target(index), risk: (dollars * 100) as ReturnType<typeof target>['risk'] };
      pool.replace(wanted.market.id, needsOf([wanted], [], TOLERANCE), index);
    };
    want(0, 1);
    for (let index = 1; index < 20; index++) want(index, 100 + index);
    const bestSince = (now: number): unknown => pool.best(2, now).map(({ since }) => since);
    expect(bestSince(100)).toEqual([19, 18, 0]);
    // a denied need keeps its turn
    blocks.applyDenied(target(0), 100, { control: 'game-loss', reason: '' });
    expect(bestSince(101)).toEqual([19, 18, 1]);
    blocks.applyNews();
    expect(bestSince(350)).toEqual([19, 18, 0]);
  });

  it('tries denied orders again four times a second, and a thousand of them at most', () => {
    for (const [denied, wait] of [
      [1, 250],
      [999, 250],
      [1000, 500],
      [3000, 1000],
    ] as const) {
      const blocks = new SlotBlocks();
      for (let index = 0; index <= denied; index++)
        blocks.applyDenied(target(index), 0, { control: 'open-orders', reason: '' });
      blocks.applyNews();
      expect(blocks.nextDue(target(denied))).toBe(wait);
    }
  });

  it('remembers a denial as long as an order is wanted in the slot', () => {
    const blocks = new SlotBlocks();
    const wanted = target(0);
    // the order in flight when its market closed is no longer wanted
    blocks.applyDenied(wanted, 0, { control: 'total-loss', reason: '' });
    blocks.applyTargets(wanted.market.id, [wanted]);
    expect(blocks.deniedBy(wanted.slot)?.control).toBe('total-loss');
    blocks.applyTargets(wanted.market.id, []);
    expect(blocks.deniedBy(wanted.slot)).toBeUndefined();
    expect(blocks.isBlocked(wanted, 1)).toBe(false);
  });

  it('forgets the denials of all slots of a market in which nothing is wanted, also when one order was accepted before', () => {
    const blocks = new SlotBlocks();
    const first = target(0);
    const other = { ...first, slot: 'other' as SlotId };
    for (const order of [first, other]) blocks.applyDenied(order, 0, { control: 'total-loss', reason: '' });
    // an order that was denied after the accepted one was sent stays denied
    blocks.applyAccepted({ slot: first.slot, sentAt: -1 });
    expect(blocks.deniedBy(first.slot)?.control).toBe('total-loss');
    blocks.applyAccepted({ slot: first.slot, sentAt: 0 });
    expect([first, other].map(({ slot }) => blocks.deniedBy(slot)?.control)).toEqual([undefined, 'total-loss']);
    blocks.applyTargets(first.market.id, []);
    expect(blocks.deniedBy(other.slot)).toBeUndefined();
  });

  it('remembers refusals of the exchange until the game is over, and no longer', () => {
    const blocks = new SlotBlocks();
    const [wanted, other] = [target(0), { ...target(1), market: market('other' as GameId, 'moneyline') }];
    for (const why of ['wrong', 'doubtful', 'liability', 'stale', 'other'] as const) {
      for (const order of [wanted, other]) blocks.applyRefused(order, why, 0);
      expect(blocks.isBlocked(wanted, 1)).toBe(true);
      blocks.forgetGame(wanted.market.gameId);
      expect(blocks.isBlocked(wanted, 1)).toBe(false);
      expect(blocks.isBlocked(other, 1)).toBe(true);
      blocks.applySeen(wanted.market.gameId, 2, () => {
        throw new Error('something is kept of a game that is over');
      });
      blocks.forgetGame(other.market.gameId);
    }
  });
});

describe('an order that the exchange may accept later', () => {
  const wantedAt = (rung: number) => ({
    slot: 's' as SlotId,
    rung: rung as Rung,
    risk: 100 as Cents,
    market: market('g' as GameId, 'moneyline', undefined),
  });

  it('stays doubtful at each of two prices that alternate', () => {
    const blocks = new SlotBlocks();
    blocks.applyRefused(wantedAt(1), 'doubtful', 0);
    blocks.applyRefused(wantedAt(2), 'doubtful', 10);
    expect([wantedAt(1), wantedAt(2), wantedAt(3)].map((wanted) => blocks.isBlocked(wanted, 20))).toEqual([
      true,
      true,
      false,
    ]);
  });

  it('is tried five times in a row after a 429, counted anew once an order of the slot was accepted', () => {
    const blocks = new SlotBlocks();
    const throttle = (times: number): boolean => {
      for (let time = 0; time < times; time++) blocks.applyRefused(wantedAt(1), 'throttled', 7);
      return blocks.isBlocked(wantedAt(1), 7);
    };
    expect(throttle(4)).toBe(false);
    // a 429 is no reason for the slot to wait: it was sent at once
    blocks.applyAccepted({ slot: wantedAt(1).slot, sentAt: 7 });
    expect(throttle(4)).toBe(false);
    blocks.applyAccepted({ slot: wantedAt(1).slot, sentAt: 6 });
    expect(throttle(1)).toBe(true);
  });

  it('is given up after five 429s, until a minute is over or another price is wanted', () => {
    const blocks = new SlotBlocks(60_000);
    const throttle = (times: number, now: number): readonly boolean[] =>
      Array.from({ length: times }, () => blocks.applyRefused(wantedAt(1), 'throttled', now));
    expect(throttle(5, 0)).toEqual([false, false, false, false, true]);
    expect([blocks.isBlocked(wantedAt(1), 59_999), blocks.isBlocked(wantedAt(2), 1)]).toEqual([true, false]);
    expect(blocks.isBlocked(wantedAt(1), 60_000)).toBe(false);
    // then it is tried five times again
    expect(throttle(5, 60_000)).toEqual([false, false, false, false, true]);
    expect(blocks.isBlocked(wantedAt(1), 119_999)).toBe(true);
  });

  it('waits half a minute at most for want of credit, at every price', () => {
    const blocks = new SlotBlocks();
    let now = 0;
    for (let time = 0; time < 20; time++) {
      blocks.applyRefused(wantedAt(1), 'liability', now);
      expect(blocks.isBlocked(wantedAt(2), now)).toBe(true);
      expect(blocks.nextDue(wantedAt(1)) - now).toBeLessThanOrEqual(30_000);
      now = blocks.nextDue(wantedAt(1));
    }
  });
});
