// How much of the variation of a figure each parameter explains by itself: the first-order part of a functional
// analysis of variance (F. Hutter, H. Hoos and K. Leyton-Brown, "An efficient approach for assessing
// hyperparameter importance", ICML 2014). The points are put into groups by the value of the parameter. The
// share is epsilon squared (T. L. Kelley, 1935): (B - (k - 1) W / (n - k)) / (B + W), with B and W the sums of
// squares between and within k groups of n points. Unlike B / (B + W) it is not above 0 for pure noise on average.
// p is the part of random orders of the figures that give a B as large.
import { createRandom } from '../domain/index.ts';
import type { Point } from './point.ts';
import type { Dimension } from './scale.ts';
import { isOrdered, scaledOf } from './scale.ts';

/** Fewest points for a share, and fewest more points than groups. */
export const LEAST_POINTS = 10;
const LEAST_FREE = 5;
/** Most groups of a parameter with many values. */
const MOST_GROUPS = 8;
const LEAST_IN_GROUP = 4;
const DRAWS = 999;
const LEAST_DRAWS = 99;
/** Most additions for all random orders of a figure. */
const MOST_WORK = 200_000_000;

export type Importance = {
  readonly name: string;
  /** The share of the variation that the parameter explains alone, 0 … 1; undefined: too few points. */
  readonly share: number | undefined;
  /** The probability of such a share if the parameter changed nothing. */
  readonly p: number | undefined;
  readonly groups: number;
};

/** The importance of each parameter, the largest first. `points`: with the known figure of each. */
export function importanceOf(
  dimensions: readonly Dimension[],
  points: readonly { readonly point: Point; readonly figure: number }[],
  seed: number,
): readonly Importance[] {
  const figures = points.map(({ figure }) => figure);
  const draws = Math.max(
    LEAST_DRAWS,
    Math.min(DRAWS, Math.floor(MOST_WORK / Math.max(1, points.length * dimensions.length))),
  );
  return dimensions
    .map((dimension, index): Importance => {
      const groups = groupsOf(
        dimension,
        points.map(({ point }) => point),
        index,
      );
      const count = Math.max(0, ...groups) + 1;
      const enough = points.length >= LEAST_POINTS && points.length - count >= LEAST_FREE && count > 1;
      const all = sumOfSquares(figures);
      if (!enough || !(all > 0))
        return { name: dimension.name, share: undefined, p: undefined, groups: points.length === 0 ? 0 : count };
      const between = betweenOf(figures, groups, count);
      const within = (all - between) / (points.length - count);
      const share = Math.min(1, Math.max(0, (between - (count - 1) * within) / all));
      const p = chanceOf({ figures, groups, count, between, draws, seed, name: dimension.name });
      return { name: dimension.name, share, p, groups: count };
    })
    .sort((a, b) => (b.share ?? -1) - (a.share ?? -1));
}

/** The group of each point: one for each value, or equal numbers of points in the order of the values. */
function groupsOf(dimension: Dimension, points: readonly Point[], index: number): readonly number[] {
  const values = points.map(({ settings }) => settings[index] ?? { text: '', value: undefined });
  const texts = [...new Set(values.map(({ text }) => text))];
  if (!isOrdered(dimension) || texts.length <= MOST_GROUPS) return values.map(({ text }) => texts.indexOf(text));
  const places = values.map((value) => scaledOf(dimension, value));
  const sorted = [...places].sort((a, b) => a - b);
  const count = Math.max(2, Math.min(MOST_GROUPS, Math.floor(points.length / LEAST_IN_GROUP)));
  const groups = places.map((place) => Math.floor((sorted.indexOf(place) * count) / points.length));
  // equal values are in one group, so some numbers may be free
  const used = [...new Set(groups)].sort((a, b) => a - b);
  return groups.map((group) => used.indexOf(group));
}

function sumOfSquares(figures: readonly number[]): number {
  const mean = figures.reduce((sum, figure) => sum + figure, 0) / Math.max(1, figures.length);
  return figures.reduce((sum, figure) => sum + (figure - mean) ** 2, 0);
}

/** The sum of squares between groups. */
function betweenOf(figures: readonly number[], groups: readonly number[], count: number): number {
  const mean = figures.reduce((sum, figure) => sum + figure, 0) / figures.length;
  const sums = new Float64Array(count);
  const sizes = new Float64Array(count);
  for (const [index, group] of groups.entries()) {
    sums[group] = (sums[group] ?? 0) + (figures[index] ?? 0) - mean;
    sizes[group] = (sizes[group] ?? 0) + 1;
  }
  return sums.reduce((all, sum, group) => all + sum ** 2 / Math.max(1, sizes[group] ?? 1), 0);
}

type Chance = {
  readonly figures: readonly number[];
  readonly groups: readonly number[];
  readonly count: number;
  readonly between: number;
  readonly draws: number;
  readonly seed: number;
  readonly name: string;
};

function chanceOf({ figures, groups, count, between, draws, seed, name }: Chance): number {
  const random = createRandom(seed, `importance ${name}`);
  const mixed = [...figures];
  // sums in another order differ in their last digits
  const reached = between * (1 - 1e-9);
  let asLarge = 0;
  for (let draw = 0; draw < draws; draw++) {
    for (let index = mixed.length - 1; index > 0; index--) {
      const other = Math.floor(random.next() * (index + 1));
      [mixed[index], mixed[other]] = [mixed[other] ?? 0, mixed[index] ?? 0];
    }
    if (betweenOf(mixed, groups, count) >= reached) asLarge += 1;
  }
  return (asLarge + 1) / (draws + 1);
}
