// The joint distribution of how a game ends: margin (home − away), total, and who wins the moneyline. All
// prices of the game are sums over it, so they agree with each other. The rule for a level score is in it: where
// play goes on until one side wins, no score of the grid is level.
import type { DrawRule } from '../domain/index.ts';
import type { Distribution, LinePrice } from './line-price.ts';
import { Cumulative, NO_PRICE, priceOf } from './line-price.ts';

/** The outcome of a moneyline. */
export type Winner = 'home' | 'draw' | 'away';

/** Whole numbers from `from`, each with a weight. */
export type Axis = { readonly from: number; readonly weights: Float64Array };

/**
 * A part of a grid. The weight of a score is `joint[row × totals + column]` where there is one. Else it is the
 * product of the weights of its margin and its total, times 1 + correlation × z(margin) × z(total).
 */
export type Layer = {
  /** The winner of all its scores. `by-margin`: the side with the higher score. */
  readonly winner: 'by-margin' | 'home' | 'away';
  readonly margin: Axis;
  readonly total: Axis;
  readonly joint?: Float64Array;
  /** Of margin and total, not yet set up: it is costly, and prices of lines do not need it. */
  readonly correlation?: number;
  readonly tie?: Correlation;
};

/** A weak dependence of two axes: standard scores of each value, cut off so that no weight is negative. */
type Correlation = { readonly by: number; readonly margin: Float64Array; readonly total: Float64Array };

/** A score of a grid. */
export type Score = {
  /** Home's score minus away's. */
  readonly margin: number;
  /** The sum of both scores. */
  readonly total: number;
  /** Who wins the moneyline. */
  readonly winner: Winner;
  /** The probability of the score. */
  readonly p: number;
};

/** What bets bring at a score, in parts that depend on the margin, the total and the winner. */
export type Payoff = {
  /** By the margin. @param margin home's score minus away's */
  readonly margin: (margin: number) => number;
  /** By the total. @param total the sum of both scores */
  readonly total: (total: number) => number;
  /** By the winner of the moneyline. */
  readonly winner: Readonly<Record<Winner, number>>;
};

/** Whole numbers, both ends included. */
export type Range = {
  /** The lowest. */
  readonly from: number;
  /** The highest. */
  readonly to: number;
};

/** Neighbouring scores at which bets bring the same. */
export type Region = {
  /** Home's score minus away's. */
  readonly margin: Range;
  /** The sum of both scores. */
  readonly total: Range;
  /** What the bets bring. */
  readonly value: number;
  /** The probability of all its scores. */
  readonly p: number;
};

/** The logarithm of a factor on the weight of each score: the sum of parts by the margin, the total and the winner. */
export type Factors = {
  /** By the margin. @param margin home's score minus away's */
  readonly margin: (margin: number) => number;
  /** By the total. @param total the sum of both scores */
  readonly total: (total: number) => number;
  /** By the winner. @param winner who wins the moneyline */
  readonly winner: (winner: Winner) => number;
};

/** The joint distribution of margin, total and winner of a game. */
export class ScoreGrid {
  /** What a level score does to a moneyline. With `impossible` no score is level. */
  readonly draw: DrawRule;
  /** False when nothing is known of the total, as in play without the score. */
  readonly hasTotal: boolean;
  readonly #layers: readonly Layer[];
  /** The weight of each winner. */
  #winners: Readonly<Record<Winner, number>> | undefined;
  #margin: { readonly distribution: Distribution; readonly sums: Cumulative } | undefined;
  #total: { readonly distribution: Distribution; readonly sums: Cumulative } | undefined;

  /** @internal `modelFor` makes grids. */
  constructor(draw: DrawRule, layers: readonly Layer[], { hasTotal = true } = {}) {
    this.draw = draw;
    this.hasTotal = hasTotal;
    this.#layers = layers;
  }

  /** The distribution of home's score minus away's score. */
  get margin(): Distribution {
    return this.#marginal().distribution;
  }

  /** The distribution of the sum of both scores. */
  get total(): Distribution {
    return this.#totals().distribution;
  }

  /**
   * Prices the moneyline of a side. Where a draw loses both bets, it is part of `lose`.
   * @param side whose bet
   * @returns the price
   */
  moneyline(side: Winner): LinePrice {
    this.#winners ??= winnersOf(this.#layers);
    const { home, draw, away } = this.#winners;
    const all = home + draw + away;
    const win = this.#winners[side] / all;
    const push = side !== 'draw' && this.draw === 'push' ? draw / all : 0;
    return priceOf(win, push, 1 - win - push);
  }

  /**
   * Prices a bet on home at its line.
   * @param homeLine home's line, points
   * @returns the price
   * @throws RangeError when the line is not a multiple of 0.25
   */
  spread(homeLine: number): LinePrice {
    return this.#marginal().sums.above(0 - homeLine);
  }

  /**
   * Prices a bet on the over.
   * @param line the total, points
   * @returns the price
   * @throws RangeError when the line is not a multiple of 0.25
   */
  over(line: number): LinePrice {
    const price = this.#totals().sums.above(line);
    return this.hasTotal ? price : NO_PRICE;
  }

  /**
   * The same scores with other weights.
   * @param factors what each weight is multiplied by
   * @returns the grid with these weights, which add up to 1 again
   */
  reweighted({ margin, total, winner }: Factors): ScoreGrid {
    const shifted = this.#layers.map(tied).map((layer) => {
      const margins = exponents(layer.margin, (value) => margin(value) + winner(winnerOf(layer.winner, value)));
      const totals = exponents(layer.total, total);
      const { joint } = layer;
      return {
        layer,
        margins,
        totals,
        most: joint === undefined ? margins.most + totals.most : mostIn(joint, margins, totals),
      };
    });
    // the largest factor is 1, however large the exponents are
    const most = Math.max(...shifted.map((layer) => layer.most));
    const layers = shifted.map(({ layer, margins, totals }): Layer => {
      const { joint } = layer;
      if (joint === undefined)
        return {
          ...layer,
          margin: scaled(layer.margin, margins.values, most - totals.most),
          total: scaled(layer.total, totals.values, totals.most),
        };
      const width = totals.values.length;
      const weighted = joint.map((weight, index) =>
        weight === 0
          ? 0
          : weight *
            Math.exp((margins.values[Math.floor(index / width)] ?? 0) + (totals.values[index % width] ?? 0) - most),
      );
      return { ...layer, ...axesOf(weighted, layer.margin.from, layer.total.from, width), joint: weighted };
    });
    return new ScoreGrid(this.draw, layers, { hasTotal: this.hasTotal });
  }

  /**
   * What bets bring over all scores.
   * @param payoff what they bring at a score
   * @returns regions that cover all scores that can happen; one region may bring the same as another
   */
  regions(payoff: Payoff): readonly Region[] {
    const layers = this.#layers.map(tied);
    const mass = layers.reduce((sum, layer) => sum + sumOf(marginWeights(layer)), 0);
    return layers.flatMap((layer) => {
      const { winner, margin, total, tie } = layer;
      const ofMargin = (value: number): number => payoff.margin(value) + payoff.winner[winnerOf(winner, value)];
      const rows = segmentsOf(margin, ofMargin, tie?.margin);
      const columns = segmentsOf(total, payoff.total, tie?.total);
      return rows.flatMap((row) =>
        columns.flatMap((column): readonly Region[] => {
          const p = weightIn(layer, row, column) / mass;
          return p > 0
            ? [{ margin: rangeOf(margin, row), total: rangeOf(total, column), value: row.value + column.value, p }]
            : [];
        }),
      );
    });
  }

  /**
   * All scores.
   * @param least scores with a probability up to this are left out
   * @returns each score once, or once for each winner
   */
  *scores(least = 0): Generator<Score, void, void> {
    const layers = this.#layers.map(tied);
    const mass = layers.reduce((sum, layer) => sum + sumOf(marginWeights(layer)), 0);
    for (const layer of layers) {
      const { winner, margin, total } = layer;
      const rows = margin.weights.length;
      const columns = total.weights.length;
      for (let row = 0; row < rows; row++)
        for (let column = 0; column < columns; column++) {
          const p = weightAt(layer, row, column) / mass;
          if (p > least) {
            const value = margin.from + row;
            yield { margin: value, total: total.from + column, winner: winnerOf(winner, value), p };
          }
        }
    }
  }

  #marginal() {
    this.#margin ??= combined(
      this.#layers.map((layer) => ({ from: layer.margin.from, weights: marginWeights(layer) })),
    );
    return this.#margin;
  }

  #totals() {
    this.#total ??= combined(this.#layers.map((layer) => ({ from: layer.total.from, weights: totalWeights(layer) })));
    return this.#total;
  }
}

/** A layer whose weights are those of a matrix, one row for each margin. */
export function jointLayer(
  winner: Layer['winner'],
  joint: Float64Array,
  {
    marginFrom,
    totalFrom,
    totals,
  }: { readonly marginFrom: number; readonly totalFrom: number; readonly totals: number },
): Layer {
  return { winner, ...axesOf(joint, marginFrom, totalFrom, totals), joint };
}

/**
 * A layer whose margin and total are independent, or have a weak correlation, −0.1 … 0.1. Each keeps its own
 * distribution.
 */
export const productLayer = (margin: Axis, total: Axis, correlation = 0): Layer => ({
  winner: 'by-margin',
  margin,
  total,
  correlation,
});

/** The layer with its correlation set up. */
function tied({ margin, total, correlation = 0, ...layer }: Layer): Layer {
  if (correlation === 0 || layer.tie !== undefined) return { ...layer, margin, total };
  return {
    ...layer,
    margin,
    total,
    tie: { by: correlation, margin: standardScores(margin), total: standardScores(total) },
  };
}

/** The product of two of these times 0.1 is at most 1, so no weight is negative. */
const MOST_SCORE = 3.1;

function standardScores({ from, weights }: Axis): Float64Array {
  const all = sumOf(weights);
  let [sum, squares] = [0, 0];
  weights.forEach((weight, index) => {
    sum += weight * (from + index);
    squares += weight * (from + index) ** 2;
  });
  const mean = sum / all;
  const deviation = Math.sqrt(Math.max(squares / all - mean * mean, Number.MIN_VALUE));
  const cut = weights.map((_weight, index) => {
    const score = (from + index - mean) / deviation;
    return Math.max(-MOST_SCORE, Math.min(MOST_SCORE, score));
  });
  // the cut moves their mean, which would change the distribution of the other axis
  const moved = weights.reduce((total, weight, index) => total + weight * (cut[index] ?? 0), 0) / all;
  return cut.map((score) => score - moved);
}

const winnerOf = (winner: Layer['winner'], margin: number): Winner =>
  winner !== 'by-margin' ? winner : margin > 0 ? 'home' : margin < 0 ? 'away' : 'draw';

/** The weight of all scores with which each wins. */
function winnersOf(layers: readonly Layer[]): Readonly<Record<Winner, number>> {
  let [home, draw, away] = [0, 0, 0];
  for (const layer of layers) {
    const weights = marginWeights(layer);
    if (layer.winner === 'home') home += sumOf(weights);
    else if (layer.winner === 'away') away += sumOf(weights);
    else
      for (let index = 0; index < weights.length; index++) {
        const margin = layer.margin.from + index;
        const weight = weights[index] ?? 0;
        if (margin > 0) home += weight;
        else if (margin < 0) away += weight;
        else draw += weight;
      }
  }
  return { home, draw, away };
}

/** The weights of the margins, summed over all totals. */
function marginWeights({ margin, total, joint, tie }: Layer): Float64Array {
  if (joint !== undefined) return margin.weights;
  return crossed(margin.weights, total.weights, tie && { by: tie.by, own: tie.margin, other: tie.total });
}

function totalWeights({ margin, total, joint, tie }: Layer): Float64Array {
  if (joint !== undefined) return total.weights;
  return crossed(total.weights, margin.weights, tie && { by: tie.by, own: tie.total, other: tie.margin });
}

function crossed(
  own: Float64Array,
  other: Float64Array,
  tie: { readonly by: number; readonly own: Float64Array; readonly other: Float64Array } | undefined,
): Float64Array {
  const all = sumOf(other);
  if (tie === undefined) return all === 1 ? own : own.map((weight) => weight * all);
  let tilt = 0;
  for (let index = 0; index < other.length; index++) tilt += (other[index] ?? 0) * (tie.other[index] ?? 0);
  return own.map((weight, index) => weight * (all + tie.by * (tie.own[index] ?? 0) * tilt));
}

function weightAt({ margin, total, joint, tie }: Layer, row: number, column: number): number {
  if (joint !== undefined) return joint[row * total.weights.length + column] ?? 0;
  const product = (margin.weights[row] ?? 0) * (total.weights[column] ?? 0);
  return tie === undefined ? product : product * (1 + tie.by * (tie.margin[row] ?? 0) * (tie.total[column] ?? 0));
}

/** Neighbouring values of an axis at which bets bring the same. Its first and last place can happen. */
type Segment = {
  readonly value: number;
  readonly first: number;
  readonly last: number;
  /** The sum of its weights, and of their products with the standard scores of a correlation. */
  readonly weight: number;
  readonly tied: number;
};

const rangeOf = ({ from }: Axis, { first, last }: Segment): Range => ({ from: from + first, to: from + last });

function segmentsOf({ from, weights }: Axis, payoff: (value: number) => number, scores?: Float64Array): Segment[] {
  const segments: { value: number; first: number; last: number; weight: number; tied: number }[] = [];
  for (let place = 0; place < weights.length; place++) {
    const weight = weights[place] ?? 0;
    if (weight === 0) continue;
    const value = payoff(from + place);
    let segment = segments.at(-1);
    if (segment?.value !== value) segments.push((segment = { value, first: place, last: place, weight: 0, tied: 0 }));
    segment.last = place;
    segment.weight += weight;
    segment.tied += weight * (scores?.[place] ?? 0);
  }
  return segments;
}

/** The weight of all scores in a row of margins and a column of totals. */
function weightIn({ total, joint, tie }: Layer, row: Segment, column: Segment): number {
  if (joint === undefined)
    return row.weight * column.weight + (tie === undefined ? 0 : tie.by * row.tied * column.tied);
  const width = total.weights.length;
  let sum = 0;
  for (let margin = row.first; margin <= row.last; margin++)
    for (let place = column.first; place <= column.last; place++) sum += joint[margin * width + place] ?? 0;
  return sum;
}

function axesOf(joint: Float64Array, marginFrom: number, totalFrom: number, width: number) {
  const margin = new Float64Array(joint.length / width);
  const total = new Float64Array(width);
  for (let row = 0, index = 0; row < margin.length; row++) {
    let sum = 0;
    for (let column = 0; column < width; column++, index++) {
      const weight = joint[index] ?? 0;
      sum += weight;
      total[column] = (total[column] ?? 0) + weight;
    }
    margin[row] = sum;
  }
  return { margin: { from: marginFrom, weights: margin }, total: { from: totalFrom, weights: total } };
}

/** Exponents by the values of an axis, and the largest of a value that can happen. */
type Exponents = { readonly values: Float64Array; readonly most: number };

function exponents({ from, weights }: Axis, exponentOf: (value: number) => number): Exponents {
  const values = weights.map((_weight, index) => exponentOf(from + index));
  let most = Number.NEGATIVE_INFINITY;
  for (let index = 0; index < weights.length; index++)
    if ((weights[index] ?? 0) > 0) most = Math.max(most, values[index] ?? most);
  return { values, most };
}

/** The largest sum of exponents over the scores that can happen. */
function mostIn(joint: Float64Array, { values: rows }: Exponents, { values: columns }: Exponents): number {
  let most = Number.NEGATIVE_INFINITY;
  for (let row = 0, index = 0; row < rows.length; row++)
    for (let column = 0; column < columns.length; column++, index++)
      if ((joint[index] ?? 0) > 0) most = Math.max(most, (rows[row] ?? 0) + (columns[column] ?? 0));
  return most;
}

const scaled = ({ from, weights }: Axis, values: Float64Array, most: number): Axis => ({
  from,
  weights: weights.map((weight, index) => (weight === 0 ? 0 : weight * Math.exp((values[index] ?? 0) - most))),
});

/** The sum of axes, as probabilities. */
function combined(axes: readonly Axis[]) {
  const from = Math.min(...axes.map((axis) => axis.from));
  const to = Math.max(...axes.map((axis) => axis.from + axis.weights.length));
  const probabilities = new Float64Array(to - from);
  let all = 0;
  for (const axis of axes)
    for (let index = 0; index < axis.weights.length; index++) {
      const weight = axis.weights[index] ?? 0;
      const place = axis.from - from + index;
      probabilities[place] = (probabilities[place] ?? 0) + weight;
      all += weight;
    }
  for (let index = 0; index < probabilities.length; index++) probabilities[index] = (probabilities[index] ?? 0) / all;
  const distribution: Distribution = { from, probabilities };
  return { distribution, sums: new Cumulative(distribution) };
}

export function sumOf(weights: ArrayLike<number>): number {
  let sum = 0;
  for (let index = 0; index < weights.length; index++) sum += weights[index] ?? 0;
  return sum;
}
