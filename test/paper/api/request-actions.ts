// The plans of the request property as plain data, so that a failure prints the shortest one. A plan names
// orders, plays and games by number; the run looks them up. A part of all values is invalid on purpose.
import fc from 'fast-check';
import type { PlayerMode } from '../../../src/domain/index.ts';

export const NAMES = ['ann', 'bob', 'cyd', 'dee'] as const;
export const MODES: readonly PlayerMode[] = ['cash', 'coins'];
export const READS: readonly string[] = [
  '/user/getMe',
  '/user/getUnmatched',
  '/user/getMatchedBets',
  '/user/getOrdersForGame',
  '/user/getBetByID',
  '/user/getBetByUserReference',
  '/session/lookupOrder',
  '/exchange/getOrderbook',
  '/exchange/getSingleOrderbook',
  '/exchange/v2/getGames',
  '/exchange/getLeagues',
  '/exchange/v2/getOrderbook',
  '/exchange/getEvents',
  '/exchange/getParticipants',
  '/exchange/getSportLeagues',
  '/exchange/getUpcomingEvent',
  '/session/getTopTraded',
  '/user/getGameLiability',
  '/user/getGradedWagers',
  '/user/getBetByWagerRequestID',
];
const CANCELS = ['/session/cancel', '/session/cancelMultiple', '/session/cancelByReference'] as const;
const BULK = [
  '/session/cancelAllOrders',
  '/session/pauseOrders',
  '/session/cancelAllOrdersForGame',
  '/session/cancelAllForLeague',
  '/session/resumeOrders',
] as const;
const WRITES = ['/session/v2/place', '/session/editOrder', ...CANCELS, '/user/updateCoinsOrCash', '/user/login'];

/** A placeholder for a number that only JSON text can express. */
const BEYOND = '<1e999>';
export const textOf = (body: unknown): string => JSON.stringify(body).replaceAll(`"${BEYOND}"`, '1e999');

const pick = (...values: readonly unknown[]): fc.Arbitrary<unknown> => fc.constantFrom(...values);
const junk = fc.oneof(
  pick(null, '', 'x', '1e999', 'NaN', '-0', '__proto__', 'constructor', true, [], [1], {}),
  pick(-1, 0, 0.3, 99.9, 1e308, -1e308, 5e-324, 2 ** 53, BEYOND),
);
const weighted = <T>(...choices: readonly (readonly [number, fc.Arbitrary<T>])[]): fc.Arbitrary<T> =>
  fc.oneof(...choices.map(([weight, arbitrary]) => ({ weight, arbitrary })));

const rarely = <T>(arb: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  weighted<T | undefined>([11, fc.constant(undefined)], [1, arb]);

const who = fc.nat(NAMES.length - 1);
/** An index, modulo the number of orders, plays or references seen so far. */
const target = fc.nat(160);
const orderType = pick('limit', 'limit', 'post', 'fillAndKill', 'fillOrKill', undefined, 'whatever');
const odds = weighted<unknown>(
  [8, pick(-110, -105, 100, 105, 110)],
  [2, fc.integer({ min: 1000, max: 1300 }).map((tenths) => tenths / 10)],
  [2, fc.integer({ min: -1300, max: -1000 }).map((tenths) => tenths / 10)],
  [1, pick(-100_000, 100_000, 99_999.5, -99_999.9, -100.5, 100_000.1, 99.9, 100.05)],
);
const size = weighted<unknown>(
  [6, fc.integer({ min: 100, max: 20_000 }).map((cents) => cents / 100)],
  [2, pick(1, 1.000001, 33.333333, 999.999999, 1000, 1000.000004, 0.999998, 0.99)],
);
const minutes = weighted<unknown>([6, pick(undefined)], [3, pick(0, 1e-9, 0.001, 0.01, 1, null)], [1, junk]);
/** The run puts the account's name before text references. */
const reference = pick('r1', 'r1', 'r2', 7, undefined, '');

const order = fc.record({
  game: fc.constantFrom(0, 0, 0, 1, 2),
  type: fc.constantFrom('moneyline', 'moneyline', 'spread', 'total'),
  /** True for home or over. */
  first: fc.boolean(),
  /** The line of the home team. */
  spread: fc.constantFrom(-2.75, -2.75, -1, 0, 0.25, 2.5),
  total: fc.constantFrom(4.25, 4.25, 3.5, 4),
  odds,
  risk: size,
  orderType,
  expirationMinutes: minutes,
  gameStartExpiry: pick(undefined, true),
  userReference: reference,
  /** The offer to take. Undefined when the order names none. */
  takes: rarely(target),
  /** The invalid field of the order. Undefined when all are valid. */
  flaw: rarely(
    fc.record({
      field: fc.constantFrom('gameID', 'type', 'side', 'number', 'odds', 'risk', 'orderType', 'sessionID'),
      value: junk,
    }),
  ),
});
const kind = <K extends string>(name: K): fc.Arbitrary<K> => fc.constant(name);

const place = fc.record({
  kind: kind('place'),
  who,
  orders: fc.array(order, { minLength: 1, maxLength: 4 }),
});
const edit = fc.record({
  kind: kind('edit'),
  who,
  target,
  orderOdds: odds,
  orderVolume: size,
  orderType,
  expiryChange: minutes,
});
const cancel = fc.record({
  kind: kind('cancel'),
  who,
  path: fc.constantFrom(...CANCELS),
  targets: fc.array(target, { maxLength: 4 }),
});
const bulk = fc.record({ kind: kind('bulk'), who, path: fc.constantFrom(...BULK), game: fc.nat(2) });
const mode = fc.record({ kind: kind('mode'), who, mode: weighted([9, pick(...MODES)], [1, junk]) });
const read = fc.record({
  kind: kind('read'),
  who,
  path: fc.constantFrom(...READS),
  target,
  get: fc.boolean(),
});
const garbage = fc.record({
  kind: kind('garbage'),
  who: fc.option(who, { nil: undefined }),
  method: fc.constantFrom('POST', 'POST', 'GET', 'DELETE', ''),
  path: weighted<string>(
    [8, fc.constantFrom(...READS, ...BULK, ...WRITES)],
    [1, fc.constantFrom('__proto__', 'constructor', '/toString', '/user/valueOf')],
    [1, fc.string()],
  ),
  text: fc.oneof(fc.string(), fc.json(), fc.constantFrom('{"orders":[{', 'null', '[]', '"x"', '{"a":1e999}')),
  form: fc.boolean(),
});
const burst = fc.record({
  kind: kind('burst'),
  who,
  path: fc.constantFrom('/session/v2/place', '/session/editOrder', ...CANCELS),
  times: fc.integer({ min: 20, max: 40 }),
});
const operator = fc.record({
  kind: kind('operator'),
  who,
  game: fc.nat(2),
  what: fc.constantFrom(
    ...(['open', 'open', 'open', 'serve', 'serve', 'close', 'live', 'start', 'swap'] as const),
    ...(['grade', 'end', 'cancel', 'ban', 'expire'] as const),
  ),
  home: fc.nat(9),
  away: fc.nat(9),
});
const wait = fc.record({
  kind: kind('wait'),
  ms: fc.constantFrom(1, 70, 700, 1_999, 2_000, 4_999, 5_000, 61_000),
});

const action = fc.oneof(
  { weight: 20, arbitrary: place },
  { weight: 5, arbitrary: edit },
  { weight: 3, arbitrary: cancel },
  { weight: 1, arbitrary: bulk },
  { weight: 2, arbitrary: mode },
  { weight: 2, arbitrary: read },
  { weight: 2, arbitrary: garbage },
  { weight: 1, arbitrary: burst },
  { weight: 1, arbitrary: operator },
  { weight: 3, arbitrary: wait },
);

/** Profile values where the spec leaves a choice: they change how orders match, end and are refused. */
const profile = fc.record({
  preset: fc.constantFrom('spec', 'family'),
  editKeepsId: fc.boolean(),
  editHonoursPost: fc.boolean(),
  maxLiability: fc.constantFrom(null, null, 250),
  cancelQueueSize: fc.constantFrom(1000, 1000, 8),
});

type Of<A> = A extends fc.Arbitrary<infer T> ? T : never;
export type OrderPlan = Of<typeof order>;
export type Action = Of<typeof action>;
export type ActionOf<K extends Action['kind']> = Extract<Action, { kind: K }>;
export type Plan = { readonly profile: Of<typeof profile>; readonly actions: readonly Action[] };

export const plans = (maxLength: number): fc.Arbitrary<Plan> =>
  fc.record({ profile, actions: fc.array(action, { minLength: 1, maxLength, size: 'max' }) });
