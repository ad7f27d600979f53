// What a market was like before a run, for strategies with `warmUp`.
import type { MarketId } from './market.ts';
import type { AmericanOdds } from './odds.ts';

/** Fair prices and takes of a market before the run, oldest first. Lists, since they may be many. */
export type MarketPast = {
  readonly market: MarketId;
  /** When prices began to be known, where not all of them are listed; Unix ms. */
  readonly since?: number;
  /** Unix ms, and the fair probability of the first side. */
  readonly prices: readonly (readonly [t: number, p: number])[];
  /** Unix ms, the index of the side that was taken, its odds, and the stake of its owner, micro-dollars. */
  readonly takes: readonly (readonly [t: number, side: 0 | 1, odds: AmericanOdds, risk: number])[];
};
