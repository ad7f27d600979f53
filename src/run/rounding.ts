// As figures are told: dollars to the cent, shares and probabilities to a millionth; never a minus zero.

/** Of micro-dollars. */
export const dollars = (micros: number): number => Math.round(micros / 1e4) / 100 + 0;
export const fine = (value: number): number => Math.round(value * 1e6) / 1e6 + 0;
/** Of dollars. */
export const cents = (amount: number): number => Math.round(amount * 100) / 100 + 0;
