// Rounds figures for reports: dollars to the cent, shares and probabilities to a millionth; never minus zero.

/** Micro-dollars to dollars. */
export const dollars = (micros: number): number => Math.round(micros / 1e4) / 100 + 0;
export const fine = (value: number): number => Math.round(value * 1e6) / 1e6 + 0;
/** Four significant digits: what is above 0 stays above 0. */
export const rounded = (value: number): number => Number(value.toPrecision(4));
/** Dollars rounded to the cent. */
export const cents = (amount: number): number => Math.round(amount * 100) / 100 + 0;
