// What a strategy wants resting on one market *now*. An intent replaces the former one of the same strategy and market.
import type { MarketId, Side } from './market.ts';
import type { Cents } from './money.ts';
import type { AmericanOdds } from './odds.ts';

/**
 * One quote of an intent. `risk` is the stake in cents; the price is American odds, or a probability in (0,1) that is
 * rounded to the next rung in the owner's favour. `key` tells apart several quotes on one side (default: by rank).
 */
export type Quote = { readonly side: Side; readonly risk: Cents; readonly key?: string } & (
  { readonly odds: AmericanOdds } | { readonly probability: number }
);

export type QuoteIntent = {
  readonly market: MarketId;
  readonly quotes: readonly Quote[];
  /** Free text for people: shown in logs and by `why`. */
  readonly reason?: string;
};
