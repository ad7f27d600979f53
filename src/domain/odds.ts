// American odds, implied probability and rungs. A rung is the integer number of tenths along the ladder
// … −102, −101, ±100, +101, +102 …, with +100 ≡ −100 at rung 0; a larger rung pays its owner more.
// Invariant: rungOf and oddsOf are inverse to each other, and probability falls strictly as the rung grows.
import type { Brand } from './brand.ts';

/**
 * American odds with at most one decimal, 100 ≤ |odds| ≤ 100000, from the owner's view. −100 is written +100.
 */
export type AmericanOdds = Brand<number, 'AmericanOdds'>;
/** Integer tenths along the ladder; see the head of this file. */
export type Rung = Brand<number, 'Rung'>;

export const MAX_ABS_ODDS = 100_000;
const MAX_RUNG = (MAX_ABS_ODDS - 100) * 10;
/** The price that pays its owner most; negated, the one that pays least. */
export const LAST_RUNG = MAX_RUNG as Rung;

/**
 * Rounds a number to American odds of the ladder.
 * @param value American odds, any number
 * @returns the nearest odds in tenths; undefined when no such odds exist (|odds| < 100, not finite, too
 *   large)
 */
export function toOdds(value: number): AmericanOdds | undefined {
  const rung = toRung(value);
  return rung === undefined ? undefined : oddsOf(rung);
}

/** The rung of a raw number, rounded to the nearest tenth; undefined when it is not American odds. */
export function toRung(value: number): Rung | undefined {
  // written so that NaN fails every comparison
  if (value >= 100 && value <= MAX_ABS_ODDS) return Math.round((value - 100) * 10) as Rung;
  if (value <= -100 && value >= -MAX_ABS_ODDS) return (Math.round((value + 100) * 10) + 0) as Rung;
  return undefined;
}

export function rungOf(odds: AmericanOdds): Rung {
  return (odds > 0 ? Math.round((odds - 100) * 10) : Math.round((odds + 100) * 10) + 0) as Rung;
}

/**
 * Converts a rung of the odds ladder to American odds.
 * @param rung the index of a price on the ladder
 * @returns American odds, at most −100 or at least +100
 */
export function oddsOf(rung: Rung): AmericanOdds {
  return (rung >= 0 ? (1000 + rung) / 10 : (rung - 1000) / 10) as AmericanOdds;
}

/**
 * Computes the probability that American odds imply: the price that their owner pays for one unit of payout.
 * @param odds American odds
 * @returns a probability in (0,1)
 * @example probabilityOf(-110) // 0.5238095
 */
export function probabilityOf(odds: AmericanOdds): number {
  return odds > 0 ? 100 / (100 + odds) : odds / (odds - 100);
}

/**
 * Computes the probability that a rung implies: its owner breaks even at this probability.
 * @param rung the index of a price on the ladder
 * @returns a probability in (0,1)
 */
export function probabilityOfRung(rung: Rung): number {
  return rung >= 0 ? 1000 / (2000 + rung) : (1000 - rung) / (2000 - rung);
}

/**
 * The first rung on the `step` grid (in points of odds) with a probability of at most `q`: rounding always
 * favours the owner. Undefined when q is outside the ladder.
 */
export function rungAtMost(q: number, step: number): Rung | undefined {
  if (!(q > 0 && q < 1)) return undefined;
  const exact = q <= 0.5 ? (1000 * (1 - q)) / q - 1000 : 1000 - (1000 * q) / (1 - q);
  const grid = Math.max(1, Math.round(step * 10));
  // the tolerance keeps a probability that came from a grid rung on that rung
  const rung = Math.ceil(exact / grid - 1e-7) * grid + 0;
  return Math.abs(rung) > MAX_RUNG ? undefined : (rung as Rung);
}

/** The price of the other side of a match: HOME at +105 is AWAY at −105. */
export const oppositeRung = (rung: Rung): Rung => (0 - rung) as Rung;

/** True when offers on the two sides of one market would match: q_a + q_b ≥ 1. */
export const crosses = (a: Rung, b: Rung): boolean => a + b <= 0;
