// One fill as the figures of a run take it (REPORT.md): from a backtest, or from a journal.
import type { GameId, Market, Micros, Side, StrategyId } from '../domain/index.ts';
import type { FillPrices } from './fill-figures.ts';

export type ReportFill = FillPrices & {
  /** Unix ms. */
  readonly t: number;
  readonly gameId: GameId;
  readonly league: string;
  /** Of the game, as it was told then, Unix ms. */
  readonly start: number;
  readonly market: Market;
  readonly side: Side;
  readonly strategy: StrategyId | undefined;
  readonly role: 'maker' | 'taker' | undefined;
  /** How long the order had rested. */
  readonly ageMs: number | undefined;
  /** Others' stake that was served before it when it came to rest, and when it filled. */
  readonly queuePlaced: Micros | undefined;
  readonly queueFilled: Micros | undefined;
  /** Of the intent. */
  readonly reason: string | undefined;
  /** What the market pays by its two sides, this fill included, micro-dollars. */
  readonly position: { readonly first: Micros; readonly second: Micros };
  readonly isInPlay: boolean;
  /** Fair five seconds before. */
  readonly past: number | undefined;
};
