// What takes strategies off in a backtest, by the codes of their alerts.
import type { ScenarioResult } from './result.ts';

/** How often strategies of a scenario did what takes them off. */
export const failuresOf = ({ alerts }: Pick<ScenarioResult, 'alerts'>): number =>
  [...FAILURES, COMPLETED].reduce((sum, code) => sum + (alerts[code] ?? 0), 0);

export const COMPLETED = 'STRATEGY_COMPLETED';

export const FAILURES = ['STRATEGY_THREW', 'STRATEGY_BAD_INTENT', 'STRATEGY_OVERRUN', 'ASYNC_EMISSION'] as const;
