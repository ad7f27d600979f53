// What the exchange says of own orders, after parsing: events of the user feed, results of requests, REST lists.
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
  /** Of its order, where it is named. */
  readonly mode?: PlayerMode | undefined;
};

/** Where an order stands, as far as the extra fields tell it. `side` is a participant id, over or under. */
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
  /** Filled in all, as the event says; by some documents only this fill, so it may be too little, never too much. */
  readonly filled: Micros | undefined;
  readonly fill: FillReport | undefined;
  readonly place: OrderPlace;
  /** Of the order, where it is named. */
  readonly mode?: PlayerMode | undefined;
};

/** What came of one order. `remaining` 0 with fills: nothing rests. */
export type PlaceResult =
  | {
      readonly status: 'accepted';
      readonly orderId: OrderId | undefined;
      readonly ref: OrderRef | undefined;
      readonly fills: readonly FillReport[];
      /** Of the order, where it is named. */
      readonly mode?: PlayerMode | undefined;
    }
  | { readonly status: 'refused'; readonly errorType: string | undefined; readonly message: string }
  | { readonly status: 'unreadable'; readonly problem: string };

export type EditResult = {
  /** Whether the old order is gone; undefined when the reply does not tell. */
  readonly cancelled: boolean | undefined;
  /** What the old order had filled in all, when the exchange tells it. */
  readonly filled: Micros | undefined;
  readonly placed: PlaceResult;
};

export type CancelResult = {
  readonly orderId: OrderId | undefined;
  /** True when this request cancelled the order; false when it could not (done already, or not ours). */
  readonly success: boolean;
  /** What the order filled in all, when the exchange tells it. */
  readonly filled: Micros | undefined;
  readonly reason: string | undefined;
};

/** An open order as a REST list tells it; what it does not tell is undefined. */
export type OpenOrder = {
  readonly orderId: OrderId;
  readonly gameId: GameId | undefined;
  readonly ref: OrderRef | undefined;
  readonly remaining: Micros | undefined;
  /** Original size. */
  readonly risk: Micros | undefined;
  readonly filled: Micros | undefined;
  readonly odds: AmericanOdds | undefined;
  readonly place: OrderPlace;
  /** Unix ms. */
  readonly createdAt: number | undefined;
  /** Where it is named. */
  readonly mode?: PlayerMode | undefined;
};

/** A matched play that waits for its game, as a REST list tells it. */
export type OpenPlay = FillReport & {
  readonly gameId: GameId;
  readonly orderId: OrderId | undefined;
  readonly ref: OrderRef | undefined;
  readonly place: OrderPlace;
  /** Its game settled it, and it brought `profit`; some exchanges go on listing it. */
  readonly graded?: boolean;
  readonly profit?: Micros | undefined;
};

/** What the final score made of a play: above 0 won, below 0 lost, dollars in micros; undefined when it is not told. */
export type GradedPlay = { readonly txId: TxId; readonly profit: Micros | undefined };

/** Without a profit, a graded play brought what nobody tells. */
export type PlayLookup = { readonly graded: boolean; readonly profit: Micros | undefined };

export type ReferenceTrail = {
  readonly open: readonly OpenOrder[];
  readonly fills: readonly FillReport[];
  readonly graded: readonly GradedPlay[];
};

export type OrderLookup = {
  /** What still rests; 0 when the order is done. */
  readonly remaining: Micros;
  readonly filled: Micros | undefined;
};

/** The current user: player mode and balances, dollars. */
export type UserLookup = {
  readonly mode: PlayerMode | undefined;
  readonly cash: number | undefined;
  readonly coins: number | undefined;
};

/** An answer of the exchange, read for the request that it answers. */
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
  /** Taken; it says nothing else. */
  | { readonly type: 'taken' }
  /** A status that says no. */
  | ErrorAnswer
  /** Nobody knows what it says. */
  | { readonly type: 'unreadable'; readonly problem: string };

export type ErrorAnswer = {
  readonly type: 'error';
  readonly status: number;
  readonly message: string;
  readonly retryAfterMs: number;
  /** `error.details.code`: stable, to branch on (spec, Errors). */
  readonly code?: string;
};
