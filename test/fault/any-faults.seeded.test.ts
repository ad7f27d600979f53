// Random combinations of faults, under any profile, with and without kills: they find what no list of
// scenarios contains. HUNT=5000 searches for longer. A counterexample is a call of `runFaulty`.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { EXIT } from '../../src/domain/index.ts';
import { profileOf } from '../../src/wire/index.ts';
import { seeds } from '../support/seeds.ts';
import type { FaultyRun } from './harness.ts';
import { runFaulty } from './harness.ts';

const RUNS = seeds(20, 150);

const SENT = ['place', 'edit', 'cancel'];
const DELAYS = [
  { fault: 'delay', on: SENT, rate: 0.1, by: { min: 300, max: 6000 } },
  { fault: 'delay', on: ['place', 'edit'], rate: 0.3, by: { min: 1500, max: 6000 } },
];
const RULES = [
  { fault: 'no-answer', on: SENT, rate: 0.05 },
  { fault: 'no-answer', on: SENT, rate: 0.05, acted: false },
  { fault: 'no-answer', on: ['read'], rate: 0.1 },
  { fault: 'drop', feeds: ['prices'], rate: 0.03 },
  { fault: 'drop', feeds: ['user'], rate: 0.08 },
  { fault: 'drop', feeds: ['user'], rate: 0.5 },
  { fault: 'duplicate', rate: 0.1 },
  { fault: 'reorder', feeds: ['prices'], rate: 0.1 },
  { fault: 'reorder', feeds: ['user'], rate: 0.2, by: { min: 50, max: 1500 } },
  { fault: 'late-frame', feeds: ['user'], rate: 0.05, by: '800ms' },
  { fault: 'disconnect', every: { min: 4000, max: 9000 } },
  { fault: 'disconnect', feeds: ['user'], every: { min: 3000, max: 8000 } },
  { fault: 'half-open', at: ['6s', '18s', '30s'] },
  { fault: 'expire-tokens', every: { min: 3000, max: 7000 } },
  { fault: 'cancel-all', every: { min: 5000, max: 12_000 } },
  { fault: 'cancel-order', orders: 2, every: '2s' },
  { fault: 'close-game', every: '4s', for: '2s' },
  { fault: 'nonsense', on: [...SENT, 'read'], rate: 0.06 },
  { fault: 'status', on: [...SENT, 'read'], status: 401, rate: 0.05, from: '1s' },
  { fault: 'status', on: ['place'], status: 403, rate: 0.15 },
  { fault: 'status', on: ['edit'], status: 403, rate: 0.2 },
  { fault: 'status', on: ['edit', 'cancel'], status: 409, rate: 0.1 },
  { fault: 'status', on: ['cancel'], status: 423, rate: 0.3, retryAfter: '2s' },
  { fault: 'status', on: SENT, status: 429, rate: 0.15 },
  { fault: 'status', status: 500, rate: 0.1, from: '1s' },
  { fault: 'status', on: SENT, status: 500, rate: 0.08, acted: true },
];

const PROFILES: readonly Pick<FaultyRun, 'profile' | 'settings' | 'cancels'>[] = [
  {},
  { settings: { orders: { mayEdit: false } } },
  { settings: { foreign: 'cancel' } },
  { profile: { batchIsAtomic: true } },
  { profile: { bookPerspective: 'taker' } },
  { profile: profileOf('family') },
  { profile: { editKeepsId: true } },
  { profile: { editKeepsReference: false }, settings: { orders: { mayEdit: false } } },
  {
    profile: { maxOrdersPerPlace: 1, maxIdsPerCancel: 3 },
    settings: { orders: { maxOrdersPerPlace: 1, maxIdsPerCancel: 3 } },
  },
  { cancels: 2, profile: { maxIdsPerCancel: 1 }, settings: { orders: { maxIdsPerCancel: 1 } } },
];

const faulty: fc.Arbitrary<FaultyRun> = fc
  .record({
    seed: fc.nat(1_000_000),
    rules: fc.subarray(RULES, { maxLength: 6 }),
    // no request may arrive later than lateArrival: one delay, or none
    delay: fc.subarray(DELAYS, { maxLength: 1 }),
    profile: fc.constantFrom(...PROFILES),
    killsAt: fc.oneof(
      fc.constant([]),
      fc.tuple(fc.double({ min: 5, max: 20, noNaN: true }), fc.double({ min: 22, max: 37, noNaN: true })),
      // kills so close that the second run ends before the requests of the first are settled
      fc
        .tuple(fc.double({ min: 5, max: 20, noNaN: true }), fc.double({ min: 1.1, max: 9, noNaN: true }))
        .map(([first, later]) => [first, first + later]),
    ),
  })
  .map(({ seed, rules, delay, profile, killsAt }) => ({
    ...profile,
    seed,
    plan: { seed, rules: [...rules, ...delay] },
    killsAt,
    ...(killsAt.length > 0 ? { seconds: 50 } : {}),
  }));

/** Rules that do not count when the stop itself reports that it is not confirmed. */
const AFTER_CONFIRMED_STOP = /positions differ|fills differ|risk filled differs/;

it(`the bot keeps every rule under any combination of faults (${RUNS} runs)`, { timeout: 30_000 + 400 * RUNS }, () => {
  fc.assert(
    fc.property(faulty, (run) => {
      const { broken, ended } = runFaulty(run);
      const isHonest = ended?.code === EXIT.notConfirmed;
      expect(broken.filter((rule) => !isHonest || !AFTER_CONFIRMED_STOP.test(rule))).toEqual([]);
      expect([EXIT.done, EXIT.notConfirmed]).toContain(ended?.code);
    }),
    {
      numRuns: RUNS,
      ...(process.env['HUNT'] === undefined ? { seed: 20_300_101 } : {}),
      interruptAfterTimeLimit: 300 * RUNS,
      markInterruptAsFailure: false,
    },
  );
});
