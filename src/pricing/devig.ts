// Fair probabilities from a bookmaker's prices. The inverses of decimal odds add up to more than 1; what is over is the
// margin (vig), and how it lies on the outcomes is an assumption, which the method names.

/**
 * How the margin is taken out of prices with inverses q that add up to Q.
 *
 * - `multiplicative`: each outcome carries its share of the margin: p = q / Q.
 * - `power`: p = q^k, with the k that makes them add up to 1: long shots carry more of it.
 * - `shin`: the bookmaker protects himself against a share z of bettors who know the outcome (H. S. Shin, "Measuring the
 *   incidence of insider trading in a market for state-contingent claims", Economic Journal 103, 1993):
 *   p = (√(z² + 4(1 − z)q²/Q) − z) / (2(1 − z)). Of two outcomes the margin is taken from both alike.
 */
export type DevigMethod = 'multiplicative' | 'power' | 'shin';
/** Every method that `devig` knows. */
export const DEVIG_METHODS: readonly DevigMethod[] = ['multiplicative', 'power', 'shin'];

/** What `devig` makes of prices. */
export type Devigged = {
  /** Of each outcome, in the order of the prices; they add up to 1. */
  readonly probabilities: readonly number[];
  /** Of `shin` alone: the share of informed bettors, 0 … 1. */
  readonly z?: number;
};

/**
 * Fair probabilities of outcomes that exclude each other, one of which happens.
 *
 *     devig([2.6, 2.4, 4.3], 'shin')   // probabilities .3729941 .4047794 .2222265, z .01694251
 *
 * Prices without a margin, or with a negative one, have no insiders for `shin`: z is 0, and it is as `multiplicative`.
 * @param decimalOdds of all outcomes, stake included, each above 1
 * @throws RangeError of fewer than two prices, and of one that is not a finite number above 1
 */
export function devig(decimalOdds: readonly number[], method: DevigMethod): Devigged {
  if (decimalOdds.length < 2) throw new RangeError('expected the prices of at least two outcomes');
  for (const odds of decimalOdds)
    if (!(odds > 1 && Number.isFinite(odds))) throw new RangeError(`expected decimal odds above 1, received ${odds}`);
  const inverses = decimalOdds.map((odds) => 1 / odds);
  switch (method) {
    case 'multiplicative':
      return { probabilities: normalised(inverses) };
    case 'power':
      return { probabilities: byPower(inverses) };
    case 'shin':
      return byShin(inverses);
  }
}

function normalised(inverses: readonly number[]): readonly number[] {
  const all = sum(inverses);
  return inverses.map((q) => q / all);
}

function byPower(inverses: readonly number[]): readonly number[] {
  const of = (k: number): readonly number[] => inverses.map((q) => q ** k);
  // each q is below 1: their sum falls from the number of outcomes at 0 towards nothing
  let most = 1;
  while (sum(of(most)) > 1) most *= 2;
  return normalised(of(zeroOf((k) => sum(of(k)) - 1, 0, most)));
}

function byShin(inverses: readonly number[]): Devigged {
  const all = sum(inverses);
  if (all <= 1) return { probabilities: normalised(inverses), z: 0 };
  const of = (z: number): readonly number[] =>
    inverses.map((q) => (Math.sqrt(z * z + (4 * (1 - z) * q * q) / all) - z) / (2 * (1 - z)));
  const z = zeroOf((one) => sum(of(one)) - 1, 0, 1 - 1e-9);
  return { probabilities: normalised(of(z)), z };
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** Where a function that falls from above 0 to below it is 0, as exactly as numbers are. */
function zeroOf(falling: (x: number) => number, from: number, to: number): number {
  let [low, high] = [from, to];
  for (;;) {
    const middle = (low + high) / 2;
    if (middle <= low || middle >= high) return middle;
    if (falling(middle) > 0) low = middle;
    else high = middle;
  }
}
