// The gates of `markets.select`: what keeps a market out, whatever it would bring.
import type { SelectGates } from './settings.ts';

/** A gate that is closed. */
export type Gate =
  /** no strategy wants a quote there */
  | 'unwanted'
  /** a side has no offer of others, or the book is crossed */
  | 'one-sided'
  /** the best offers are too far apart */
  | 'spread'
  /** the fair price is so near 0 or 1 that there is no market */
  | 'pinned'
  /** the book was not confirmed for too long */
  | 'price-age'
  /** takers come too rarely */
  | 'takes';

/** What the gates read of a market. */
export type GatedMarket = {
  /** What the wanted quotes pay out, dollars. */
  readonly payout: number;
  /** The price of the others' book, however wide. Undefined for one that is one-sided or crossed. */
  readonly consensus: { readonly p: number; readonly spread: number } | undefined;
  /** Time since the older side of the book was confirmed. */
  readonly ageMs: number;
  /** Takes seen on both sides, an hour. */
  readonly takes: number;
};

/** The first closed gate of a market. Undefined when all are open. */
export function gateOf({ payout, consensus, ageMs, takes }: GatedMarket, gates: SelectGates): Gate | undefined {
  if (payout <= 0) return 'unwanted';
  if (consensus === undefined) return 'one-sided';
  if (consensus.spread > gates.maxSpread) return 'spread';
  if (consensus.p < gates.pinned || consensus.p > 1 - gates.pinned) return 'pinned';
  if (ageMs > gates.maxPriceAgeMs) return 'price-age';
  return takes < gates.minTakesPerHour ? 'takes' : undefined;
}
