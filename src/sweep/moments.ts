// The moments of a series.

export type Moments = {
  readonly n: number;
  readonly mean: number;
  /** Standard deviation, with n − 1. */
  readonly deviation: number;
  readonly skew: number;
  /** Kurtosis: 3 for a normal distribution. */
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
