// `oddsmaker/indicators`: numbers that follow a series or a view. Each one with a past is made by a function, and
// takes a value and its time; `through` makes it an RxJS operator. They read no clock, so a backtest and a replay
// see what the run saw.
export type { Indicator } from './indicators/indicator.ts';
export { through } from './indicators/indicator.ts';
export { ewma } from './indicators/ewma.ts';
export type { JumpDetector, JumpSettings } from './indicators/jump-detector.ts';
export { jumpDetector } from './indicators/jump-detector.ts';
export type { GuardState, JumpGuard, JumpGuardSettings } from './indicators/jump-guard.ts';
export { jumpGuard } from './indicators/jump-guard.ts';
export { realisedVolatility } from './indicators/realised-volatility.ts';
export { rollingQuantile } from './indicators/rolling-quantile.ts';
export { tradeImbalance } from './indicators/trade-imbalance.ts';
export { microprice, timeToStart } from './indicators/of-views.ts';
export type { MarketView } from './view.ts';
