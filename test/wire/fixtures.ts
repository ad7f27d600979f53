// Pieces of the exchange's JSON, and helpers for results, shared by the wire tests.
import fc from 'fast-check';
import type {
  BookPerspective,
  GameId,
  Ladder,
  Market,
  NewOrder,
  OrderRef,
  ParticipantId,
  Perspective,
  Result,
  Side,
} from '../../src/domain/index.ts';
import { centsOfDollars, dollarsOfMicros, oddsOf, toRung } from '../../src/domain/index.ts';
import type { Participants } from '../../src/wire/index.ts';

export const OFFERER: BookPerspective = { odds: 'offerer', side: 'offerer', line: 'offerer' };
export const TAKER: BookPerspective = { odds: 'taker', side: 'taker', line: 'taker' };
const views: readonly Perspective[] = ['offerer', 'taker'];
export const PERSPECTIVES: readonly BookPerspective[] = views.flatMap((odds) =>
  views.flatMap((side) => views.map((line) => ({ odds, side, line }))),
);

export function value<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(result.problem);
  return result.value;
}

export function problem(result: Result<unknown>): string {
  if (result.ok) throw new Error('expected a problem');
  return result.problem;
}

/** A ladder as the market writes it: [American odds, untaken dollars]. */
export const prices = (ladder: Ladder): (readonly [number, number])[] =>
  ladder.map((offer) => [oddsOf(offer.rung), dollarsOfMicros(offer.untaken)]);

export const row = (fields: Readonly<Record<string, unknown>> = {}): Record<string, unknown> => ({
  id: 'o1',
  type: 'moneyline',
  risk: 100,
  sumUntaken: 100,
  odds: 105,
  takenRatio: 0,
  gameID: 'g1',
  participantID: 'p-home',
  expiry: null,
  createdAt: '2030-01-01T00:00:00.000Z',
  gameStartExpiry: true,
  ...fields,
});

export const sideFrame = (fields: Readonly<Record<string, unknown>> = {}): Record<string, unknown> => ({
  gameID: 'g1',
  sport: 'basketball',
  league: 'NBA',
  live: false,
  type: 'moneyline',
  participantID: 'p-home',
  sideOrders: [],
  ...fields,
});

export const teams = [
  { id: 'p-away', longName: 'Away Town', shortName: 'AWY', homeAway: 'away', rotationNumber: '571' },
  { id: 'p-home', longName: 'Home City', shortName: 'HOM', homeAway: 'home', rotationNumber: '572' },
];
const GAME = 'g1' as GameId;
/** A game that has begun. */
export const LIVE_GAME = 'g-live' as GameId;
export const participants: Participants = (gameId) =>
  gameId === GAME || gameId === LIVE_GAME
    ? {
        live: gameId === LIVE_GAME,
        home: { id: 'p-home' as ParticipantId, name: 'Home City', shortName: 'HOM' },
        away: { id: 'p-away' as ParticipantId, name: 'Away Town', shortName: 'AWY' },
      }
    : undefined;

export function newOrder(market: Market, side: Side, odds: number, dollars: number, ref = 'r1'): NewOrder {
  const rung = toRung(odds);
  if (rung === undefined) throw new Error(`no price: ${odds}`);
  return { ref: ref as OrderRef, market, side, rung, risk: centsOfDollars(dollars) };
}

/** Any JSON value, mixed with field names of the wire so that the parsers get past their first check. */
const WORDS = [
  'gameID',
  'id',
  'type',
  'OU',
  'total',
  'spread',
  'participantID',
  'sideOrders',
  'odds',
  'risk',
  'bet',
  'sumUntaken',
  'takenRatio',
  'createdBy',
  'createdAt',
  'participants',
  'homeAway',
  'homeSpreads',
  'awaySpreads',
  'homeMoneylines',
  'over',
  'under',
  'mainHomeSpread',
  'mainTotal',
  'messageType',
  'data',
  'games',
  'game',
  'unmatched',
  'matched',
  'graded',
  'order',
  'orderID',
  'offered',
  'filled',
  'remaining',
  'txID',
  'amount',
  'user',
  'auth',
  'playerMode',
  'createdSessions',
  'cancelled',
  'success',
  'error',
  'details',
  'retryAfterSeconds',
  'origin',
  'pagination',
  '-3.5',
  '__proto__',
  'constructor',
  'toString',
  'length',
];
const ODD_VALUES: readonly unknown[] = [
  'moneyline',
  'spread',
  'total',
  'over',
  'home',
  '',
  ' ',
  'NaN',
  'Infinity',
  '-0',
  '1e999',
  '105',
  '-110.5',
  '0x10',
  0,
  -0,
  1e308,
  -1e308,
  5e-324,
  9_007_199_254_740_993,
  105,
  -110,
  99.9,
  true,
  false,
  null,
  [],
  {},
  '2030-01-01T00:00:00Z',
];
export const hostile: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, depthIdentifier: 'hostile' },
    fc.constantFrom(...ODD_VALUES),
    fc.jsonValue({ maxDepth: 2 }),
    fc.array(tie('value'), { maxLength: 4, depthIdentifier: 'hostile' }),
    fc
      .array(fc.tuple(fc.constantFrom(...WORDS), tie('value')), { maxLength: 8, depthIdentifier: 'hostile' })
      // as JSON text, so that __proto__ is a plain key as it would be from the wire
      .map(
        (entries) =>
          JSON.parse(`{${entries.map(([k, v]) => `${JSON.stringify(k)}:${JSON.stringify(v)}`).join()}}`) as unknown,
      ),
  ),
})).value;
