// The exchange's reports of own orders, after parsing: events of the user feed, results of requests, REST
// lists.
import type { GameId, OrderId, OrderRef, TxId } from './brand.ts';
import type { PlayerMode } from './player-mode.ts';
import type { MarketType } from './market.ts';
import type { LeagueBook } from './market-data.ts';
import type { Micros } from './money.ts';
import type { AmericanOdds } from './odds.ts';

export type PositionKind =
  | 'posted'
  | 'partly-taken'
  | 'fully-taken'
  | 'took' // the user took another's offer
  | 'cancelled'
  /** None of the spec's rows, such as an edit after a partial fill: the order rests with `remaining`. */
  | 'changed';

export type FillReport = {
  readonly txId: TxId;
  readonly risk: Micros;
  readonly odds: AmericanOdds;
  /** The player mode of its order, when named. */
  readonly mode?: PlayerMode | undefined;
};

/** The place of an order, as far as the extra fields give it. `side` is a participant id, over or under. */
export type OrderPlace = {
  readonly type: MarketType | undefined;
  readonly side: string | undefined;
  readonly line: number | undefined;
};

export type PositionEvent = {
  readonly kind: PositionKind;
  readonly gameId: GameId;
  /** The user's own offer; undefined for a take. */
  readonly orderId: OrderId | undefined;
  readonly ref: OrderRef | undefined;
  readonly odds: AmericanOdds | undefined;
  readonly offered: Micros | undefined;
  readonly remaining: Micros | undefined;
  /**
   * The total filled amount in the event. By some documents it covers only this fill, so it may be too low,
   * never too high.
   */
  readonly filled: Micros | undefined;
  readonly fill: FillReport | undefined;
  readonly place: OrderPlace;
  /** The player mode of the order, when named. */
  readonly mode?: PlayerMode | undefined;
};

/** The result of one order. Accepted with fills and no `orderId`: nothing rests. */
export type PlaceResult =
  | {
      readonly status: 'accepted';
      readonly orderId: OrderId | undefined;
      readonly ref: OrderRef | undefined;
      readonly fills: readonly FillReport[];
      /** The player mode of the order, when named. */
      readonly mode?: PlayerMode | undefined;
    }
  | { readonly status: 'refused'; readonly errorType: string | undefined; readonly message: string }
  | { readonly status: 'unreadable'; readonly problem: string };

export type EditResult = {
  /** True when the old order is cancelled; undefined when the reply does not show it. */
  readonly cancelled: boolean | undefined;
  /** The total filled amount of the old order, when the exchange reports it. */
  readonly filled: Micros | undefined;
  readonly placed: PlaceResult;
};

export type CancelResult = {
  readonly orderId: OrderId | undefined;
  /**
   * True when this request cancelled the order; false when it could not (already ended, or not an own order).
   */
  readonly success: boolean;
  /** The total filled amount of the order, when the exchange reports it. */
  readonly filled: Micros | undefined;
  readonly reason: string | undefined;
};

/** An open order in a REST list; missing fields are undefined. */
export type OpenOrder = {
  readonly orderId: OrderId;
  readonly gameId: GameId | undefined;
  readonly ref: OrderRef | undefined;
  readonly remaining: Micros | undefined;
  /** The original size. */
  readonly risk: Micros | undefined;
  readonly filled: Micros | undefined;
  readonly odds: AmericanOdds | undefined;
  readonly place: OrderPlace;
  /** Unix ms. */
  readonly createdAt: number | undefined;
  /** The player mode, when named. */
  readonly mode?: PlayerMode | undefined;
};

/** A matched play in a REST list, whose game may not be graded yet. */
export type OpenPlay = FillReport & {
  readonly gameId: GameId;
  readonly orderId: OrderId | undefined;
  readonly ref: OrderRef | undefined;
  readonly place: OrderPlace;
  /** True when its game settled it, with `profit`; some exchanges still list it then. */
  readonly graded?: boolean;
  readonly profit?: Micros | undefined;
};

/**
 * The result of a play by the final score, micro-dollars: above 0 won, below 0 lost; undefined when not
 * reported.
 */
export type GradedPlay = { readonly txId: TxId; readonly profit: Micros | undefined };

/** A look-up of one play. `profit`: undefined when a graded play's result is not reported. */
export type PlayLookup = { readonly graded: boolean; readonly profit: Micros | undefined };

export type ReferenceTrail = {
  readonly open: readonly OpenOrder[];
  readonly fills: readonly FillReport[];
  readonly graded: readonly GradedPlay[];
};

export type OrderLookup = {
  /** The resting amount; 0 when the order has ended. */
  readonly remaining: Micros;
  readonly filled: Micros | undefined;
};

/** The current user: player mode and balances, dollars. */
export type UserLookup = {
  readonly mode: PlayerMode | undefined;
  readonly cash: number | undefined;
  readonly coins: number | undefined;
};

/** An answer of the exchange, parsed for its request. */
export type Answer =
  | { readonly type: 'placed'; readonly results: readonly PlaceResult[] }
  | { readonly type: 'edited'; readonly result: EditResult }
  | { readonly type: 'cancelled'; readonly results: readonly CancelResult[] }
  | { readonly type: 'book'; readonly book: LeagueBook }
  | { readonly type: 'user'; readonly user: UserLookup }
  | { readonly type: 'open-orders'; readonly orders: readonly OpenOrder[] }
  | { readonly type: 'plays'; readonly plays: readonly OpenPlay[] }
  | { readonly type: 'play'; readonly play: PlayLookup }
  | { readonly type: 'reference'; readonly trail: ReferenceTrail }
  | { readonly type: 'order'; readonly order: OrderLookup }
  /** Accepted, without further content. */
  | { readonly type: 'taken' }
  /** A status of an error. */
  | ErrorAnswer
  /** An answer that cannot be read. */
  | { readonly type: 'unreadable'; readonly problem: string };

export type ErrorAnswer = {
  readonly type: 'error';
  readonly status: number;
  readonly message: string;
  readonly retryAfterMs: number;
  /** `error.details.code`: stable, to branch on (spec, Errors). */
  readonly code?: string;
};
