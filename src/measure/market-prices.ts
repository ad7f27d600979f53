// The state of a quoted market at one moment: own offers, and the prices around them.
import type { Market, Phase, Side } from '../domain/index.ts';

/** The fields of an own offer that are measured. `price`: probability of its side. */
export type OwnQuote = {
  readonly market: Market;
  readonly side: Side;
  readonly price: number;
  /** The remaining payout, dollars. */
  readonly payoutLeft: () => number;
};

/**
 * The phase and league of a market's game, the fair price of its first side, and the others' best price by
 * side. Prices are probabilities; undefined when there is none.
 */
export type MarketPrices = {
  readonly phase: Phase;
  readonly league: string;
  readonly fair: number | undefined;
  readonly best: readonly [number | undefined, number | undefined];
};
