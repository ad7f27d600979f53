// What a backtest leaves in the folder of `--out`, by name.

/** How it took offers that vanish, in the order in which they fill more (docs/backtest-fills.md). */
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

/** There only when there is something to tell: of another backtest they go. */
export const MORE_RESULTS = ['fill-model.json', 'orders.csv', 'quotes.csv'] as const;

export const journalOf = (scenario: Scenario): string => `${scenario}.ndjson`;
