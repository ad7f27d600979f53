// The times at which the prices of a fill are recorded, and the phase of its game.

/** The seconds after a fill at which its price is recorded. */
export const MARKOUT_SECONDS = [1, 5, 10, 30, 60, 300] as const;
export type MarkoutSeconds = (typeof MARKOUT_SECONDS)[number];

/** The distance to the earlier price for the comparison of fills that were picked off, ms. */
export const PAST_MS = 5000;

/** True when a game is in play: its fills then close with the last price, and not with that of the start. */
export const isInPlay = (game: { readonly start: number; readonly live: boolean } | undefined, t: number): boolean =>
  game !== undefined && (game.live || t >= game.start);

/**
 * The age of the price before the cause of a fill, ms. The report of a fill, and the book without the offer
 * that filled it, are on their way at the same time, and either may come first: the price this long before
 * the report is the one before the cause. With a shorter time it would be the price after the cause; with a
 * longer one it would miss moves right before it. With a latency of 80 ms, 30 ms more or less, the spread
 * captured of a run of 3,608 fills was 732 dollars with 0, 968 with 25, 1,041 with 50 and 1,105 with 500; at
 * the venue it was 953.
 */
export const CAUSE_MS = 25;
