export * from './held.ts';
export * from './limits.ts';
export * from './exposure.ts';
export * from './controls.ts';
export { StrategyExposures } from './strategy-exposure.ts';
