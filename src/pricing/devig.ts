// Computes fair probabilities from a bookmaker's prices. The inverses of decimal odds add up to more than 1.
// The excess is the margin (vig). How it is spread over the outcomes is an assumption, which the method
// names.
import { normalBelow, normalQuantile } from './normal.ts';
import { zeroOf } from './zero-of.ts';

/**
 * A method to remove the margin from prices whose inverses q add up to Q.
 *
 * - `multiplicative`: each outcome carries its share of the margin: p = q / Q.
 * - `power`: p = q^k, with the k that makes the probabilities add up to 1: long shots carry more of the
 *   margin.
 * - `shin`: the bookmaker protects himself against a share z of bettors who know the outcome (H. S. Shin,
 *   "Measuring the incidence of insider trading in a market for state-contingent claims", Economic Journal
 *   103, 1993): p = (√(z² + 4(1 − z)q²/Q) − z) / (2(1 − z)). With two outcomes, both carry the margin alike.
 * - `odds-ratio`: the odds of each outcome are the same multiple of its true odds: q / (1 − q) = c p / (1 − p)
 *   (K. Cheung, "Fixed-odds betting and traditional odds", 2015).
 * - `additive`: each outcome carries the same amount of the margin: p = q − (Q − 1) / n. It fails where that
 *   leaves an outcome nothing.
 * - `probit`: all normal quantiles move by the same amount: Φ⁻¹(p) = Φ⁻¹(q) − c.
 */
export type DevigMethod = 'multiplicative' | 'power' | 'shin' | 'odds-ratio' | 'additive' | 'probit';
/** All methods that `devig` knows. */
export const DEVIG_METHODS: readonly DevigMethod[] = [
  ...(['multiplicative', 'power', 'shin', 'odds-ratio', 'additive', 'probit'] as const),
];

/** The result of `devig`. */
export type Devigged = {
  /** The fair probability of each outcome, in the order of the prices. They add up to 1. */
  readonly probabilities: readonly number[];
  /** The share of informed bettors, 0 to 1. Given by `shin` alone. */
  readonly z?: number;
};

/**
 * Computes the fair probabilities of outcomes that exclude each other. Exactly one of them occurs.
 *
 *     devig([2.6, 2.4, 4.3], 'shin')   // probabilities .3729941 .4047794 .2222265, z .01694251
 *
 * For prices without a margin, or with a negative one, `shin` finds no insiders: z is 0, and the result is
 * that of `multiplicative`.
 * @param decimalOdds the prices of all outcomes, stake included, each above 1
 * @param method how the margin is removed
 * @returns the probabilities, which add up to 1
 * @throws RangeError when there are fewer than two prices, when a price is not a finite number above 1, or when
 *   `additive` leaves an outcome no probability
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
    case 'odds-ratio':
      return { probabilities: byOddsRatio(inverses) };
    case 'additive':
      return { probabilities: byAmount(inverses) };
    case 'probit':
      return { probabilities: byProbit(inverses) };
  }
}

/**
 * Whether a method finds probabilities for these prices: `additive` does not where it leaves an outcome nothing.
 * @param decimalOdds the prices of all outcomes, as `devig` takes them
 * @param method how the margin is removed
 * @returns false where `devig` would refuse them for that reason
 */
export function canDevig(decimalOdds: readonly number[], method: DevigMethod): boolean {
  const inverses = decimalOdds.map((odds) => 1 / odds);
  return method !== 'additive' || Math.min(...inverses) > amountOf(inverses);
}

function normalised(inverses: readonly number[]): readonly number[] {
  const all = sum(inverses);
  return inverses.map((q) => q / all);
}

function byPower(inverses: readonly number[]): readonly number[] {
  const powers = (k: number): readonly number[] => inverses.map((q) => q ** k);
  // each q is below 1, so the sum falls from the number of outcomes (k = 0) towards 0
  let most = 1;
  while (sum(powers(most)) > 1) most *= 2;
  return normalised(powers(zeroOf((k) => sum(powers(k)) - 1, 0, most)));
}

function byShin(inverses: readonly number[]): Devigged {
  const all = sum(inverses);
  if (all <= 1) return { probabilities: normalised(inverses), z: 0 };
  const [first = 0, second = 0] = inverses;
  if (inverses.length === 2) {
    // two outcomes: the same as by equal amounts (B. Jullien, B. Salanié, 1994)
    const apart = (first - second) ** 2;
    return { probabilities: byAmount(inverses), z: ((all - 1) * (apart - all)) / (all * (apart - 1)) };
  }
  const probabilitiesAt = (z: number): readonly number[] =>
    inverses.map((q) => (Math.sqrt(z * z + (4 * (1 - z) * q * q) / all) - z) / (2 * (1 - z)));
  const z = zeroOf((share) => sum(probabilitiesAt(share)) - 1, 0, 1 - 1e-9);
  return { probabilities: normalised(probabilitiesAt(z)), z };
}

function byOddsRatio(inverses: readonly number[]): readonly number[] {
  // with the logarithm of the ratio: p = q / (c + q − c q)
  const probabilitiesWith = (log: number): readonly number[] => inverses.map((q) => q / (Math.exp(log) * (1 - q) + q));
  return normalised(probabilitiesWith(zeroOf((log) => sum(probabilitiesWith(log)) - 1, -FARTHEST, FARTHEST)));
}

/** What `additive` takes from each outcome. */
const amountOf = (inverses: readonly number[]): number => (sum(inverses) - 1) / inverses.length;

function byAmount(inverses: readonly number[]): readonly number[] {
  const each = amountOf(inverses);
  if (Math.min(...inverses) <= each)
    throw new RangeError(`additive takes ${each.toFixed(4)} from each outcome, and one has no more than that`);
  return inverses.map((q) => q - each);
}

function byProbit(inverses: readonly number[]): readonly number[] {
  const quantiles = inverses.map(normalQuantile);
  const probabilitiesAfter = (shift: number): readonly number[] => quantiles.map((z) => normalBelow(z - shift));
  return normalised(probabilitiesAfter(zeroOf((shift) => sum(probabilitiesAfter(shift)) - 1, -FARTHEST, FARTHEST)));
}

/** Beyond any margin: of the logarithm of a ratio of odds, and of a normal quantile. */
const FARTHEST = 30;

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
