// Probabilities in log-odds, where sums and averages stay inside (0,1).

/** Log-odds of a probability: ln(p / (1 − p)). Infinite at 0 and 1, NaN outside. */
export const logit = (p: number): number => Math.log(p / (1 - p));

/** The probability of log-odds; the inverse of `logit`. */
export const expit = (x: number): number => 1 / (1 + Math.exp(-x));

/** Moves a probability in log-odds, so that it stays inside (0,1). */
export const shiftLogOdds = (p: number, by: number): number => expit(logit(p) + by);
