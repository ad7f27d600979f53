// Names of signals about positions on other exchanges: `held:<market>:first` and `held:<market>:second`. The
// value is what everything that is held elsewhere in the market brings if that side wins, dollars, net.
import type { Market } from './market.ts';
import { marketNamed } from './market.ts';

const HELD_PREFIX = 'held:';

/** The largest amount that a signal may give, dollars: sums of such amounts stay finite. */
export const MOST_HELD = 1e9;

/** No line is larger, points: the worst case visits the scores around each line. */
const MOST_LINE = 10_000;

/** The market of a signal, and the side whose win brings the amount: 0 for the first, 1 for the second. */
export type HeldName = { readonly market: Market; readonly side: 0 | 1 };

const HELD_NAME = /^held:(?<market>.+):(?<side>first|second)$/s;

/** True for names that belong to positions elsewhere, also misspelt ones. */
export const isHeldName = (name: string): boolean => name.startsWith(HELD_PREFIX);

/** The market and side of a signal. Undefined when its name is not `held:<market>:first` or `:second`. */
export function heldNamed(name: string): HeldName | undefined {
  if (!isHeldName(name)) return undefined;
  const { market: id = '', side } = HELD_NAME.exec(name)?.groups ?? {};
  const market = marketNamed(id);
  if (market === undefined || Math.abs(market.line ?? 0) > MOST_LINE) return undefined;
  return { market, side: side === 'first' ? 0 : 1 };
}

/** What is expected instead of a value of such a signal. Undefined when it is right. */
export function expectedHeld(name: string, dollars: number): string | undefined {
  if (heldNamed(name) === undefined)
    return 'the name held:<market>:first or held:<market>:second, with a market id such as <game>/spread/-3.5';
  return Math.abs(dollars) <= MOST_HELD ? undefined : `dollars, from -${MOST_HELD} to ${MOST_HELD}`;
}
