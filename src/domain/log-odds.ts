// Probabilities in log-odds, where sums and averages stay inside (0,1).

/**
 * Converts a probability to log-odds: ln(p / (1 − p)).
 * @param p a probability, 0 to 1
 * @returns log-odds; infinite for 0 and 1, NaN outside
 */
export const logit = (p: number): number => Math.log(p / (1 - p));

/**
 * Converts log-odds to a probability. The inverse of `logit`.
 * @param x log-odds, any number
 * @returns a probability, 0 to 1
 */
export const expit = (x: number): number => 1 / (1 + Math.exp(-x));

/**
 * Moves a probability in log-odds, so that it stays inside (0,1).
 * @param p a probability in (0,1)
 * @param by the shift in log-odds; above 0 raises the probability
 * @returns a probability in (0,1)
 */
export const shiftLogOdds = (p: number, by: number): number => expit(logit(p) + by);
