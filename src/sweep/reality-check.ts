// White's reality check: H. White, "A reality check for data snooping", Econometrica 68 (2000). It tests
// whether the best of many points is better than a benchmark, or only the best of many by chance. Days are
// drawn by the stationary bootstrap of Politis and Romano (1994): consecutive days in blocks of random
// length, so that the dependence between days is kept.
import { createRandom } from '../domain/index.ts';

const DRAWS = 1000;
/** Most additions for all draws together. */
const MOST_WORK = 400_000_000;
const LEAST_DRAWS = 200;
/** Fewest days for the check. */
export const LEAST_DAYS = 16;

export type RealityCheck = {
  /** Probability of a best point at least as good as this one when no point is better than the benchmark. */
  readonly p: number;
  readonly draws: number;
  /** Mean length of a block, days. */
  readonly block: number;
};

/**
 * Runs the check. `points`: a number for each point and day; `benchmark`: the same for what they are compared
 * with, absent: zeros, which means to quote nothing. Undefined: too few days.
 */
export function realityCheck(
  points: readonly Float64Array[],
  benchmark?: Float64Array,
  seed = 1,
): RealityCheck | undefined {
  const days = points[0]?.length ?? 0;
  if (days < LEAST_DAYS) return undefined;
  const above = points.map((values) => values.map((value, day) => value - (benchmark?.[day] ?? 0)));
  const means = above.map(meanOf);
  const most = Math.max(...means);
  // no point is better than the benchmark
  if (!(most > 0)) return { p: 1, draws: 0, block: blockOf(days) };
  const draws = Math.max(LEAST_DRAWS, Math.min(DRAWS, Math.floor(MOST_WORK / (points.length * days))));
  const random = createRandom(seed, 'reality check');
  const weights = new Float64Array(days);
  const block = blockOf(days);
  let reached = 0;
  for (let draw = 0; draw < draws; draw++) {
    weights.fill(0);
    let day = 0;
    for (let drawn = 0; drawn < days; drawn++) {
      day = drawn === 0 || random.next() < 1 / block ? Math.floor(random.next() * days) : (day + 1) % days;
      weights[day] = (weights[day] ?? 0) + 1;
    }
    let highest = Number.NEGATIVE_INFINITY;
    for (const [index, values] of above.entries()) {
      let sum = 0;
      for (let index = 0; index < days; index++) sum += (weights[index] ?? 0) * (values[index] ?? 0);
      highest = Math.max(highest, sum / days - (means[index] ?? 0));
    }
    if (highest >= most) reached += 1;
  }
  return { p: reached / draws, draws, block };
}

/** Mean block length: days are nearly independent, so short blocks suffice. */
const blockOf = (days: number): number => Math.max(1, Math.round(days ** (1 / 3)));

const meanOf = (values: Float64Array): number => values.reduce((sum, value) => sum + value, 0) / values.length;
