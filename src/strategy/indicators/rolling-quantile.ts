// The quantile of the values of the last time.
import type { Indicator } from './indicator.ts';
import { Recent } from './recent.ts';

/**
 * Makes a rolling quantile: of n sorted values that at (n − 1) · q, between two values by their distance.
 * @param settings `window`: the time that counts, ms; `q`: 0 the smallest, 0.5 the median, 1 the largest
 * @returns the indicator, in units of the value
 * @throws RangeError when the window is not above 0, or q not within 0 and 1
 * @example const usualSpread = rollingQuantile({ window: 600_000, q: 0.5 })
 */
export function rollingQuantile({ window, q }: { readonly window: number; readonly q: number }): Indicator {
  if (!(q >= 0 && q <= 1)) throw new RangeError(`expected a quantile within 0 and 1: ${q}`);
  const recent = new Recent(window);
  const sorted: number[] = [];
  return (value, t) => {
    if (Number.isFinite(value)) {
      sorted.splice(placeIn(sorted, value), 0, value);
      for (const gone of recent.add(value, t)) sorted.splice(placeIn(sorted, gone.value), 1);
    }
    const place = (sorted.length - 1) * q;
    const [below, above] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]];
    return below === undefined || above === undefined
      ? undefined
      : below + (above - below) * (place - Math.floor(place));
  };
}

/** The place of the first value that is not smaller. */
function placeIn(sorted: readonly number[], value: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
