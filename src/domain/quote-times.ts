// For how long offers rested, how far from the fair price, and how far what others took reached: sums of a run.

/** Edges of the distances from fair, as probabilities, that quotes and fills are counted by. */
export const DISTANCES = [0, 0.005, 0.01, 0.015, 0.02, 0.03, 0.05] as const;

/** For how long offers rested, ms. An offer of one side of one market counts by itself. */
export type QuoteTimes = {
  /** Offers, each for as long as it rested. */
  readonly ms: number;
  /** Markets with an offer on some side; with one on both. */
  readonly marketMs: number;
  readonly twoSidedMs: number;
  /** Offers at the best price of their side, or better. */
  readonly bestMs: number;
  /** Offers while there was a fair price; the sum of distance × ms; by distance, as DISTANCES has them: below 0 first. */
  readonly pricedMs: number;
  readonly distanceMs: number;
  readonly byDistance: readonly number[];
  /** The same three, each offer weighted by its payout in dollars. */
  readonly weighted: {
    readonly pricedMs: number;
    readonly distanceMs: number;
    readonly byDistance: readonly number[];
  };
};

/** To count from. */
export const noTimes = () => ({
  ms: 0,
  marketMs: 0,
  twoSidedMs: 0,
  bestMs: 0,
  pricedMs: 0,
  distanceMs: 0,
  byDistance: new Array<number>(DISTANCES.length + 1).fill(0),
  weighted: { pricedMs: 0, distanceMs: 0, byDistance: new Array<number>(DISTANCES.length + 1).fill(0) },
});

export const NO_QUOTES: QuoteTimes = noTimes();

/**
 * What others took from others in markets that were quoted: an increase of what is taken of an offer that stays. `byReach`: takes
 * by the furthest distance from fair that they reached, as DISTANCES has them. `ms`: one side of one market with a fair price.
 */
export type TakeCounts = { readonly ms: number; readonly byReach: readonly number[] };

export const NO_TAKES: TakeCounts = { ms: 0, byReach: new Array<number>(DISTANCES.length + 1).fill(0) };

/** The bucket of a distance: 0 below the first edge. */
export const distanceBucket = (distance: number): number => {
  const above = DISTANCES.findIndex((edge) => distance < edge);
  return above === -1 ? DISTANCES.length : above;
};
