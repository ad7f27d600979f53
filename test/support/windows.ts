import type { BacktestOptions } from '../../src/backtest/scenario-types.ts';

/** The request windows of the spec with the bot's margin. */
export const WINDOWS: BacktestOptions['windows'] = {
  place: { requests: 25, windowMs: 5000, marginMs: 20 },
  cancel: { requests: 30, windowMs: 2000, marginMs: 20 },
  read: { requests: 10, windowMs: 1000, marginMs: 20 },
};
