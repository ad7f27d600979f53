// Arbitraries for property tests of pure code: prices on the ladder, amounts and the markets of one game.
import fc from 'fast-check';
import type { GameId, Market, Micros, Rung, Side } from '../../src/domain/index.ts';
import { MAX_ABS_ODDS, market } from '../../src/domain/index.ts';

export const GAME = 'g1' as GameId;
export const MAX_RUNG = (MAX_ABS_ODDS - 100) * 10;

/** Any price of the ladder, often one near ±100. */
export const rungs: fc.Arbitrary<Rung> = fc
  .oneof(
    fc.integer({ min: -30, max: 30 }),
    fc.integer({ min: -9000, max: 9000 }),
    fc.integer({ min: -MAX_RUNG, max: MAX_RUNG }),
  )
  .map((n) => (n + 0) as Rung);

/** Prices that are traded: −1000 … +1000, in half points. */
export const tradedRungs: fc.Arbitrary<Rung> = fc.integer({ min: -1800, max: 1800 }).map((n) => (n * 5 + 0) as Rung);

/** Up to a million dollars. */
export const amounts: fc.Arbitrary<Micros> = fc.integer({ min: 0, max: 1_000_000_000_000 }).map((n) => n as Micros);

const quarters = (min: number, max: number): fc.Arbitrary<number> =>
  fc.integer({ min: min * 4, max: max * 4 }).map((n) => n / 4);

/** Moneyline, spreads within ±10 and totals within 20 … 80, on whole, half and quarter lines. */
export const markets: fc.Arbitrary<Market> = fc.oneof(
  fc.constant(market(GAME, 'moneyline')),
  quarters(-10, 10).map((line) => market(GAME, 'spread', line)),
  quarters(20, 80).map((line) => market(GAME, 'total', line)),
);

export const sideOf = (betMarket: Market, index: number): Side => betMarket.sides[index === 0 ? 0 : 1];
