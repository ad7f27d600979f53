// The wall time of a run (rules.md, 1): the clock of the system while that runs evenly, otherwise an anchor
// plus monotonic time.
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ClockNews } from '../../src/ops/index.ts';
import { WallClock } from '../../src/ops/index.ts';

const NOON = Date.parse('2030-01-01T12:00:00Z');
const HOUR = 3_600_000;

let mono = 0;
/** How far the clock of the system is ahead of the clock of the exchange. */
let ahead = 0;
let reports: ClockNews[] = [];
let clock: WallClock;

/** The time of the exchange. */
const truth = (): number => NOON + mono;

function pass(ms: number): void {
  mono += ms;
  clock.now();
}

/** An answer of the exchange: its Date header was made after `there` ms, and it was read `back` ms later. */
function answer(there = 20, back = 20): void {
  const sentAt = mono;
  mono += there;
  const dateMs = Math.floor(truth() / 1000) * 1000;
  mono += back;
  clock.applyDate(dateMs, sentAt, mono);
}

beforeEach(() => {
  mono = 5000;
  ahead = 0;
  reports = [];
  clock = new WallClock({ wall: () => truth() + ahead, mono: () => mono }, (news) => reports.push(news));
});

describe('the wall clock of a run', () => {
  it('follows the system’s clock while that is slewed, or set by less than a second', () => {
    for (let i = 0; i < 100; i++) {
      ahead += 5;
      pass(500);
    }
    ahead -= 990;
    pass(500);
    expect(clock.now()).toBe(truth() + ahead);
    expect(reports).toEqual([]);
  });

  it.each([-40_000, -HOUR, HOUR, 1500])('does not follow a step of %i ms, and reports it once', (step) => {
    pass(500);
    ahead = step;
    for (let i = 0; i < 20; i++) pass(500);
    expect(clock.now()).toBe(truth());
    expect(reports).toEqual([{ news: 'stepped', byMs: step, uncertainMs: Math.abs(step) }]);
  });

  it('is certain again at the first answer to a request that was sent after the step', () => {
    pass(500);
    const sentAt = mono;
    pass(10);
    ahead = -HOUR;
    pass(10);
    clock.applyDate(Math.floor(truth() / 1000) * 1000, sentAt, mono);
    expect(reports).toHaveLength(1);
    answer();
    expect(reports.slice(1)).toMatchObject([{ news: 'anchored', uncertainMs: 0 }]);
    expect(Math.abs(clock.now() - truth())).toBeLessThan(600);
    for (let i = 0; i < 60; i++) {
      pass(733);
      answer();
    }
    // each answer falls into another part of its second
    expect(Math.abs(clock.now() - truth())).toBeLessThan(50);
    expect(reports).toHaveLength(2);
  });

  it('returns to the system’s clock when the exchange agrees with that, as after a sleep of the machine', () => {
    pass(500);
    // the monotonic clock stood still while the clocks of the world ran on
    const before = mono;
    const wall = (): number => NOON + 8 * HOUR + mono;
    clock = new WallClock({ wall: () => (mono > before ? wall() : NOON + mono), mono: () => mono }, (news) =>
      reports.push(news),
    );
    pass(500);
    expect(reports).toEqual([{ news: 'stepped', byMs: 8 * HOUR, uncertainMs: 8 * HOUR }]);
    clock.applyDate(Math.floor(wall() / 1000) * 1000, mono, mono + 10);
    expect(reports.slice(1)).toEqual([{ news: 'anchored', byMs: 0, uncertainMs: 0 }]);
    pass(500);
    expect(clock.now()).toBe(wall());
  });

  it('uses the time of the exchange when the two differ from the start', () => {
    ahead = -HOUR;
    clock = new WallClock({ wall: () => truth() + ahead, mono: () => mono }, (news) => reports.push(news));
    answer();
    expect(reports).toMatchObject([{ news: 'differs', uncertainMs: 0 }]);
    expect(Math.abs(clock.now() - truth())).toBeLessThan(600);
    ahead = 0;
    pass(500);
    answer();
    expect(reports.map(({ news }) => news)).toEqual(['differs', 'stepped']);
    expect(reports[1]?.uncertainMs).toBe(0);
    expect(clock.now()).toBe(truth());
  });

  it('is never further off than it reports, whatever the system’s clock does and however slow answers are', () => {
    const step = fc.oneof(
      fc.record({ do: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 900 }) }),
      fc.record({ do: fc.constant('set' as const), ms: fc.integer({ min: -2 * HOUR, max: 2 * HOUR }) }),
      fc.record({ do: fc.constant('answer' as const), ms: fc.nat(900) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        mono = 5000;
        ahead = 0;
        let uncertain = 0;
        clock = new WallClock({ wall: () => truth() + ahead, mono: () => mono }, ({ uncertainMs }) => {
          uncertain = uncertainMs;
        });
        for (const { do: action, ms } of steps) {
          if (action === 'pass') pass(ms);
          else if (action === 'answer') answer(ms, 900 - ms);
          else {
            ahead = ms;
            clock.now();
          }
          // steps below a second add up until an answer arrives; an answer leaves a second and its round trip
          // uncertain
          expect(Math.abs(clock.now() - truth())).toBeLessThanOrEqual(uncertain + 3000);
        }
      }),
      { numRuns: 300 },
    );
  });
});
