// A mean in which the past fades by time, not by number of values.
import type { Indicator } from './indicator.ts';

/**
 * Makes an exponentially weighted mean: y ← y + (1 − 2^(−Δt / halfLife)) · (x − y). The first value is the first
 * mean; of several values at one time only the first of all counts.
 * @param settings `halfLife`: the time in which a value loses half its weight, ms
 * @returns the indicator, in units of the value
 * @throws RangeError when the half life is not above 0
 * @example const mean = ewma({ halfLife: 60_000 })
 */
export function ewma({ halfLife }: { readonly halfLife: number }): Indicator {
  if (!(halfLife > 0)) throw new RangeError(`expected a halfLife above 0 ms: ${halfLife}`);
  let mean: number | undefined;
  let last = 0;
  return (value, t) => {
    if (!Number.isFinite(value)) return mean;
    mean = mean === undefined ? value : mean + (1 - 2 ** (-Math.max(0, t - last) / halfLife)) * (value - mean);
    last = t;
    return mean;
  };
}
