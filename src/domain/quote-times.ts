// How long offers rested, how far they were from the fair price, and how far others' takes reached: sums of a
// run.
import type { MarketType } from './market.ts';

/**
 * Edges of the buckets for distances from the fair price, as probabilities; quotes and fills are counted by
 * them.
 */
export const DISTANCES = [0, 0.005, 0.01, 0.015, 0.02, 0.03, 0.05] as const;

/** The time of offers with a known fair price by distance (DISTANCES), and the sum of distance × ms there. */
export type TimesByDistance = { readonly ms: readonly number[]; readonly distanceMs: readonly number[] };

/** How long offers rested, ms. An offer counts for its side of its market alone. */
export type QuoteTimes = {
  /** The sum of the resting times of all offers. */
  readonly ms: number;
  /** The time of markets with an offer on at least one side; and on both sides. */
  readonly marketMs: number;
  readonly twoSidedMs: number;
  /** The time of offers at the best price of their side, or better. */
  readonly bestMs: number;
  /**
   * The time of offers with a known fair price; the sum of distance × ms; and the time by distance
   * (DISTANCES), below 0 first.
   */
  readonly pricedMs: number;
  readonly distanceMs: number;
  readonly byDistance: readonly number[];
  /** The three sums above, each offer weighted by its payout in dollars. */
  readonly weighted: {
    readonly pricedMs: number;
    readonly distanceMs: number;
    readonly byDistance: readonly number[];
  };
  /** The time by distance of each type of market. Absent: the version that counted did not keep it. */
  readonly byType?: Readonly<Partial<Record<MarketType, TimesByDistance>>>;
};

const noBuckets = (): number[] => new Array<number>(DISTANCES.length + 1).fill(0);

/** Zero times by distance, to start counting. */
export const noTimesByDistance = () => ({ ms: noBuckets(), distanceMs: noBuckets() });

/** Zero times, to start counting. */
export const noTimes = () => ({
  ms: 0,
  marketMs: 0,
  twoSidedMs: 0,
  bestMs: 0,
  pricedMs: 0,
  distanceMs: 0,
  byDistance: noBuckets(),
  weighted: { pricedMs: 0, distanceMs: 0, byDistance: noBuckets() },
  byType: {} as Partial<Record<MarketType, ReturnType<typeof noTimesByDistance>>>,
});

export const NO_QUOTES: QuoteTimes = noTimes();

/**
 * Takes between others in quoted markets, seen as an increase of the taken part of an offer that stays.
 * `byReach`: the number of takes by the furthest distance from fair that they reached (DISTANCES). `ms`: the
 * observed time of sides with a fair price.
 */
export type TakeCounts = { readonly ms: number; readonly byReach: readonly number[] };

export const NO_TAKES: TakeCounts = { ms: 0, byReach: noBuckets() };

/** The bucket of a distance; 0 below the first edge. */
export const distanceBucket = (distance: number): number => {
  const above = DISTANCES.findIndex((edge) => distance < edge);
  return above === -1 ? DISTANCES.length : above;
};
