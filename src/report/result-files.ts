// Names of the files that a backtest writes to the folder of `--out`.

/** How a scenario treats offers that vanish, from fewest fills to most (docs/backtest-fills.md). */
export const SCENARIOS = ['pessimistic', 'calibrated', 'optimistic'] as const;
export type Scenario = (typeof SCENARIOS)[number];

export const RESULTS = [
  'result.json',
  'report.json',
  'timing.json',
  'fills.csv',
  'markets.csv',
  'pnl.csv',
  'pnl.svg',
] as const;

/** Files that are written only when they have content. Those of a former backtest are removed. */
export const MORE_RESULTS = ['fill-model.json', 'orders.csv', 'quotes.csv'] as const;

export const journalOf = (scenario: Scenario): string => `${scenario}.ndjson`;
