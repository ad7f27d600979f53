// The bot under seeded fault plans, in process on the virtual clock, judged at the exchange (harness.ts). A
// seed that fails is named with its scenario; `runFaulty` with that plan and seed repeats the run.
import { describe, expect, it } from 'vitest';
import type { WireProfile } from '../../src/wire/index.ts';
import { profileOf } from '../../src/wire/index.ts';
import { seeds } from '../support/seeds.ts';
import { runFaulty } from './harness.ts';

type Rule = Readonly<Record<string, unknown>>;
const SENT = ['place', 'edit', 'cancel'] as const;

const SCENARIOS: Readonly<Record<string, readonly Rule[]>> = {
  'nothing goes wrong': [],
  'answers are lost after acting': [{ fault: 'no-answer', on: SENT, rate: 0.08 }],
  'requests are lost': [{ fault: 'no-answer', on: SENT, rate: 0.08, acted: false }],
  'answers and events are both lost': [
    { fault: 'no-answer', on: SENT, rate: 0.15 },
    { fault: 'drop', feeds: ['user'], rate: 0.5 },
  ],
  'connections are reset after acting': [{ fault: 'no-answer', on: SENT, rate: 0.08, close: 'reset' }],
  'answers come after the timeout': [
    { fault: 'delay', on: SENT, rate: 0.15, side: 'after', by: { min: 2500, max: 6000 } },
  ],
  'requests arrive late': [{ fault: 'delay', on: SENT, rate: 0.15, by: { min: 500, max: 6000 } }],
  'price frames are dropped, doubled and reordered': [
    { fault: 'drop', feeds: ['prices'], rate: 0.03 },
    { fault: 'duplicate', rate: 0.1 },
    { fault: 'reorder', feeds: ['prices'], rate: 0.1 },
  ],
  'events of the user feed are dropped': [{ fault: 'drop', feeds: ['user'], rate: 0.08 }],
  'events of the user feed are reordered and late': [
    { fault: 'reorder', feeds: ['user'], rate: 0.2, by: { min: 50, max: 1500 } },
    { fault: 'late-frame', feeds: ['user'], rate: 0.05, by: '800ms' },
  ],
  'both feeds disconnect': [{ fault: 'disconnect', every: { min: 4000, max: 9000 } }],
  'the user feed disconnects': [{ fault: 'disconnect', feeds: ['user'], every: { min: 3000, max: 8000 } }],
  'sockets are half open': [{ fault: 'half-open', at: ['6s', '18s', '30s'] }],
  'tokens expire': [{ fault: 'expire-tokens', every: { min: 3000, max: 7000 } }],
  'another client runs cancel-all': [{ fault: 'cancel-all', every: { min: 5000, max: 12_000 } }],
  'cancels answer 423': [{ fault: 'status', on: ['cancel'], status: 423, rate: 0.3, retryAfter: '2s' }],
  'requests answer 429': [{ fault: 'status', on: SENT, status: 429, rate: 0.15 }],
  'edits answer 403': [{ fault: 'status', on: ['edit'], status: 403, rate: 0.2 }],
  'places answer 403': [{ fault: 'status', on: ['place'], status: 403, rate: 0.15 }],
  'everything answers 500 at times, acted on or not': [
    { fault: 'status', status: 500, rate: 0.1, from: '1s' },
    { fault: 'status', on: SENT, status: 500, rate: 0.08, acted: true },
  ],
  'the system cancels orders': [{ fault: 'cancel-order', orders: 2, every: '2s' }],
  'games close and open': [{ fault: 'close-game', every: '4s', for: '2s' }],
  'answers are nonsense': [{ fault: 'nonsense', on: [...SENT, 'read'], rate: 0.06 }],
};
const SEEDS = seeds(2, 10);
/** Number of seeds for tests with several plans. */
const SEEDS_PER_PLAN = seeds(1, 5);

describe.each(Object.entries(SCENARIOS))('the bot when %s', (_name, rules) => {
  it(`keeps every rule, ${SEEDS} seeds`, { timeout: 120_000 }, () => {
    const struck = rules.map(() => 0);
    for (let seed = 1; seed <= SEEDS; seed++) {
      const { broken, ended, hits } = runFaulty({ plan: { seed, rules }, seed });
      expect({ seed, broken, code: ended?.code }).toEqual({ seed, broken: [], code: 0 });
      for (const [index, count] of hits.entries()) struck[index] = (struck[index] ?? 0) + count;
    }
    // a rule that never struck has proved nothing
    expect(struck).not.toContain(0);
  });
});

const EVERYTHING: readonly Rule[] = [
  { fault: 'no-answer', on: SENT, rate: 0.03 },
  { fault: 'no-answer', on: SENT, rate: 0.03, acted: false },
  { fault: 'delay', on: SENT, rate: 0.05, by: { min: 300, max: 4000 } },
  { fault: 'status', on: SENT, status: 500, rate: 0.03, acted: true },
  { fault: 'drop', feeds: ['user'], rate: 0.03 },
  { fault: 'duplicate', rate: 0.05 },
  { fault: 'disconnect', every: { min: 7000, max: 15_000 } },
  { fault: 'cancel-order', every: '3s' },
  { fault: 'expire-tokens', every: '11s' },
];
/** Plans under which fates are found by evidence other than answers. */
const LOSSES = [SCENARIOS['answers are lost after acting'] ?? [], SCENARIOS['answers and events are both lost'] ?? []];

/** Exchanges that resolve open points of the spec in another way. */
const PROFILES = {
  'the profile is the preset family': { profile: profileOf('family') },
  'an edited order keeps its id': { profile: { editKeepsId: true } },
  'an edited order loses its reference': {
    profile: { editKeepsReference: false },
    settings: { orders: { mayEdit: false } },
  },
  'a request carries one order, and few ids': {
    profile: { maxOrdersPerPlace: 1, maxIdsPerCancel: 3 },
    settings: { orders: { maxOrdersPerPlace: 1, maxIdsPerCancel: 3 } },
  },
} as const;

describe.each(Object.entries(PROFILES))('the bot where %s', (_name, exchange) => {
  it(`keeps every rule, ${SEEDS_PER_PLAN} seeds of each plan`, { timeout: 120_000 }, () => {
    for (const rules of [EVERYTHING, ...LOSSES])
      for (let seed = 1; seed <= SEEDS_PER_PLAN; seed++) {
        const { broken, ended } = runFaulty({ plan: { seed, rules }, seed, ...exchange });
        expect({ seed, rules, broken, code: ended?.code }).toEqual({ seed, rules, broken: [], code: 0 });
      }
  });
});

describe('the bot when everything goes wrong at once', () => {
  it(`keeps every rule, ${SEEDS} seeds`, { timeout: 120_000 }, () => {
    const struck = EVERYTHING.map(() => 0);
    for (let seed = 1; seed <= SEEDS; seed++) {
      const { broken, ended, hits } = runFaulty({ plan: { seed, rules: EVERYTHING }, seed });
      expect({ seed, broken, code: ended?.code }).toEqual({ seed, broken: [], code: 0 });
      for (const [index, count] of hits.entries()) struck[index] = (struck[index] ?? 0) + count;
    }
    // a rule that never struck has proved nothing
    expect(struck).not.toContain(0);
  });
});

const KILLED: readonly {
  readonly what: string;
  readonly rules: readonly Rule[];
  readonly profile?: Partial<WireProfile>;
}[] = [
  {
    what: 'answers are lost',
    rules: [
      { fault: 'no-answer', on: SENT, rate: 0.05 },
      { fault: 'duplicate', rate: 0.05 },
    ],
  },
  // these requests arrive when the next run has read the account already
  {
    what: 'requests are under way',
    rules: [{ fault: 'delay', on: ['place', 'edit'], rate: 0.3, by: { min: 1500, max: 6000 } }],
  },
  // a closed game is in no book, but its orders are on the account
  { what: 'games are closed', rules: [{ fault: 'close-game', every: '4s', for: '2s' }] },
  {
    what: 'edits keep the ids of orders',
    rules: [{ fault: 'cancel-order', every: '3s' }],
    profile: { editKeepsId: true },
  },
];

describe('the bot when it is killed and started again', () => {
  it.each(KILLED)(
    `has the right positions, no orphan and no duplicate, while $what: ${SEEDS} seeds of two kills`,
    { timeout: 120_000 },
    ({ rules, profile = {} }) => {
      for (let seed = 1; seed <= SEEDS; seed++) {
        const killsAt = [7 + seed * 0.37, 22 + seed * 0.41];
        const { broken, ended } = runFaulty({ plan: { seed, rules }, seed, seconds: 50, killsAt, profile });
        expect({ seed, broken, code: ended?.code }).toEqual({ seed, broken: [], code: 0 });
      }
    },
  );
});

describe('the bot when the player mode changes from outside', () => {
  it('halts with exit 77 and leaves nothing open', () => {
    const rules = [{ fault: 'switch-mode', at: '10s' }];
    const { broken, ended } = runFaulty({ plan: { seed: 1, rules }, seed: 1 });
    expect(broken).toEqual([]);
    expect(ended?.code).toBe(77);
  });
});

describe('the bot where the exchange allows fewer requests than configured', () => {
  it('learns from the 429s: after some of them it keeps to the allowed rate', { timeout: 60_000 }, () => {
    const run = (seconds: number) =>
      runFaulty({
        plan: { seed: 1, rules: [] },
        seed: 1,
        seconds,
        limits: { place: { requests: 10, windowMs: 5000 }, cancel: { requests: 30, windowMs: 2000 } },
        settings: { orders: { maxOrdersPerPlace: 1 } },
      });
    const { broken, ended, statuses } = run(120);
    // until the bot has learned, more requests arrive than the window holds
    const others = broken.filter((rule) => !rule.includes('window exceeded'));
    expect({ broken: others, code: ended?.code }).toEqual({ broken: [], code: 0 });
    expect(statuses['429']).toBeGreaterThan(0);
    expect(statuses['429']).toBeLessThan(10);
    // and the bot continues at the remaining rate
    expect(statuses['200']).toBeGreaterThan(run(60).statuses['200'] ?? 0);
  });
});

describe('the bot with hardly any cancel permits', () => {
  it('cancels by game and by league, and keeps every rule', { timeout: 60_000 }, () => {
    let bulks = 0;
    const profile = { maxIdsPerCancel: 1 };
    const settings = { orders: { maxIdsPerCancel: 1 } };
    for (let seed = 1; seed <= SEEDS; seed++) {
      const rules = [
        { fault: 'no-answer', on: SENT, rate: 0.05 },
        { fault: 'disconnect', every: { min: 5000, max: 9000 } },
      ];
      const run = runFaulty({ plan: { seed, rules }, seed, cancels: 2, profile, settings });
      expect({ seed, broken: run.broken, code: run.ended?.code }).toEqual({ seed, broken: [], code: 0 });
      bulks += run.bulks;
    }
    expect(bulks).toBeGreaterThan(10);
  });
});
