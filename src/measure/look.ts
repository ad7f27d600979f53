// A quoted market at one moment: own offers, and the prices around them.
import type { Market, Phase, Side } from '../domain/index.ts';

/** What of an offer counts here. `price`: probability of its side. */
export type Offered = {
  readonly market: Market;
  readonly side: Side;
  readonly price: number;
  /** Of what is left of it, dollars. */
  readonly payoutLeft: () => number;
};

/** Where its game stands; fair price of the first side, and the best prices of the others by side; undefined: none. */
export type MarketLook = {
  readonly phase: Phase;
  readonly league: string;
  readonly fair: number | undefined;
  readonly best: readonly [number | undefined, number | undefined];
};
