// The alert codes of faults that disable a strategy in a backtest.
import type { ScenarioResult } from './result.ts';

/** How often strategies of a scenario were disabled. */
export const failuresOf = ({ alerts }: Pick<ScenarioResult, 'alerts'>): number =>
  [...FAILURES, COMPLETED].reduce((sum, code) => sum + (alerts[code] ?? 0), 0);

export const COMPLETED = 'STRATEGY_COMPLETED';

export const FAILURES = ['STRATEGY_THREW', 'STRATEGY_BAD_INTENT', 'STRATEGY_OVERRUN', 'ASYNC_EMISSION'] as const;
