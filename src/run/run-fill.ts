// One fill as input of the figures of a run (figures.md), from a backtest or a journal.
import type {
  AmericanOdds,
  GameId,
  Market,
  Micros,
  OrderRef,
  Period,
  Side,
  StrategyId,
  TxId,
} from '../domain/index.ts';
import type { OutsideOfFill } from './outside-prices.ts';

/**
 * Fair prices after each of MARKOUT_SECONDS, in their order; undefined: not known, or not yet. It is a list,
 * since an object with such numbers as keys takes kilobytes, and fills are many.
 */
export type MarkoutPrices = readonly (number | undefined)[];

/** Money is micro-dollars; prices are probabilities of the side that was backed. */
export type RunFill = {
  readonly txId: TxId;
  /** Reference of its order. Undefined: it is not an order of the bot. */
  readonly ref: OrderRef | undefined;
  readonly odds: AmericanOdds;
  /** Stake, and payout with the stake included. */
  readonly risk: number;
  readonly payout: number;
  readonly isInPlay: boolean;
  /**
   * Fair price at the fill and at the close. The close is the last price before the start; in play, the last
   * of the market.
   */
  readonly f0: number | undefined;
  readonly fc: number | undefined;
  /** Fair prices after MARKOUT_SECONDS. */
  readonly later: MarkoutPrices;
  /**
   * Mark of the market right after the fill, and a minute later or at the end of the run (only in a
   * backtest).
   */
  readonly mark: number | undefined;
  readonly markLater: number | undefined;
  /** Profit before commission. Undefined: its game is not settled. */
  readonly profit: number | undefined;
  /** The exchange's commission on it. */
  readonly commission: number;
  /** Unix ms. */
  readonly t: number;
  readonly gameId: GameId;
  readonly eventName: string;
  readonly league: string;
  /** The period that decides its game. Undefined: not known. */
  readonly period: Period | undefined;
  /** Start of the game as known at the fill, Unix ms. Undefined: a fill made elsewhere, of an event not known. */
  readonly start: number | undefined;
  readonly market: Market;
  readonly side: Side;
  readonly strategy: StrategyId | undefined;
  readonly role: 'maker' | 'taker' | undefined;
  /** How long the order had rested, ms. */
  readonly ageMs: number | undefined;
  /** Others' stake ahead of it in the queue when it rested, and when it filled. */
  readonly queuePlaced: Micros | undefined;
  readonly queueFilled: Micros | undefined;
  /** Reason of the intent. */
  readonly reason: string | undefined;
  /** Payoff of the market by its two sides, this fill included, micro-dollars. */
  readonly position: { readonly first: Micros; readonly second: Micros };
  /** Fair price PAST_MS before the fill. */
  readonly past: number | undefined;
  /**
   * The strategy's own fair price (`fair` of its intent) right before, PAST_MS before and at the close.
   * Undefined: it gave none.
   */
  readonly own: { readonly f0: number; readonly past: number | undefined; readonly fc: number | undefined } | undefined;
  /** Outside prices by source (OutsidePrices), at the fill and at the close. */
  readonly outside: OutsideOfFill;
};
