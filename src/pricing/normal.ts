// The standard normal distribution: its cumulative distribution function, to the precision of a double, and
// the inverse.

const NUMERATOR = [
  220.206867912376, 221.213596169931, 112.079291497871, 33.912866078383, 6.37396220353165, 0.700383064443688,
  0.0352624965998911,
];
const DENOMINATOR = [
  440.413735824752, 793.826512519948, 637.333633378831, 296.564248779674, 86.7807322029461, 16.064177579207,
  1.75566716318264, 0.0883883476483184,
];

/**
 * Returns P(Z ≤ x) of a standard normal Z, by the rational function of J. F. Hart as G. West gives it
 * ("Better approximations to cumulative normal functions", Wilmott Magazine, May 2005).
 * @param x any number
 * @returns the probability, 0 to 1
 */
export function normalBelow(x: number): number {
  const size = Math.abs(x);
  const tail = size > 37 ? 0 : tailOf(size);
  return x > 0 ? 1 - tail : tail;
}

function tailOf(x: number): number {
  const density = Math.exp(-(x * x) / 2);
  if (x < 7.07106781186547) return (density * polynomial(NUMERATOR, x)) / polynomial(DENOMINATOR, x);
  const fraction = x + 1 / (x + 2 / (x + 3 / (x + 4 / (x + 0.65))));
  return density / fraction / 2.506628274631;
}

/** Evaluates a polynomial whose coefficients start with the lowest power. */
const polynomial = (coefficients: readonly number[], x: number): number =>
  coefficients.reduceRight((value, coefficient) => value * x + coefficient, 0);

/**
 * Returns the x with P(Z ≤ x) = p, by Newton's method within a bracket.
 * @param p a probability, 0 to 1
 * @returns the quantile, −∞ for 0 and ∞ for 1; NaN when p is not a probability
 */
export function normalQuantile(p: number): number {
  if (!(p > 0 && p < 1)) return p === 0 ? Number.NEGATIVE_INFINITY : p === 1 ? Number.POSITIVE_INFINITY : Number.NaN;
  let low = -39;
  let high = 39;
  let z = 0;
  for (let step = 0; step < 200; step++) {
    const error = normalBelow(z) - p;
    if (error > 0) high = z;
    else low = z;
    const density = Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI);
    const newton = z - error / density;
    const next = newton > low && newton < high ? newton : (low + high) / 2;
    if (Math.abs(next - z) < 1e-13) return next;
    z = next;
  }
  return z;
}
