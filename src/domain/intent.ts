// What a strategy wants resting on one market *now*. An intent replaces the former one of the same strategy and market.
import type { StrategyId } from './brand.ts';
import type { MarketId, Side } from './market.ts';
import type { Cents } from './money.ts';
import type { AmericanOdds, Rung } from './odds.ts';
import { crosses, rungAtMost, toRung } from './odds.ts';

/**
 * One quote of an intent. `risk` is the stake in cents; the price is American odds, or a probability in (0,1) that is
 * rounded to the next rung in the owner's favour. `key` tells apart several quotes on one side (default: by rank).
 */
export type Quote = { readonly side: Side; readonly risk: Cents; readonly key?: string } & (
  { readonly odds: AmericanOdds } | { readonly probability: number }
);

/** All that a strategy wants resting on one market from now on; no quotes: nothing. It replaces the intent before. */
export type QuoteIntent = {
  readonly market: MarketId;
  readonly quotes: readonly Quote[];
  /** Free text for people: shown in logs and by `why`. */
  readonly reason?: string;
  /**
   * What the strategy takes the market to be worth: probability of its first side (home, over), in (0,1). Nothing is quoted by
   * it; figures of fills go by it instead of the consensus where they ask for an own price: picked off, scores. With
   * `risk.bandWithout: own` the price band goes by it where nothing else says what the market is worth.
   */
  readonly fair?: number;
};

/** The newest intent of a strategy for a market. */
export type HeldIntent = {
  readonly strategy: StrategyId;
  readonly intent: QuoteIntent;
  /** Sequence number of the input that brought it. */
  readonly seq: number;
  /** Its quotes are taken away: not the strategy's own word. */
  readonly isWithdrawn: boolean;
};

/**
 * Where a quote goes on the ladder: its price rounded in the owner's favour onto the grid of own prices, and behind the
 * others' best offer across, since every quote is `post`. Undefined: its price is none.
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
