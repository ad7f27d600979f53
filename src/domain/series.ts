// Values that a strategy logs over time, for plots.
import type { GameId, StrategyId } from './brand.ts';
import type { MarketId } from './market.ts';

/** A value of a series. `name`: the strategy's own. */
export type SeriesPoint = { readonly name: string; readonly value: number };

/** Values of one strategy in one market, or in a game where the strategy sees whole games. */
export type LoggedSeries = {
  readonly strategy: StrategyId;
  readonly game: GameId;
  /** Absent when the strategy sees whole games. */
  readonly market?: MarketId;
  readonly points: readonly SeriesPoint[];
};
