// A strategy that changes its regime in a market, such as from quiet to news.
import type { EventOf, HeldIntent, Regime } from '../domain/index.ts';

/** The event of an intent with another regime than the one before. Undefined: it is the same. */
export function regimeChange(
  { strategy, intent: { market, regime, reason } }: HeldIntent,
  before: Regime | undefined,
): EventOf<'RegimeChanged'> | undefined {
  if (regime === before) return undefined;
  return {
    ...{ type: 'RegimeChanged', market, strategy },
    ...(regime === undefined ? {} : { regime }),
    ...(before === undefined ? {} : { before }),
    ...(reason === undefined ? {} : { reason }),
  };
}
