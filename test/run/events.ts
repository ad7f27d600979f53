// Events for tests of folds.
import type {
  AmericanOdds,
  Cents,
  EventOf,
  GameId,
  MarketId,
  Micros,
  OrderRef,
  StrategyId,
  TxId,
} from '../../src/domain/index.ts';

export const MARKET = 'g1/moneyline' as MarketId;
export const START = Date.parse('2030-01-02T20:00:00Z');
export const refOf = (n: number): OrderRef => `odds.main.q.run1-${n}` as OrderRef;

export const submitted = (n: number, changes: Partial<EventOf<'OrderSubmitted'>> = {}): EventOf<'OrderSubmitted'> => ({
  type: 'OrderSubmitted',
  ref: refOf(n),
  request: n,
  strategy: 'main' as StrategyId,
  key: 'q',
  market: MARKET,
  side: 'home',
  odds: 105 as AmericanOdds,
  risk: 5000 as Cents,
  why: undefined,
  fair: 0.5,
  ...changes,
});

export const rested = (n: number, changes: Partial<EventOf<'OrderRested'>> = {}): EventOf<'OrderRested'> => ({
  type: 'OrderRested',
  ref: refOf(n),
  orderId: undefined,
  ahead: 100e6 as Micros,
  rank: 2,
  fair: 0.5,
  ...changes,
});

export const ended = (n: number, how = 'cancel', filled = 0): EventOf<'OrderEnded'> => ({
  type: 'OrderEnded',
  ref: refOf(n),
  how,
  filled: filled as Micros,
  lifeMs: 0,
});

/** A fill on home at +105 with risk 100 at a fair price of .5000. */
export const filled = (txId: string, changes: Partial<EventOf<'Fill'>> = {}): EventOf<'Fill'> => ({
  type: 'Fill',
  txId: txId as TxId,
  gameId: 'g1' as GameId,
  market: MARKET,
  side: 'home',
  odds: 105 as AmericanOdds,
  risk: 100e6 as Micros,
  win: 105e6 as Micros,
  isOwn: true,
  ref: refOf(1),
  strategy: 'main' as StrategyId,
  source: 'feed',
  game: { league: 'NBA', sport: 'basketball', name: 'Away @ Home', start: START, live: false },
  fair: 0.5,
  position: { first: 105e6 as Micros, second: -100e6 as Micros },
  before: { consensus: 0.5 },
  past: {},
  ...changes,
});

export const settled = (txId: string, profit: number): EventOf<'Settled'> => ({
  type: 'Settled',
  txId: txId as TxId,
  profit: profit as Micros,
  commission: 0 as Micros,
  isReported: true,
  source: 'graded',
  result: undefined,
});
