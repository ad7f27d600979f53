// What a strategy sees of one market: a read-only snapshot, at most one per input. Objects shared between
// strategies are frozen: writing into one throws.
import type { Cents, Fill, Game, Ladder, Market, Micros, OrderStatus, Position, Rung, Side } from '../domain/index.ts';
import type { Freshness } from '../mirror/index.ts';

/** One of this strategy's own orders that rests or may still rest. */
export type OwnOffer = {
  /** The side that the offer backs. */
  readonly side: Side;
  /** Its price, an index of the odds ladder. */
  readonly rung: Rung;
  /** Original size in cents. */
  readonly risk: Cents;
  /** Stake that takers can still match, micro-dollars of own stake. */
  readonly remaining: Micros;
  /** The key of the quote. */
  readonly key: string;
  /** The state of the order, as the bot knows it. */
  readonly status: OrderStatus;
};

/** One side of a market: the offers of others and the strategy's own. */
export type SideView = {
  /** The side. */
  readonly side: Side;
  /** Offers of others, best for a taker first. Own offers are left out. */
  readonly offers: Ladder;
  /** Whether the book of this side is up to date. */
  readonly freshness: Freshness;
  /** This strategy's own offers on this side. */
  readonly own: readonly OwnOffer[];
};

/**
 * A snapshot of a market. A new one is sent when its book, game or signals change, or the strategy's orders,
 * fills or position.
 */
export type MarketView = {
  /** Wall clock of the input that caused this view, Unix ms. */
  readonly time: number;
  /** The game of the market. */
  readonly game: Game;
  /** The market. */
  readonly market: Market;
  /** First side (home, over), then second (away, under). */
  readonly sides: readonly [SideView, SideView];
  /** The account's position in this market: micro-dollars per outcome. */
  readonly position: Position;
  /** This strategy's fills in this market, oldest first. */
  readonly fills: readonly Fill[];
  /** Numbers from outside the exchange, by name. Reading one subscribes the instance to it. */
  readonly signals: Signals;
};

/**
 * Named numbers from outside the exchange (from the operator's model, say), with the newest value of each.
 */
export type Signals = {
  /**
   * Reads a signal and subscribes the instance to it: the instance sees its markets again whenever the value
   * changes.
   * @param name the signal's name
   * @returns the newest value. Undefined when none was received, or it was withdrawn or has expired.
   */
  readonly get: (name: string) => number | undefined;
};
