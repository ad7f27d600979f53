// Shows figures: reports as pages and JSON, comparison of two runs, gates.
export * from './activity.ts';
export type { BacktestFacts } from './backtest-report.ts';
export { FACTS_IN_PARTS, backtestReport, packFacts, packFactsPart, unpackFacts } from './backtest-report.ts';
export * from './gate.ts';
export * from './report-data.ts';
export { reportJson, reportObject } from './report-json.ts';
export * from './compare.ts';
export * from './result-files.ts';
export { compareHtml } from './html/compare-page.ts';
export { reportHtml } from './html/page.ts';
export { readRuns, reportOfJournals } from './of-journals.ts';
