// Which side takers back.
import type { Indicator } from './indicator.ts';
import { Recent } from './recent.ts';

/**
 * Makes the imbalance of trades: Σ size / Σ |size| over the last `window`, from −1 to 1.
 * @param settings `window`: the time that counts, ms
 * @returns the indicator. Its values are sizes of trades in any unit: above 0 where a taker backed the first side,
 * below 0 where one backed the second. A value of 0 is no trade and lets time pass
 * @throws RangeError when the window is not above 0
 * @example const imbalance = tradeImbalance({ window: 300_000 })
 */
export function tradeImbalance({ window }: { readonly window: number }): Indicator {
  const trades = new Recent(window);
  let [signed, all] = [0, 0];
  let count = 0;
  return (value, t) => {
    const size = Number.isFinite(value) ? value : 0;
    signed += size;
    all += Math.abs(size);
    count += size === 0 ? 0 : 1;
    for (const gone of trades.add(size, t)) {
      signed -= gone.value;
      all -= Math.abs(gone.value);
      count -= gone.value === 0 ? 0 : 1;
    }
    // what is left of a sum without trades is rounding
    if (count === 0) [signed, all] = [0, 0];
    return count === 0 ? undefined : Math.max(-1, Math.min(1, signed / all));
  };
}
