// How far from the fair price to quote, from how often a quote at a distance is filled.

/** How a market is taken, and how much its maker dislikes what it holds. */
export type QuoteMarket = {
  /** Fills an hour at distance 0. */
  readonly A: number;
  /** How fast they fall with the distance: λ(δ) = A e^(−kδ), per point. */
  readonly k: number;
  /** The deviation of the fair price in an hour, points. */
  readonly sigma: number;
  /** Aversion to risk, per point of what is held. */
  readonly gamma: number;
};

/**
 * The distances of both quotes from the fair price for a maker that holds q units of the first side, by the
 * closed form of O. Guéant, C.-A. Lehalle and J. Fernandez-Tapia ("Dealing with the inventory risk",
 * Mathematics and Financial Economics 7, 2013), approximations of section 4.
 * @param market how the market is taken; all values above 0
 * @param q units held; negative of the second side
 * @returns points: `first` to add more of the first side, `second` to reduce it
 * @throws RangeError when a value is out of range
 * @example halfSpread({ A: 6, k: 0.9, sigma: 1.5, gamma: 0.01 }, 5)   // first 1.5200, second .7654
 */
export function halfSpread(
  { A, k, sigma, gamma }: QuoteMarket,
  q = 0,
): {
  /** Points for a quote that adds to the first side. */
  readonly first: number;
  /** Points for a quote that adds to the second side. */
  readonly second: number;
} {
  for (const value of [A, k, sigma, gamma])
    if (!(value > 0 && Number.isFinite(value))) throw new RangeError(`expected a number above 0: ${value}`);
  if (!Number.isFinite(q)) throw new RangeError(`expected the units held: ${q}`);
  const base = Math.log1p(gamma / k) / gamma;
  const step = Math.sqrt(((sigma * sigma * gamma) / (2 * k * A)) * (1 + gamma / k) ** (1 + k / gamma));
  return { first: base + ((1 + 2 * q) / 2) * step, second: base + ((1 - 2 * q) / 2) * step };
}

/**
 * The distance that earns most an hour where fills are adverse: δ* = a + 1/k.
 * @param k how fast fills fall with the distance, per point, above 0
 * @param adverse what the price moves against a fill, points, at least 0
 * @returns points from the fair price
 */
export const bestDistance = (k: number, adverse: number): number => adverse + 1 / k;

/**
 * What a quote on each side of a market brings in an hour.
 * @param market how it is taken (`A`, `k`), and what the price moves against a fill (`adverse`, points)
 * @param payout dollars that a fill pays when it wins
 * @returns what quotes at the best distance bring
 */
export function valueOf(
  market: Pick<QuoteMarket, 'A' | 'k'> & {
    /** What the price moves against a fill, points. */
    readonly adverse: number;
  },
  payout: number,
): {
  /** Fills an hour of one side. */
  readonly fills: number;
  /** Dollars an hour of both sides. */
  readonly value: number;
} {
  const { A, k, adverse } = market;
  const distance = bestDistance(k, adverse);
  const fills = A * Math.exp(-k * distance);
  return { fills, value: (2 * fills * payout * (distance - adverse)) / 100 };
}
