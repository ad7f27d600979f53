// One fill as the figures of a run take it (figures.md): from a backtest, or from a journal.
import type { AmericanOdds, GameId, Market, Micros, OrderRef, Side, StrategyId, TxId } from '../domain/index.ts';
import type { OutsideOfFill } from './outside-prices.ts';

/**
 * Fair after each of MARKOUT_SECONDS, in their order; undefined: not known, or not yet. A list, since an object with such numbers
 * as keys takes kilobytes, and fills are many.
 */
export type MarkoutPrices = readonly (number | undefined)[];

/** Money is micro-dollars; prices are probabilities of the side that was backed. */
export type RunFill = {
  readonly txId: TxId;
  /** Of its order; undefined: of no order of ours. */
  readonly ref: OrderRef | undefined;
  readonly odds: AmericanOdds;
  /** Stake and payout, stake included. */
  readonly risk: number;
  readonly payout: number;
  readonly isInPlay: boolean;
  /** Fair when it filled, and at the close: the last price before the start; in play the last price of the market. */
  readonly f0: number | undefined;
  readonly fc: number | undefined;
  /** Fair so many seconds later. */
  readonly later: MarkoutPrices;
  /** What the market was marked at right after it, and a minute later or at the end of the run (a backtest alone). */
  readonly mark: number | undefined;
  readonly markLater: number | undefined;
  /** What it brought before commission; undefined: its game is not settled. */
  readonly profit: number | undefined;
  /** What the exchange keeps of it. */
  readonly commission: number;
  /** Unix ms. */
  readonly t: number;
  readonly gameId: GameId;
  readonly eventName: string;
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
  /** Fair so long before: PAST_MS. */
  readonly past: number | undefined;
  /** What the strategy itself took the side to be worth (`fair` of its intent): right before, so long before and at the close; undefined: it did not say. */
  readonly own: { readonly f0: number; readonly past: number | undefined; readonly fc: number | undefined } | undefined;
  /** By source, the prices of whoever prices the market outside (OutsidePrices), when it filled and at the close. */
  readonly outside: OutsideOfFill;
};
