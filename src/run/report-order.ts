// One order of a run that rested, as reports have it.
import type { AmericanOdds, Market, Micros, Side, StrategyId } from '../domain/index.ts';

/** How an order ended, as the exchange has it. */
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
  /** Others' stake that was served before it when it came to rest. */
  readonly queuePlaced: Micros | undefined;
  /** Fair when it came to rest. */
  readonly fair: number | undefined;
  readonly reason: string | undefined;
};
