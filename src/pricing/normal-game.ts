// Games with many points: margin and total are normal, rounded to whole points.
import type { DrawRule } from '../domain/index.ts';
import { normalBelow } from './normal.ts';
import type { Axis } from './score-grid.ts';
import { productLayer, ScoreGrid, sumOf } from './score-grid.ts';

/** In points. */
export type NormalGame = {
  readonly margin: { readonly mean: number; readonly deviation: number };
  /** Undefined when nothing is known of it. */
  readonly total: { readonly mean: number; readonly deviation: number } | undefined;
  /** Of margin and total, −0.1 … 0.1. */
  readonly correlation: number;
  /** How much more often a margin of this size occurs than the normal distribution says; 1 beyond the end. */
  readonly marginWeights: readonly number[];
  /** What follows a level score in a game under way. Undefined before the start: the weights contain it. */
  readonly overtime: Overtime | undefined;
  readonly draw: DrawRule;
};

export type Overtime = {
  readonly mean: number;
  readonly deviation: number;
  /** The share of games that are level after it. */
  readonly level: number;
};

/** Axes made last: a fit moves one parameter at a time, and most of its models share an axis. */
const RECENT: { readonly key: readonly unknown[]; readonly axis: Axis }[] = [];
const MOST_RECENT = 6;

function recentAxis(key: readonly unknown[], make: () => Axis): Axis {
  const place = RECENT.findIndex(
    (known) => known.key.length === key.length && known.key.every((part, index) => part === key[index]),
  );
  const [known = { key, axis: make() }] = place < 0 ? [] : RECENT.splice(place, 1);
  RECENT.unshift(known);
  if (RECENT.length > MOST_RECENT) RECENT.pop();
  return known.axis;
}

export function normalGrid({ margin, total, correlation, marginWeights, overtime, draw }: NormalGame): ScoreGrid {
  const weightOf = (value: number): number =>
    value === 0 && draw === 'impossible' ? 0 : (marginWeights[Math.abs(value)] ?? 1);
  const { mean, deviation } = margin;
  const margins = recentAxis([mean, deviation, marginWeights, draw, overtime], () =>
    overtime === undefined
      ? roundedNormal(mean, deviation, weightOf)
      : afterOvertime(
          roundedNormal(mean, deviation, (value) => (value === 0 ? 1 : weightOf(value))),
          overtime,
          (value) => (value === 0 ? 0 : weightOf(value)),
        ),
  );
  const totals =
    total === undefined
      ? NOTHING
      : recentAxis([total.mean, total.deviation], () => roundedNormal(total.mean, total.deviation));
  return new ScoreGrid(draw, [productLayer(margins, totals, total === undefined ? 0 : correlation)], {
    hasTotal: total !== undefined,
  });
}

/** Plays on after each level score. */
function afterOvertime(
  regulation: Axis,
  { mean, deviation, level }: Overtime,
  weightOf: (margin: number) => number,
): Axis {
  const added = roundedNormal(mean, deviation, weightOf);
  const all = sumOf(added.weights);
  const from = Math.min(regulation.from, added.from);
  const to = Math.max(regulation.from + regulation.weights.length, added.from + added.weights.length);
  const weights = new Float64Array(to - from);
  weights.set(regulation.weights, regulation.from - from);
  const ties = weights[0 - from] ?? 0;
  weights[0 - from] = ties * level;
  for (const [index, weight] of added.weights.entries()) {
    const place = added.from + index - from;
    weights[place] = (weights[place] ?? 0) + (ties * (1 - level) * weight) / all;
  }
  return { from, weights };
}

const NOTHING: Axis = { from: 0, weights: Float64Array.of(1) };

/** Standard deviations kept on each side: values beyond have a probability below 10^-11. */
const FAR = 7;
const LARGEST = 10_000;
const WIDEST = 300;

/** @throws RangeError when the mean or the deviation is no number of points */
export function roundedNormal(mean: number, deviation: number, weightOf?: (value: number) => number): Axis {
  if (!(deviation >= 0 && deviation <= WIDEST && Math.abs(mean) <= LARGEST))
    throw new RangeError(`expected a mean and a deviation in points: ${mean}, ${deviation}`);
  // nothing is left to play
  if (deviation === 0) return { from: Math.round(mean), weights: Float64Array.of(1) };
  // one value more on each side: with a weight of 0 at 0, something must be left
  const from = Math.floor(mean - FAR * deviation) - 1;
  const weights = new Float64Array(Math.ceil(mean + FAR * deviation) + 1 - from + 1);
  let below = normalBelow((from - 0.5 - mean) / deviation);
  for (let index = 0; index < weights.length; index++) {
    const upTo = normalBelow((from + index + 0.5 - mean) / deviation);
    const weight = upTo - below;
    weights[index] = weightOf === undefined ? weight : weight * weightOf(from + index);
    below = upTo;
  }
  return { from, weights };
}
