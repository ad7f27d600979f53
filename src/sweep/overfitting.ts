// The probability of backtest overfitting: Bailey, Borwein, López de Prado and Zhu, "The probability of
// backtest overfitting" (2015), by combinatorially symmetric cross-validation. Days are cut into 16 blocks.
// For every choice of eight blocks, the point that is best on them is ranked among all points on the other
// eight. The probability is how often it is in the worse half.
import { createRandom } from '../domain/index.ts';

export const BLOCKS = 16;
const HALF = BLOCKS / 2;
/** Most additions for all splits together; beyond that a random part of the splits is used. */
const MOST_WORK = 400_000_000;

/** The value of a point on each day; `per`: the divisors, such as permits. */
export type DailyFigures = {
  readonly value: Float64Array;
  /** Divisors by day; undefined when the figure is a sum. */
  readonly per: Float64Array | undefined;
};

export type Overfitting = {
  readonly probability: number;
  /** Number of splits that were used, of 12,870. */
  readonly splits: number;
};

/** The probability of overfitting. Undefined with fewer days than blocks, or fewer than two points. */
export function overfittingOf(points: readonly DailyFigures[], seed = 1): Overfitting | undefined {
  const days = points[0]?.value.length ?? 0;
  if (days < BLOCKS || points.length < 2) return undefined;
  const values = points.map(({ value }) => blockSums(value));
  const pers = points.map(({ per }) => (per === undefined ? undefined : blockSums(per)));
  const splits = splitsOf(Math.floor(MOST_WORK / (points.length * BLOCKS)), seed);
  const outside = new Float64Array(points.length);
  let worse = 0;
  for (const split of splits) {
    let best = 0;
    let most = Number.NEGATIVE_INFINITY;
    for (let p = 0; p < points.length; p++) {
      const value = values[p] ?? NONE;
      const per = pers[p];
      let [inValue, outValue, inPer, outPer] = [0, 0, 0, 0];
      for (let b = 0; b < BLOCKS; b++) {
        const isIn = ((split >>> b) & 1) === 1;
        if (isIn) inValue += value[b] ?? 0;
        else outValue += value[b] ?? 0;
        if (per === undefined) continue;
        if (isIn) inPer += per[b] ?? 0;
        else outPer += per[b] ?? 0;
      }
      const inside = per === undefined ? inValue : ratio(inValue, inPer);
      outside[p] = per === undefined ? outValue : ratio(outValue, outPer);
      if (inside <= most) continue;
      most = inside;
      best = p;
    }
    const own = outside[best] ?? 0;
    let below = 0;
    let equal = 0;
    for (let p = 0; p < points.length; p++) {
      const other = outside[p] ?? 0;
      if (other < own) below += 1;
      else if (other === own) equal += 1;
    }
    // equal values share their ranks, and the exact middle counts as half: for noise the probability is ½
    // with any number of points
    const rank = below + (equal + 1) / 2;
    const middle = (points.length + 1) / 2;
    if (rank < middle) worse += 1;
    else if (rank === middle) worse += 0.5;
  }
  return { probability: worse / splits.length, splits: splits.length };
}

const NONE = new Float64Array(BLOCKS);
const ratio = (value: number, per: number): number => (per === 0 ? 0 : value / per);

/** Sums of consecutive days in blocks of nearly equal length. */
function blockSums(daily: Float64Array): Float64Array {
  const sums = new Float64Array(BLOCKS);
  for (let day = 0; day < daily.length; day++) {
    const block = Math.floor((day * BLOCKS) / daily.length);
    sums[block] = (sums[block] ?? 0) + (daily[day] ?? 0);
  }
  return sums;
}

/** Choices of half of the blocks, as bits: all of them, or at most `most` random ones. */
function splitsOf(most: number, seed: number): readonly number[] {
  const all: number[] = [];
  for (let bits = 0; bits < 1 << BLOCKS; bits++) if (countOf(bits) === HALF) all.push(bits);
  if (all.length <= most) return all;
  const random = createRandom(seed, 'overfitting');
  for (let index = all.length - 1; index > 0; index--) {
    const other = Math.floor(random.next() * (index + 1));
    [all[index], all[other]] = [all[other] ?? 0, all[index] ?? 0];
  }
  return all.slice(0, Math.max(100, most));
}

function countOf(bits: number): number {
  let count = 0;
  for (let left = bits; left !== 0; left &= left - 1) count += 1;
  return count;
}
