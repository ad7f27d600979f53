// The standard normal distribution, and the moments of a series.

/** P(Z ≤ z): W. J. Cody's rational approximations of erfc would do no better here than this series and fraction, exact to 1e-15. */
export function normalCdf(z: number): number {
  if (Number.isNaN(z)) return Number.NaN;
  const x = Math.abs(z);
  if (x > 38) return z > 0 ? 1 : 0;
  const density = Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI);
  let tail: number;
  if (x < 3) {
    // Marsaglia 2004: Φ(x) = ½ + φ(x)(x + x³/3 + x⁵/(3·5) + …)
    let term = x;
    let sum = x;
    for (let k = 3; term > sum * 1e-17; k += 2) {
      term *= (x * x) / k;
      sum += term;
    }
    tail = 0.5 - density * sum;
  } else {
    // the continued fraction of the tail
    let fraction = x;
    for (let k = 100; k >= 1; k--) fraction = x + k / fraction;
    tail = density / fraction;
  }
  return z > 0 ? 1 - tail : tail;
}

/** The z of which P(Z ≤ z) = p; by Newton's steps from a bracket. */
export function normalQuantile(p: number): number {
  if (!(p > 0 && p < 1)) return p === 0 ? Number.NEGATIVE_INFINITY : p === 1 ? Number.POSITIVE_INFINITY : Number.NaN;
  let low = -39;
  let high = 39;
  let z = 0;
  for (let step = 0; step < 200; step++) {
    const error = normalCdf(z) - p;
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

export type Moments = {
  readonly n: number;
  readonly mean: number;
  /** With n − 1. */
  readonly deviation: number;
  readonly skew: number;
  /** 3 for a normal one. */
  readonly kurtosis: number;
};

export function momentsOf(series: ArrayLike<number>): Moments {
  const n = series.length;
  let mean = 0;
  for (let i = 0; i < n; i++) mean += (series[i] ?? 0) / n;
  let [m2, m3, m4] = [0, 0, 0];
  for (let i = 0; i < n; i++) {
    const off = (series[i] ?? 0) - mean;
    m2 += off ** 2 / n;
    m3 += off ** 3 / n;
    m4 += off ** 4 / n;
  }
  const isFlat = m2 === 0;
  return {
    n,
    mean,
    deviation: n < 2 ? 0 : Math.sqrt((m2 * n) / (n - 1)),
    skew: isFlat ? 0 : m3 / m2 ** 1.5,
    kurtosis: isFlat ? 3 : m4 / m2 ** 2,
  };
}
