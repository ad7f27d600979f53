// The quotes that a strategy wants on one market *now*. An intent replaces the former one of the same
// strategy and market.
import type { StrategyId } from './brand.ts';
import type { MarketId, Side } from './market.ts';
import type { Cents } from './money.ts';
import type { AmericanOdds, Rung } from './odds.ts';
import { crosses, rungAtMost, toRung } from './odds.ts';

/** One quote of an intent. */
export type Quote = {
  /** The side that the quote backs. */
  readonly side: Side;
  /** The stake, cents. */
  readonly risk: Cents;
  /** Distinguishes several quotes on one side. Default: their rank. */
  readonly key?: string;
} & (
  | {
      /** The price as American odds. */
      readonly odds: AmericanOdds;
    }
  | {
      /** The price as a probability in (0,1), rounded to the next rung in the owner's favour. */
      readonly probability: number;
    }
);

/**
 * All quotes that a strategy wants on one market from now on; none when empty. It replaces the intent before.
 */
export type QuoteIntent = {
  /** The id of the market. */
  readonly market: MarketId;
  /** The quotes. An empty list withdraws all quotes of the market. */
  readonly quotes: readonly Quote[];
  /** Free text for people: shown in logs and by `why`. */
  readonly reason?: string;
  /**
   * The strategy's fair price: probability of the market's first side (home, over), in (0,1). It sets no
   * quote. Figures of fills that need an own price (picked off, scores) use it instead of the consensus. With
   * `risk.bandWithout: own` it sets the price band where no other source prices the market.
   */
  readonly fair?: number;
  /** How the strategy quotes the market now, shown on the page and in the journal whenever it changes. */
  readonly regime?: Regime;
};

/**
 * How a strategy quotes a market. `quoting`: as usual. `wide`: further from fair. `pulled`: not at all for a
 * while, after a jump. `reduce-only`: on the side alone that reduces what is held. `closed`: not any more.
 */
export type Regime = 'quoting' | 'wide' | 'pulled' | 'reduce-only' | 'closed';
export const REGIMES: readonly Regime[] = ['quoting', 'wide', 'pulled', 'reduce-only', 'closed'];

/** The newest intent of a strategy for a market. */
export type HeldIntent = {
  readonly strategy: StrategyId;
  readonly intent: QuoteIntent;
  /** The sequence number of its input. */
  readonly seq: number;
  /** True when the bot withdrew the quotes, and not the strategy itself. */
  readonly isWithdrawn: boolean;
};

/**
 * The rung of a quote: its price rounded in the owner's favour onto the grid of own prices, and behind the
 * others' best offer on the opposite side, since every quote is `post`. Undefined when its price is not a
 * valid one.
 * @param across best rung of the others on the opposite side
 * @param step points of odds between two own prices
 */
export function rungOfQuote(quote: Quote, across: Rung | undefined, step: number): Rung | undefined {
  const grid = Math.max(1, Math.round(step * 10));
  const asked = 'probability' in quote ? rungAtMost(quote.probability, step) : toRung(quote.odds);
  if (asked === undefined) return undefined;
  const rung = (Math.ceil(asked / grid) * grid + 0) as Rung;
  const isCrossing = across !== undefined && crosses(rung, across);
  return isCrossing ? ((Math.floor(-across / grid) * grid + grid) as Rung) : rung;
}
