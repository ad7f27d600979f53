// Money as integers. Own order sizes are cents, all other amounts micro-dollars (1e-6); decimals exist only
// on the wire. One rounding rule everywhere: to the nearest micro-dollar, halves away from zero. A match is a
// pair of amounts (maker's risk, taker's risk), each winning the other, so money is conserved exactly
// whatever was rounded.
import type { Brand } from './brand.ts';
import type { AmericanOdds } from './odds.ts';

/** Whole cents, for sizes of own orders. */
export type Cents = Brand<number, 'Cents'>;
/** Whole micro-dollars (1e-6), for all other money. */
export type Micros = Brand<number, 'Micros'>;

const MICROS_PER_CENT = 10_000;
/** The largest exact amount, nine billion dollars: a larger one loses units when it is multiplied by odds. */
export const MAX_MICROS = Number.MAX_SAFE_INTEGER;

const roundHalfAway = (x: number): number => (x < 0 ? 0 - Math.round(-x) : Math.round(x));

export const cents = (n: number): Cents => roundHalfAway(n) as Cents;
export const micros = (n: number): Micros => roundHalfAway(n) as Micros;
export const ZERO = 0 as Micros;

/**
 * Rounds dollars to the nearest cent, halves away from zero.
 * @param dollars an amount in dollars
 * @returns the amount in whole cents
 * @example centsOfDollars(12.345) // 1235
 */
export const centsOfDollars = (dollars: number): Cents => cents(dollars * 100);
/**
 * Converts cents to dollars.
 * @param amount whole cents
 * @returns dollars
 */
export const dollarsOfCents = (amount: Cents): number => amount / 100;
export const microsOfDollars = (dollars: number): Micros => micros(dollars * 1_000_000);
/**
 * Converts micro-dollars to dollars, for people and files. Sums use micro-dollars, because they are exact.
 * @param amount micro-dollars
 * @returns dollars
 */
export const dollarsOfMicros = (amount: Micros): number => amount / 1_000_000;
/**
 * Converts cents to micro-dollars, exactly.
 * @param amount whole cents
 * @returns micro-dollars
 */
export const microsOfCents = (amount: Cents): Micros => (amount * MICROS_PER_CENT) as Micros;
/** The whole cents in an amount, rounded down: what may still be offered without exceeding it. */
export const centsWithin = (amount: Micros): Cents => Math.floor(amount / MICROS_PER_CENT) as Cents;

/** Sums and differences of amounts in one unit, exact. */
export const plus = <Amount extends Micros | Cents>(a: Amount, b: Amount): Amount => (a + b) as Amount;
export const minus = <Amount extends Micros | Cents>(a: Amount, b: Amount): Amount => (a - b) as Amount;
/** An amount times a whole number, exact. */
export const times = <Amount extends Micros | Cents>(amount: Amount, count: number): Amount =>
  (amount * count) as Amount;
/** The negated amount: one side's loss is the other's win. Never −0. */
export const negative = <Amount extends Micros | Cents>(amount: Amount): Amount => (0 - amount) as Amount;

/** An amount for people: `$12.50`, `-$3.00`. */
export const moneyText = (dollars: number, decimals = 2): string => {
  const text = Math.abs(dollars).toFixed(decimals);
  return `${dollars < 0 && Number(text) !== 0 ? '-' : ''}$${text}`;
};

/** The amount that `risk` wins at these odds: risk · o/100 for o > 0, risk · 100/|o| for o < 0. */
export function winOf(risk: Micros, odds: AmericanOdds): Micros {
  return micros(odds > 0 ? (risk * odds) / 100 : (risk * 100) / -odds);
}

/** The risk that wins `win` at these odds; the inverse of winOf up to one rounding. */
export function riskToWin(win: Micros, odds: AmericanOdds): Micros {
  return micros(odds > 0 ? (win * 100) / odds : (win * -odds) / 100);
}

/**
 * The payout of a bet, stake included: risk / probability.
 * @param risk the stake, micro-dollars
 * @param odds American odds
 * @returns micro-dollars
 */
export const payoutOf = (risk: Micros, odds: AmericanOdds): Micros => (risk + winOf(risk, odds)) as Micros;
