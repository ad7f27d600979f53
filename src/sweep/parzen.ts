// Parzen estimators: densities over the values of one parameter, from the values that points have. Numbers
// have a Gaussian kernel at each value, cut off at the ends of the scale; choices are counted. A prior, a wide
// kernel or one more of each choice, keeps every value possible. The widths of the kernels are those of Bergstra et
// al. (2011): the larger distance to the two neighbours, within bounds.
import { normalBelow, normalQuantile } from '../pricing/index.ts';
import type { Value } from './point.ts';
import type { Dimension } from './scale.ts';
import { cellOf, scaledOf, valueAt } from './scale.ts';

type Kernel = {
  readonly mean: number;
  readonly deviation: number;
  /** The part of the normal distribution below 0, and the part within 0 … 1. */
  readonly below: number;
  readonly within: number;
};

/** The prior: a wide kernel in the middle. */
const PRIOR = { mean: 0.5, deviation: 1 };
/** The narrowest kernel is 1 / (number of kernels), and never below 1 / 100. */
const MOST_NARROW = 100;
/** Shares below 0 and above 1 are kept off the ends of the normal distribution. */
const TINY = 1e-12;
const LOWEST = 1e-300;

const kernelOf = (mean: number, deviation: number): Kernel => {
  const below = normalBelow(-mean / deviation);
  return { mean, deviation, below, within: normalBelow((1 - mean) / deviation) - below };
};

/** A mixture of Gaussian kernels over the scale of a parameter. */
export class Kernels {
  readonly #dimension: Dimension;
  readonly #kernels: readonly Kernel[];

  constructor(dimension: Dimension, values: readonly Value[]) {
    this.#dimension = dimension;
    const means = [...values.map((value) => scaledOf(dimension, value)), PRIOR.mean]
      .map((mean, index) => ({ mean, isPrior: index === values.length }))
      .sort((a, b) => a.mean - b.mean);
    const narrowest = 1 / Math.min(MOST_NARROW, 1 + means.length);
    this.#kernels = means.map(({ mean, isPrior }, index) => {
      if (isPrior) return kernelOf(PRIOR.mean, PRIOR.deviation);
      // the ends of the scale count as neighbours
      const gap = Math.max(mean - (means[index - 1]?.mean ?? 0), (means[index + 1]?.mean ?? 1) - mean);
      return kernelOf(mean, Math.min(1, Math.max(narrowest, gap)));
    });
  }

  /** A value, drawn with two random numbers of 0 … 1. */
  draw(next: () => number): Value {
    const kernel = this.#kernels[Math.floor(next() * this.#kernels.length)] ?? kernelOf(PRIOR.mean, PRIOR.deviation);
    const share = Math.min(1 - TINY, Math.max(TINY, kernel.below + next() * kernel.within));
    const place = kernel.mean + kernel.deviation * normalQuantile(share);
    return valueAt(this.#dimension, Math.min(1, Math.max(0, place)));
  }

  /** The logarithm of the density at a value: of the share of its cell when it has one. */
  logDensityOf(value: Value): number {
    const cell = cellOf(this.#dimension, value);
    const place = scaledOf(this.#dimension, value);
    let sum = 0;
    for (const { mean, deviation, within } of this.#kernels)
      sum +=
        cell === undefined
          ? Math.exp(-(((place - mean) / deviation) ** 2) / 2) / (deviation * within)
          : (normalBelow((cell[1] - mean) / deviation) - normalBelow((cell[0] - mean) / deviation)) / within;
    return Math.log(Math.max(LOWEST, sum / this.#kernels.length));
  }
}

/** Counts of choices; the prior adds one to each. */
export class Choices {
  readonly #values: readonly Value[];
  readonly #weights: ReadonlyMap<string, number>;

  constructor(dimension: Dimension, values: readonly Value[]) {
    this.#values = dimension.kind === 'list' ? dimension.values : [];
    const weights = new Map(this.#values.map(({ text }) => [text, 1]));
    for (const { text } of values) weights.set(text, (weights.get(text) ?? 0) + 1);
    for (const [text, weight] of weights) weights.set(text, weight / (values.length + this.#values.length));
    this.#weights = weights;
  }

  draw(next: () => number): Value {
    let left = next();
    for (const value of this.#values) {
      left -= this.#weightOf(value);
      if (left < 0) return value;
    }
    return this.#values.at(-1) ?? { text: '', value: undefined };
  }

  logDensityOf(value: Value): number {
    return Math.log(Math.max(LOWEST, this.#weightOf(value)));
  }

  #weightOf({ text }: Value): number {
    return this.#weights.get(text) ?? 0;
  }
}
