// What a strategy sees of one market: a read-only snapshot, at most one per input. Objects shared between
// strategies are frozen: writing into one throws.
import type {
  AmericanOdds,
  Cents,
  CommissionRule,
  Fill,
  Game,
  HeldPosition,
  Ladder,
  Market,
  Micros,
  OrderStatus,
  Position,
  Rung,
  Side,
} from '../domain/index.ts';
import type { Freshness } from '../mirror/index.ts';
import type { GameScore } from '../pricing/index.ts';

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
  /** When the order was sent, Unix ms. `queuePlace(offer, side.offers)` is its place in the queue. */
  readonly sentAt: number;
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

/** A fair price of a market at a time. */
export type PricePoint = {
  /** Unix ms. */
  readonly time: number;
  /** Fair probability of the first side (home, over) by the others' book. */
  readonly p: number;
};

/** A take that the book showed: someone matched an offer of another account. */
export type Take = {
  /** Unix ms. */
  readonly time: number;
  /** The side that the taken offer backed; the taker backs the other one. */
  readonly side: Side;
  /** Odds of the taken offer, as its owner has them. */
  readonly odds: AmericanOdds;
  /** Stake of the offer's owner that was taken, micro-dollars. */
  readonly risk: Micros;
};

/**
 * What a market was like before this view. It begins with the first read in the market, or with what `warmUp` gave
 * it, and keeps at most the newest 1,000 points and takes.
 */
export type MarketHistory = {
  /**
   * The fair prices by the others' book, a point for each change.
   * @param most the newest points, at most this many
   * @returns the points, oldest first
   */
  readonly consensus: (most?: number) => readonly PricePoint[];
  /**
   * The takes of others' offers. Where the feed does not name owners, takes of own offers are among them.
   * @param most the newest takes, at most this many
   * @returns the takes, oldest first
   */
  readonly takes: (most?: number) => readonly Take[];
};

/** The account of the bot, as it is when it is read. */
export type AccountView = {
  /**
   * Money of the account in its player mode, micro-dollars: the balance, and the stakes of open positions.
   * Undefined until the exchange has reported a balance.
   */
  readonly bankroll: Micros | undefined;
  /** Requests that may be sent now. */
  readonly permits: {
    /** Places and edits. */
    readonly place: number;
    /** Cancels. */
    readonly cancel: number;
  };
  /** The exchange's commission on winnings, by the configuration. */
  readonly commission: CommissionRule;
  /** The position in each market with fills that are not settled, of all games. */
  readonly positions: readonly HeldPosition[];
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
  /** Earlier fair prices of this market, and takes of others' offers. */
  readonly history: MarketHistory;
  /** The whole account. Unlike the rest of a view it is as it is when it is read. */
  readonly account: AccountView;
  /**
   * The score of the game in play, from the signals `lead:`, `clock:` and `scored:`, to which it subscribes the
   * instance.
   * @returns home's lead, the share of the game that is left, and the sum of both scores where it is known.
   * Undefined when no fresh score is known.
   */
  readonly score: () => GameScore | undefined;
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
