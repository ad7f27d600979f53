// What happens to orders and requests (event.ts).
import type { NewOrder } from './order.ts';
import { oddsOf } from './odds.ts';
import type { GameId, OrderId, OrderRef, StrategyId } from './brand.ts';
import type { Why } from './command.ts';
import type { Bucket, FailureKind, RequestId } from './requests.ts';
import type { MarketId, Side } from './market.ts';
import type { Cents, Micros } from './money.ts';
import type { AmericanOdds } from './odds.ts';
import type { OrderStatus } from './order.ts';

/** Where an order or a fill is: a market and the side that it backs. */
export type Place = { readonly market: MarketId; readonly side: Side };

/** Which request of ours brought an order, and how it was answered. */
export type Answered = {
  readonly ref: OrderRef;
  readonly request: RequestId;
  /** HTTP status; undefined: there was no answer. */
  readonly status: number | undefined;
  /** From the command to the answer, or to where it was given up, ms. */
  readonly latencyMs: number;
};

/** A former run sent it, and its end left open what became of it, or left it at rest. */
export type OrderInherited = Place & {
  readonly type: 'OrderInherited';
  readonly ref: OrderRef;
  readonly orderId: OrderId | undefined;
  readonly odds: AmericanOdds;
  readonly risk: Cents;
  /** Unix ms. */
  readonly sentAt: number;
};

/** A place or an edit leaves for the exchange, with one order of it. */
export type OrderSubmitted = Place & {
  readonly type: 'OrderSubmitted';
  readonly ref: OrderRef;
  readonly request: RequestId;
  /** Undefined: the reference names none of ours. */
  readonly strategy: StrategyId | undefined;
  /** The strategy's name for the quote. */
  readonly key: string | undefined;
  readonly odds: AmericanOdds;
  readonly risk: Cents;
  /** The order that an edit takes the place of. */
  readonly replaces?: OrderId;
  readonly why: Why | undefined;
  /** What the market is marked at. */
  readonly fair: number | undefined;
  /** Absent: its game has not begun. */
  readonly isInPlay?: true;
  /** So few place permits were left that what waited, waited for one. */
  readonly isShort?: true;
};

/** The event of an order that a place or an edit asks for. `line`: what the request itself does not say. */
export const submittedOf = (
  { type, ref, strategy, key, fair, ...more }: SubmittedLine,
  { market, side, rung, risk }: NewOrder,
  request: RequestId,
  why: Why | undefined,
  replaces?: OrderId,
): OrderSubmitted => ({
  type,
  ref,
  request,
  strategy,
  key,
  market: market.id,
  side,
  odds: oddsOf(rung),
  risk,
  ...(replaces === undefined ? {} : { replaces }),
  why,
  fair,
  ...more,
});
export type SubmittedLine = Pick<OrderSubmitted, 'type' | 'ref' | 'strategy' | 'key' | 'fair' | 'isInPlay' | 'isShort'>;

/** The exchange took an order. */
export type OrderAccepted = Answered & { readonly type: 'OrderAccepted'; readonly orderId: OrderId | undefined };

/** The exchange refused an order, or it was not sent at all. */
export type OrderRejected = Answered & {
  readonly type: 'OrderRejected';
  /** The exchange's own word for the reason. */
  readonly code: string | undefined;
  readonly reason: string;
  /** False: something of ours held it back, and it never left. */
  readonly isSent: boolean;
};

/** No readable answer: the order may rest, or may not. */
export type OrderUnknown = Answered & { readonly type: 'OrderUnknown'; readonly reason: string };

/** The fate of an order is known again, by whatever showed it. */
export type OrderResolved = {
  readonly type: 'OrderResolved';
  readonly ref: OrderRef;
  readonly as: string;
  readonly from?: EvidenceSource;
};

/**
 * Where something of an own order was learned: an answer to a request, an event of the user feed, an own row of the public book, a
 * list of the account, a look-up by id, one by reference (`trail`), or what became of a request of ours.
 */
export type EvidenceSource = 'reply' | 'event' | 'row' | 'list' | 'look-up' | 'trail' | 'request';

/**
 * A source says something of an own order whose fate is open, that one rests that is believed to be over, or something that leaves
 * open what an order filled. What other evidence leads to is said by the events of the order, which name its source.
 */
export type Evidence = {
  readonly type: 'Evidence';
  readonly ref: OrderRef;
  readonly orderId: OrderId | undefined;
  readonly from: EvidenceSource;
  readonly says: string;
  /** What is believed since: its status, what filled, and what may still fill. */
  readonly status: OrderStatus;
  readonly filled: Micros;
  readonly mayFill: Micros;
};

/** An order that no run of this instance sent is on the account, or is there no more. */
export type ExternalOrder = Place & {
  readonly type: 'ExternalOrder';
  readonly orderId: OrderId;
  readonly odds: AmericanOdds;
  /** What of it can still be taken. */
  readonly risk: Micros;
  readonly isOpen: boolean;
};

/** An order rests at the exchange. `ahead`: others' stake that is taken before it; undefined: its book is not known. */
export type OrderRested = {
  readonly type: 'OrderRested';
  readonly ref: OrderRef;
  readonly orderId: OrderId | undefined;
  readonly ahead: Micros | undefined;
  /** 1: nothing is taken before it. */
  readonly rank: number | undefined;
  /** The consensus of the others then. */
  readonly fair: number | undefined;
  /** What of it is offered: an edit may be of less than was asked. Only the venue of a backtest says it. */
  readonly offered?: Micros;
  readonly isInPlay?: true;
  readonly from?: EvidenceSource;
};

/** Home and away of its game changed places: an order that rests, or may, stays on its team. */
export type OrderMoved = Place & { readonly type: 'OrderMoved'; readonly ref: OrderRef };

/**
 * An order is over. `how`: filled, refused, never-landed, not-sent, or what cancelled it (cancel, edit, cancel-all, exchange); the
 * venue of a backtest says `expired` apart.
 */
export type OrderEnded = {
  readonly type: 'OrderEnded';
  readonly ref: OrderRef;
  readonly how: string;
  readonly filled: Micros;
  /** Since it left for the exchange, ms. */
  readonly lifeMs: number;
  readonly from?: EvidenceSource;
};

/** An order that was believed to be over may rest after all. */
export type OrderRevived = { readonly type: 'OrderRevived'; readonly ref: OrderRef };

/** A cancel leaves: of these orders, of a game, of a league, or (without either) of the whole account. */
export type CancelSubmitted = {
  readonly type: 'CancelSubmitted';
  readonly request: RequestId;
  readonly orders: readonly {
    readonly orderId: OrderId;
    readonly why: Why | undefined;
    readonly isInPlay?: true;
  }[];
  /** As of an order that is submitted. */
  readonly isShort?: true;
  readonly scope?: { readonly game: GameId } | { readonly league: string } | 'account';
};

/** Any answer to a request, or its failure. A late answer comes behind the failure `timeout` of the same request. */
export type RequestAnswered = {
  readonly type: 'RequestAnswered';
  readonly request: RequestId;
  /** place, edit, cancel, cancel-all, switch-mode, or `read` with what is read. */
  readonly kind: string;
  readonly status: number | undefined;
  readonly failure?: FailureKind;
  /** The exchange's own word for a refusal. */
  readonly code?: string;
  readonly latencyMs: number;
};

/** No request of this bucket leaves for a while, since the exchange said so. */
export type WindowHeld = { readonly type: 'WindowHeld'; readonly bucket: Bucket; readonly forMs: number };
