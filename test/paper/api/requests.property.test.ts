// Random requests, valid and not, from four accounts in both player modes, through the exchange's front door on a virtual
// clock. Whatever comes: every reply has the spec's shape, a refusal changes nothing, and sizes, prices, money, windows,
// credit and privacy hold, by sums that are made here and not at the venue.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { GameId, Micros, PlayerMode } from '../../../src/domain/index.ts';
import type { Account, MatchedPlay, VenueGame, VenueOrder } from '../../../src/paper/index.ts';
import { answerAdmin, InProcessExchange } from '../../../src/paper/index.ts';
import { isRecord, wireProfileSchema } from '../../../src/wire/index.ts';
import { T0 } from '../fixtures.ts';

const NAMES = ['ann', 'bob', 'cyd', 'dee'] as const;
const MODES: readonly PlayerMode[] = ['cash', 'coins'];
const READS = [
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
];
const BULK = [
  '/session/cancelAllOrders',
  '/session/pauseOrders',
  '/session/cancelAllOrdersForGame',
  '/session/cancelAllForLeague',
];
const WRITES = [
  '/session/v2/place',
  '/session/editOrder',
  '/session/cancel',
  '/session/cancelMultiple',
  '/session/cancelByReference',
  '/user/updateCoinsOrCash',
];
const BUCKET: Readonly<Record<string, 'place' | 'cancel'>> = {
  '/session/v2/place': 'place',
  '/session/editOrder': 'place',
  '/session/cancel': 'cancel',
  '/session/cancelMultiple': 'cancel',
  '/session/cancelByReference': 'cancel',
};
const LIMITS = { place: { most: 25, ms: 5_000 }, cancel: { most: 30, ms: 2_000 } } as const;

// ——— what is asked

/** Stands for a number that only JSON text can hold. */
const BEYOND = '<1e999>';
const textOf = (body: unknown): string =>
  body === undefined ? '' : JSON.stringify(body).replaceAll(`"${BEYOND}"`, '1e999');
const junk = fc.constantFrom<unknown>(
  ...[null, '', 'x', '1e999', 'NaN', '-0', '__proto__', 'constructor', true, [], [1], {}],
  ...[-1, 0, 0.3, 99.9, 1e308, -1e308, 5e-324, 2 ** 53, BEYOND],
);
const mostly = (arb: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof({ arbitrary: arb, weight: 25 }, { arbitrary: junk, weight: 1 });

const who = fc.nat(NAMES.length - 1);
/** Which of the orders, plays or references that were ever seen; the rest of a division, so that any number will do. */
const target = fc.nat(40);
const orderType = mostly(fc.constantFrom('post', 'limit', 'limit', 'fillAndKill', 'fillOrKill', undefined));
const odds = mostly(
  fc.oneof(
    { arbitrary: fc.constantFrom(-110, -105, 100, 105, 110), weight: 6 },
    { arbitrary: fc.integer({ min: -1300, max: 1300 }).map((tenths) => tenths / 10), weight: 2 },
    { arbitrary: fc.constantFrom(-100_000, 100_000, 99_999.5, -99_999.9, -100.5, 100_000.1), weight: 1 },
  ),
);
const size = mostly(
  fc.oneof(
    { arbitrary: fc.integer({ min: 100, max: 20_000 }).map((cents) => cents / 100), weight: 6 },
    { arbitrary: fc.constantFrom(1, 1.000001, 33.333333, 999.999999, 1000, 1000.000001, 0.99), weight: 2 },
  ),
);
// minutes; what no date can hold is asked apart
const lifetime = fc.constantFrom<unknown>(...[undefined, undefined, 0, 1e-9, 0.001, 0.01, 1, null, -1, 'x', {}]);
const reference = fc.constantFrom<unknown>('r1', 'r2', undefined, 7, '', '__proto__');

const order = fc.record({
  game: fc.constantFrom<unknown>(...[0, 0, 0, 1, 2], 'nobody', null),
  type: fc.constantFrom<unknown>(...['moneyline', 'moneyline', 'spread', 'total'], 'prop'),
  first: fc.boolean(),
  wrongSide: fc.constantFrom(...Array<boolean>(30).fill(false), true),
  spread: mostly(fc.constantFrom(-2.75, -2.75, -1, 0, 0.25, 2.5)),
  total: mostly(fc.constantFrom(4.25, 4.25, 3.5, 4)),
  odds,
  risk: size,
  orderType,
  expirationMinutes: lifetime,
  gameStartExpiry: fc.constantFrom<unknown>(undefined, true, 'yes'),
  userReference: reference,
  takes: fc.option(target, { freq: 8, nil: undefined }),
});
type OrderPlan = typeof order extends fc.Arbitrary<infer T> ? T : never;

const kind = <K extends string>(name: K) => fc.constant(name);
const action = fc.oneof(
  {
    arbitrary: fc.record({ kind: kind('place'), who, orders: fc.array(order, { minLength: 1, maxLength: 4 }) }),
    weight: 12,
  },
  {
    arbitrary: fc.record({
      kind: kind('edit'),
      who,
      target,
      orderOdds: odds,
      orderVolume: size,
      orderType,
      expiryChange: lifetime,
      userReference: reference,
    }),
    weight: 4,
  },
  {
    arbitrary: fc.record({
      kind: kind('cancel'),
      who,
      path: fc.constantFrom('/session/cancel', '/session/cancelMultiple', '/session/cancelByReference'),
      targets: fc.array(target, { maxLength: 4 }),
    }),
    weight: 4,
  },
  { arbitrary: fc.record({ kind: kind('bulk'), who, path: fc.constantFrom(...BULK), type: reference }), weight: 1 },
  { arbitrary: fc.record({ kind: kind('mode'), who, mode: mostly(fc.constantFrom(...MODES)) }), weight: 2 },
  { arbitrary: fc.record({ kind: kind('read'), who, path: fc.constantFrom(...READS), target }), weight: 2 },
  {
    arbitrary: fc.record({
      kind: kind('garbage'),
      who: fc.option(who, { nil: undefined }),
      method: fc.constantFrom('POST', 'GET', 'DELETE'),
      path: fc.oneof(fc.constantFrom(...READS, ...WRITES, '/user/login'), fc.string()),
      text: fc.oneof(fc.string(), fc.json(), fc.constantFrom('{"orders":[{', 'null', '[]', '"x"', '[[]]', '{"a":1e999}')),
    }),
    weight: 2,
  },
  { arbitrary: fc.record({ kind: kind('burst'), who, what: fc.boolean(), times: fc.integer({ min: 20, max: 40 }) }), weight: 1 },
  {
    arbitrary: fc.record({
      kind: kind('operator'),
      who,
      game: fc.nat(2),
      what: fc.constantFrom('grade', 'close', 'open', 'end', 'live', 'start', 'cancel', 'ban', 'serve', 'expire'),
      home: fc.nat(9),
      away: fc.nat(9),
    }),
    weight: 2,
  },
  { arbitrary: fc.record({ kind: kind('wait'), ms: fc.constantFrom(1, 70, 700, 2_000, 5_000, 61_000) }), weight: 3 },
);
type Action = typeof action extends fc.Arbitrary<infer T> ? T : never;

// ——— what must hold

type Reply = { readonly status: number; readonly body: Readonly<Record<string, unknown>>; readonly data: unknown };
type Arrival = { readonly who: string; readonly bucket: 'place' | 'cancel'; readonly atMs: number; readonly limited: boolean };

/** What a stake gets at a score: 1 won, 0 returned, −1 lost; a quarter line is half on each neighbour. */
function shareOf({ book: { market }, side }: VenueOrder, home: number, away: number): number {
  const points = market.type === 'total' ? home + away - (market.line ?? 0) : home - away + (market.line ?? 0);
  const step = Number.isInteger((market.line ?? 0) * 2) ? 0 : 0.25;
  const share = (Math.sign(points - step) + Math.sign(points + step)) / 2;
  return side === market.sides[0] ? share : -share;
}

const profitOf = ({ order: of, risk, win }: Pick<MatchedPlay, 'order' | 'risk' | 'win'>, home: number, away: number): number => {
  const share = shareOf(of, home, away);
  return share >= 0 ? share * win : share * risk;
};

/** The most an account can still lose on one game: the worst of many scores, open orders filled where that hurts. */
function worstOf(account: Account, mode: PlayerMode, game: VenueGame): number {
  const held = [...account.plays.values()].filter((play) => play.profit === undefined);
  const parts = [
    ...held.map((play) => ({ order: play.order, risk: play.risk, win: play.win })),
    ...[...account.open.values()].map((one) => ({ order: one, risk: one.remaining, win: 0 as Micros })),
  ].filter((part) => part.order.mode === mode && part.order.book.game === game);
  let worst = 0;
  for (let home = 0; home <= 9; home++)
    for (let away = 0; away <= 9; away++) {
      // a basketball game is played on until somebody leads
      if (home === away && game.header.sport === 'basketball') continue;
      worst = Math.min(worst, parts.reduce((sum, part) => sum + profitOf(part, home, away), 0));
    }
  return -worst;
}
