// One contract for the two keepers of permits: Bottleneck with timers (live) and the ledger (virtual clock).
// The same sends, answers, silences and 429s give the same permits at the same times, and never exceed a
// window.
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { WindowRule } from '../../src/domain/index.ts';
import { allUsed } from '../../src/domain/index.ts';
import { PermitWindow } from '../../src/exchange/live/index.ts';
import { WindowLedger } from '../../src/exchange/index.ts';

/** What a client of permits sees of either keeper. */
type Keeper = {
  readonly granted: readonly number[];
  /** Permits that were granted and not yet spent. */
  readonly hand: readonly number[];
  readonly take: () => number | undefined;
  readonly spend: (permit: number) => void;
  readonly end: (permit: number, endMs: number) => void;
  readonly giveBack: (permit: number) => void;
  readonly refused: (sentAt: number) => number;
  readonly hold: (forMs: number) => void;
  readonly marginMs: () => number;
};

const now = (): number => performance.now();
/** Bottleneck starts a job some milliseconds late, and the live timers round up. */
const LATE_MS = 12;

const live = (rule: WindowRule, freeAt: readonly number[]): Keeper => {
  const window = new PermitWindow(rule, now, freeAt);
  const granted: number[] = [];
  const hand: number[] = [];
  window.open((permit) => {
    granted.push(now());
    hand.push(permit);
  });
  return {
    granted,
    hand,
    take: () => hand.shift(),
    spend: (permit) => window.spend(permit, now()),
    end: (permit, endMs) => window.endRequest(permit, endMs),
    giveBack: (permit) => window.giveBack(permit),
    refused: (sentAt) => {
      const surplus = window.refused(sentAt);
      for (const permit of hand.splice(0, surplus)) window.giveBack(permit);
      return surplus;
    },
    hold: (forMs) => window.hold(forMs),
    marginMs: () => window.marginMs,
  };
};

const pure = (rule: WindowRule, freeAt: readonly number[]): Keeper => {
  const window = new WindowLedger(rule, freeAt);
  const granted: number[] = [];
  const hand: number[] = [];
  const grant = (): void => {
    for (const permit of window.take(now())) {
      granted.push(now());
      hand.push(permit);
    }
    const { nextAt } = window;
    if (nextAt !== undefined) setTimeout(grant, Math.max(1, nextAt - now()));
  };
  grant();
  return {
    granted,
    hand,
    take: () => hand.shift(),
    spend: (permit) => window.spend(permit, now()),
    end: (permit, endMs) => {
      window.endRequest(permit, endMs, now());
      grant();
    },
    giveBack: (permit) => {
      window.giveBack(permit, now());
      grant();
    },
    refused: (sentAt) => {
      const surplus = window.refused(sentAt, now());
      for (const permit of hand.splice(0, surplus)) window.giveBack(permit, now());
      grant();
      return surplus;
    },
    hold: (forMs) => window.hold(forMs, now()),
    marginMs: () => window.marginMs(now()),
  };
};

const KEEPERS = { 'Bottleneck with timers': live, 'the ledger': pure };
const RULE: WindowRule = { requests: 5, windowMs: 1000, marginMs: 20 };
const pass = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** The largest number of requests that a server counts in one window. */
function most(counted: readonly number[], windowMs: number): number {
  const times = [...counted].sort((a, b) => a - b);
  return Math.max(0, ...times.map((from) => times.filter((time) => time >= from && time < from + windowMs).length));
}

describe.each(Object.entries(KEEPERS))('the request window kept by %s', (_name, keeper) => {
  it('grants all permits at the start, and each again one window after its answer', async () => {
    const window = keeper(RULE, []);
    await pass(LATE_MS);
    expect(window.granted).toHaveLength(5);
    const permit = window.take() ?? 0;
    window.spend(permit);
    await pass(80);
    const answered = now();
    window.end(permit, answered);
    await pass(1019);
    expect(window.granted).toHaveLength(5);
    await pass(LATE_MS);
    expect(window.granted).toHaveLength(6);
  });

  it('grants permits that were in use at the start when they become free', async () => {
    const startMs = now();
    const window = keeper(RULE, [startMs + 300, startMs + 700]);
    await pass(LATE_MS);
    expect(window.granted).toHaveLength(3);
    await pass(300);
    expect(window.granted).toHaveLength(4);
    await pass(400);
    expect(window.granted).toHaveLength(5);
    const used = keeper(RULE, allUsed(RULE, now()));
    await pass(1019);
    expect(used.granted).toHaveLength(0);
    await pass(LATE_MS);
    expect(used.granted).toHaveLength(5);
  });

  it('keeps the permit of an unanswered request until that request can no longer arrive', async () => {
    const window = keeper({ ...RULE, requests: 1 }, []);
    await pass(LATE_MS);
    const permit = window.take() ?? 0;
    window.spend(permit);
    window.end(permit, now() + 2000);
    await pass(3019);
    expect(window.granted).toHaveLength(1);
    await pass(LATE_MS);
    expect(window.granted).toHaveLength(2);
  });

  it('takes back an unused permit at once', async () => {
    const window = keeper({ ...RULE, requests: 1 }, []);
    await pass(LATE_MS);
    window.giveBack(window.take() ?? 0);
    await pass(LATE_MS);
    expect(window.granted).toHaveLength(2);
  });

  it('holds all permits back as long as the exchange asks', async () => {
    const window = keeper({ ...RULE, requests: 1 }, []);
    await pass(LATE_MS);
    const permit = window.take() ?? 0;
    window.hold(3000);
    window.end(permit, now());
    await pass(2990);
    expect(window.granted).toHaveLength(1);
    await pass(2 * LATE_MS);
    expect(window.granted).toHaveLength(2);
  });

  it('answers a 429 with a wider margin and no more permits than the exchange took; both fade in ten minutes', async () => {
    const window = keeper({ requests: 20, windowMs: 1000, marginMs: 20 }, []);
    await pass(100);
    for (let sent = 0; sent < 12; sent++) {
      const permit = window.take() ?? 0;
      window.spend(permit);
      window.end(permit, now());
    }
    // the server took eleven requests and refused the twelfth
    expect(window.refused(now())).toBe(9);
    expect(window.marginMs()).toBe(40);
    await pass(2000);
    expect(window.hand).toHaveLength(11);
    await pass(298_000);
    expect(window.marginMs()).toBeCloseTo(30, 0);
    // giving a permit back updates the number of permits that the keeper trusts
    window.giveBack(window.take() ?? 0);
    await pass(LATE_MS);
    expect(window.hand).toHaveLength(15);
    await pass(300_000);
    window.giveBack(window.take() ?? 0);
    await pass(LATE_MS);
    expect(window.hand).toHaveLength(20);
    expect(window.marginMs()).toBe(20);
  });

  it('never lets a server count more requests than the window allows, whatever happens to requests and answers', async () => {
    const step = fc.record({
      waitMs: fc.nat(400),
      inboundMs: fc.nat(150),
      outboundMs: fc.nat(150),
      // the answer is lost, and the request may arrive late
      lost: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 60 }), async (steps) => {
        const window = keeper(RULE, []);
        const counted: number[] = [];
        await pass(LATE_MS);
        for (const { waitMs, inboundMs, outboundMs, lost } of steps) {
          await pass(waitMs);
          const permit = window.take();
          if (permit === undefined) continue;
          window.spend(permit);
          const sentAt = now();
          if (lost) {
            counted.push(sentAt + inboundMs * 10);
            window.end(permit, sentAt + 1500);
          } else {
            counted.push(sentAt + inboundMs);
            setTimeout(() => window.end(permit, now()), inboundMs + outboundMs);
          }
        }
        expect(most(counted, RULE.windowMs)).toBeLessThanOrEqual(RULE.requests);
        expect(counted.length).toBeGreaterThan(4);
      }),
      { numRuns: 60 },
    );
  });
});
