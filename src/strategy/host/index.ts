// Where strategies run: loaded, checked, given their inputs, and taken off when they fail.
export { leave } from './exit-trap.ts';
export type { HostPorts, StrategyBudget, StrategyEntry } from './host.ts';
export { DEFAULT_BUDGET, StrategyHost } from './host.ts';
export type { LoadedStrategy, StrategyLife } from './loader.ts';
export {
  ThrownMeanwhile,
  beginLife,
  codeOf,
  filesOf,
  findPackagesIn,
  isCommonJs,
  lifeOf,
  livesOn,
  loadStrategy,
  placeOf,
} from './loader.ts';
export type { ParamLeaf } from './param-leaves.ts';
export { paramLeaves } from './param-leaves.ts';
export { checkParams, describeParams } from './params.ts';
export type { StandingSignal } from './signal-board.ts';
export { SignalBoard } from './signal-board.ts';
export type { StrategyModule } from './thrown.ts';
export { asError, isOnInAnyLife, thrownBy } from './thrown.ts';
export type { Around, Trial } from './trial.ts';
export { tryOut } from './trial.ts';
