// Prices of bets on a line, from a distribution of whole numbers.

/** A distribution of whole numbers: `probabilities[i]` is the probability of `from + i`. They add up to 1. */
export type Distribution = {
  /** The smallest value. */
  readonly from: number;
  /** The probabilities of the values from `from` upwards. */
  readonly probabilities: ArrayLike<number>;
};

/**
 * The price of a bet on the first side of a market: home or over. A quarter line is half a bet on each
 * neighbouring line.
 */
export type LinePrice = {
  /**
   * The probability at which neither side has an edge: win / (win + lose). A quote of the first side below it
   * earns money. NaN when every score pushes, or when nothing is known of the score.
   */
  readonly fair: number;
  /** The expected share of the stake that wins. `win`, `push` and `lose` add up to 1. */
  readonly win: number;
  /** The expected share of the stake that is returned. */
  readonly push: number;
  /** The expected share of the stake that loses. */
  readonly lose: number;
};

/** The price of a bet that nothing is known of. */
export const NO_PRICE: LinePrice = Object.freeze({
  fair: Number.NaN,
  win: Number.NaN,
  push: Number.NaN,
  lose: Number.NaN,
});

export const priceOf = (win: number, push: number, lose: number): LinePrice => ({
  fair: win / (win + lose),
  win,
  push,
  lose,
});

/** Cumulative sums of a distribution: the price of any line in constant time. */
export class Cumulative {
  readonly #from: number;
  /** `sums[i]`: the probability of all values below `from + i`. */
  readonly #sums: Float64Array;

  constructor({ from, probabilities }: Distribution) {
    this.#from = from;
    this.#sums = new Float64Array(probabilities.length + 1);
    for (let index = 0, sum = 0; index < probabilities.length; index++) {
      sum += probabilities[index] ?? 0;
      this.#sums[index + 1] = sum;
    }
  }

  /**
   * Prices a bet that the value is above a line.
   * @throws RangeError when the line is not a multiple of 0.25
   */
  above(line: number): LinePrice {
    const quarters = line * 4;
    if (!Number.isInteger(quarters)) throw new RangeError(`expected a line in quarters, such as 3.5: ${line}`);
    if (quarters % 2 === 0) {
      const [win, push, lose] = this.#split(line);
      return priceOf(win, push, lose);
    }
    const below = this.#split(line - 0.25);
    const above = this.#split(line + 0.25);
    return priceOf((below[0] + above[0]) / 2, (below[1] + above[1]) / 2, (below[2] + above[2]) / 2);
  }

  /** The probabilities of the values above, at and below a whole or half line. */
  #split(line: number): readonly [above: number, at: number, below: number] {
    const all = this.#below(Number.POSITIVE_INFINITY);
    const under = this.#below(Math.ceil(line));
    const upTo = this.#below(Math.floor(line) + 1);
    return [(all - upTo) / all, (upTo - under) / all, under / all];
  }

  /** The probability of all values below a whole number. */
  #below(value: number): number {
    const index = Math.min(Math.max(value - this.#from, 0), this.#sums.length - 1);
    return this.#sums[index] ?? 0;
  }
}
