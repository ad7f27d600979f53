// Names of the files that a backtest writes to the folder of `--out`.

/** How a scenario treats offers that vanish, from fewest fills to most (docs/backtest-fills.md). */
export const SCENARIOS = ['pessimistic', 'calibrated', 'optimistic'] as const;
export type Scenario = (typeof SCENARIOS)[number];

/** The file in a backtest folder from which its figures are computed. */
export const FACTS_FILE = 'report-facts.bin';

export const RESULTS = ['result.json', 'timing.json', 'fills.csv', 'markets.csv', 'pnl.csv', 'pnl.svg'] as const;

/** Files that are written only when they have content. Those of a former backtest are removed. */
export const MORE_RESULTS = [
  'fill-model.json',
  'months.csv',
  'orders.csv',
  'quotes.csv',
  'strategy-latency.csv',
  'series.csv',
  FACTS_FILE,
  'report.json',
  'report.html',
  'profile.json',
] as const;

/** What a backtest writes for a report. Without one of these it writes `report-facts.bin`, which `report` reads. */
export const REPORTS = ['none', 'json', 'html'] as const;
export type ReportKind = (typeof REPORTS)[number];

export const journalOf = (scenario: Scenario): string => `${scenario}.ndjson`;

/** What the profilers of V8 recorded of a scenario: times, and allocations. */
export const profilesOf = (scenario: Scenario): readonly [times: string, allocations: string] => [
  `${scenario}.cpuprofile`,
  `${scenario}.heapprofile`,
];
