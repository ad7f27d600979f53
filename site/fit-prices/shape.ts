// The distribution of a margin as a normal distribution with weights by the size of the margin, at a line whose price
// is known: its mean is solved so that the price is right, as in the fit of a game.
import type { DrawRule } from '../../src/domain/index.ts';
import { normalBelow, normalQuantile } from '../../src/pricing/index.ts';
import { normalGrid } from '../../src/pricing/normal-game.ts';
import type { ScoreGrid } from '../../src/pricing/score-grid.ts';
import { lossOf, lowest, mean } from './statistics.ts';

/** A game whose margin is priced by a line: home has the fair price `p` at it. */
export type PricedMargin = { readonly margin: number; readonly line: number; readonly p: number };

/** `weights` by the size of the margin. */
export type Shape = { readonly deviation: number; readonly weights: readonly number[]; readonly draw: DrawRule };

/** Points: weights move the mean by less. */
const FAR = 6;
const STEPS = 20;

/** The distributions of margins of a shape, by line and price. */
export class Margins {
  readonly #shape: Shape;
  readonly #grids = new Map<string, ScoreGrid>();

  constructor(shape: Shape) {
    this.#shape = shape;
  }

  gridOf({ line, p }: Pick<PricedMargin, 'line' | 'p'>): ScoreGrid {
    const key = `${line} ${p.toFixed(2)}`;
    let grid = this.#grids.get(key);
    if (grid === undefined) {
      grid = this.#solved(line, Number(p.toFixed(2)));
      this.#grids.set(key, grid);
    }
    return grid;
  }

  lossOf(game: PricedMargin): number {
    return lossOf(shareOf(this.gridOf(game), game.margin));
  }

  /** Bisects around the mean of a plain normal distribution. */
  #solved(line: number, p: number): ScoreGrid {
    const plain = this.#shape.deviation * normalQuantile(p) - line;
    let [low, high] = [plain - FAR, plain + FAR];
    for (let step = 0; step < STEPS; step++) {
      const middle = (low + high) / 2;
      if (this.#gridAt(middle).spread(line).fair < p) low = middle;
      else high = middle;
    }
    return this.#gridAt((low + high) / 2);
  }

  #gridAt(middle: number): ScoreGrid {
    const { deviation, weights, draw } = this.#shape;
    return normalGrid({
      margin: { mean: middle, deviation },
      total: undefined,
      correlation: 0,
      marginWeights: weights,
      overtime: undefined,
      draw,
    });
  }
}

/** The probability of a margin. */
export const shareOf = ({ margin: { from, probabilities } }: Pick<ScoreGrid, 'margin'>, margin: number): number =>
  probabilities[margin - from] ?? 0;

/** The probability of a whole number under a normal distribution. */
export const normalShare = (value: number, middle: number, deviation: number): number =>
  normalBelow((value + 0.5 - middle) / deviation) - normalBelow((value - 0.5 - middle) / deviation);

/** The deviation that fits best, with these weights. */
export const deviationFor = (games: readonly PricedMargin[], shape: Omit<Shape, 'deviation'>): number =>
  lowest(
    (deviation) => {
      const margins = new Margins({ ...shape, deviation });
      return mean(games.map((game) => margins.lossOf(game)));
    },
    9,
    16,
    0.05,
  );

const ROUNDS = 3;
/** Counts are shrunk as if so many games more had the margins of the normal distribution. */
const SHRUNK = 5;

/** The weights of margins up to `most` that bring their expected counts to those of the games. */
export function weightsFor(games: readonly PricedMargin[], shape: Omit<Shape, 'weights'>, most: number): Shape {
  let weights: readonly number[] = Array.from({ length: most + 1 }, () => 1);
  for (let round = 0; round < ROUNDS; round++) {
    const margins = new Margins({ ...shape, weights });
    const counts = weights.map(() => 0);
    const expected = weights.map(() => 0);
    for (const game of games) {
      const size = Math.abs(game.margin);
      if (size <= most) counts[size] = (counts[size] ?? 0) + 1;
      const grid = margins.gridOf(game);
      for (let margin = -most; margin <= most; margin++)
        expected[Math.abs(margin)] = (expected[Math.abs(margin)] ?? 0) + shareOf(grid, margin);
    }
    weights = weights.map(
      (weight, size) => (weight * ((counts[size] ?? 0) + SHRUNK)) / ((expected[size] ?? 0) + SHRUNK),
    );
  }
  return { ...shape, weights };
}
