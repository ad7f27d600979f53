// A run on recorded feeds: the venue in process, fill and latency models, and what composes, plays and writes it.
export type { ScenarioRun, SeenOnTapes } from './backtest.ts';
export { csvOf, variationsCsv } from './csv.ts';
export type { FillFit, FillScore } from './fill-fit.ts';
export { BLOCKS, LEAST_LABELS, fitFills, scoreOf } from './fill-fit.ts';
export type { Labelled } from './fill-labels.ts';
export { labelsIn } from './fill-labels.ts';
export { fillModelOf, fillModelText } from './fill-model-file.ts';
export { takenProbability } from './fill-model.ts';
export { happenedIn } from './happened.ts';
export type { Latency } from './latency.ts';
export { leastRoundTrip } from './latency.ts';
export type { LookAhead } from './look-ahead.ts';
export { isVoid, lookAheadInThread, lookAheadText } from './look-ahead.ts';
export { MarketSource } from './market-source.ts';
export { resultNotes, seenText, someOf, unaskedNotes } from './notes.ts';
export type { BacktestTiming } from './out.ts';
export {
  MORE_RESULTS,
  RESULTS,
  VARIATIONS,
  journalOf,
  prepareOut,
  removeVariations,
  writeOut,
} from './out.ts';
export type { BacktestFlags, BacktestPlan } from './plan.ts';
export { backtestPlan } from './plan.ts';
export type { Candidate, Outcome } from './play.ts';
export { playAll } from './play.ts';
export { BacktestProgress } from './progress.ts';
export { latencyOf, latencyText } from './read-journals.ts';
export type { Report } from './report-files.ts';
export { reporter } from './report-files.ts';
export type { BacktestResult, ScenarioResult } from './result.ts';
export type { Results } from './results-file.ts';
export { GameResults, readResults } from './results-file.ts';
export { runJob } from './scenario-run.ts';
export type { Calibrated, Scenario } from './scenarios.ts';
export { SCENARIOS, SHOWN } from './scenarios.ts';
export { SHIPPED_FILL_MODEL } from './shipped-fill-model.ts';
export { escaped, spreadSvg } from './spread-svg.ts';
export { COMPLETED, FAILURES } from './strategy-failures.ts';
export { findTapes, firstFrameOf, openTapes } from './tapes.ts';
export { ThreadPool, inTurns, threadFile } from './thread-pool.ts';
export { inThread } from './thread-side.ts';
export type { VariedRun } from './variations.ts';
export { pathOf, valuesOf, variationsOf, varied } from './variations.ts';
