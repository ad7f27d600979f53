// How much a price has moved.
import { logit } from '../../domain/index.ts';
import type { Indicator } from './indicator.ts';
import { Recent } from './recent.ts';

const HOUR_MS = 3_600_000;

/**
 * Makes the realised volatility of a probability in log-odds: √(Σ (Δ log-odds)² / T), with the moves of the last
 * `window` and T the hours between their first and last price.
 * @param settings `window`: the time that counts, ms
 * @returns the indicator: log-odds per √hour. Undefined before the second price; prices outside 0 … 1 are ignored
 * @throws RangeError when the window is not above 0
 * @example const volatility = realisedVolatility({ window: 600_000 })
 */
export function realisedVolatility({ window }: { readonly window: number }): Indicator {
  const moves = new Recent(window);
  let squares = 0;
  let last: { readonly logOdds: number; readonly t: number } | undefined;
  /** The price before the oldest move. */
  let first: number | undefined;
  let current: number | undefined;
  return (value, t) => {
    if (!(value > 0 && value < 1)) return current;
    const logOdds = logit(value);
    if (last === undefined) first = t;
    else {
      const square = (logOdds - last.logOdds) ** 2;
      squares += square;
      for (const gone of moves.add(square, t)) {
        squares -= gone.value;
        first = gone.t;
      }
    }
    last = { logOdds, t };
    const hours = (t - (first ?? t)) / HOUR_MS;
    if (moves.size > 0 && hours > 0) current = Math.sqrt(Math.max(0, squares) / hours);
    return current;
  };
}
