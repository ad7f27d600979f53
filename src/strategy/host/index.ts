// Runs strategies: loads them, checks their parameters, sends them their inputs and disables them when they
// fail.
export { leave } from './exit-trap.ts';
export type { GameModelPorts } from './game-models.ts';
export { GameModels } from './game-models.ts';
export type { GameViewParts } from './with-game.ts';
export { withGame } from './with-game.ts';
export type { HostPorts, StrategyBudget, StrategyEntry, StrategyLimits } from './host.ts';
export { DEFAULT_BUDGET, StrategyHost } from './host.ts';
export type { LoadedStrategy, ModuleGeneration } from './loader.ts';
export {
  ThrownMeanwhile,
  beginGeneration,
  codeOf,
  commonJsFiles,
  forgetCommonJs,
  filesOf,
  findPackagesIn,
  isCommonJs,
  generationOf,
  generationsOn,
  loadStrategy,
  placeOf,
} from './loader.ts';
export type { ParamLeaf } from './param-leaves.ts';
export { paramLeaves } from './param-leaves.ts';
export { checkParams, describeParams } from './params.ts';
export { MarketHistories, peeking, RecordedHistory } from './market-history.ts';
export { PersistedValues } from './persisted-values.ts';
export { SeriesLog } from './series-log.ts';
export type { StandingSignal } from './signal-board.ts';
export { SignalBoard } from './signal-board.ts';
export type { StrategyModule } from './thrown.ts';
export { asError, isOnInAnyGeneration, thrownBy } from './thrown.ts';
export type { Around, Trial } from './trial.ts';
export { tryOut } from './trial.ts';
