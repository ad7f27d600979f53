// One order of a run that rested, as reports show it.
import type { AmericanOdds, Market, Micros, Side, StrategyId } from '../domain/index.ts';

/** How an order ended at the exchange. */
export type OrderEnd = 'filled' | 'cancelled' | 'expired' | 'edited' | 'open';

export type ReportOrder = {
  readonly ref: string;
  readonly strategy: StrategyId | undefined;
  readonly market: Market;
  readonly side: Side;
  readonly price: number;
  readonly odds: AmericanOdds;
  readonly risk: Micros;
  readonly filled: Micros;
  readonly fromMs: number;
  readonly toMs: number;
  readonly end: OrderEnd;
  /** Others' stake ahead of it in the queue when it rested. */
  readonly queuePlaced: Micros | undefined;
  /** Fair price when it rested. */
  readonly fair: number | undefined;
  readonly reason: string | undefined;
};
