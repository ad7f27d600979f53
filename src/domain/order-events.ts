// Events of orders and requests (event.ts).
import type { NewOrder } from './order.ts';
import { oddsOf } from './odds.ts';
import type { GameId, OrderId, OrderRef, StrategyId } from './brand.ts';
import type { Why } from './command.ts';
import type { Bucket, FailureKind, RequestId } from './requests.ts';
import type { MarketId, Side } from './market.ts';
import type { Cents, Micros } from './money.ts';
import type { AmericanOdds } from './odds.ts';
import type { OrderStatus } from './order.ts';

/** The market of an order or a fill, and the side that it backs. */
export type Place = { readonly market: MarketId; readonly side: Side };

/** The own request that sent an order, and its answer. */
export type Answered = {
  readonly ref: OrderRef;
  readonly request: RequestId;
  /** The HTTP status. Undefined when there was no answer. */
  readonly status: number | undefined;
  /** The time from the command to its answer, or to the moment when the bot stopped waiting, ms. */
  readonly latencyMs: number;
};

/** An order of an earlier run that rested, or had an unknown fate, when that run ended. */
export type OrderInherited = Place & {
  readonly type: 'OrderInherited';
  readonly ref: OrderRef;
  readonly orderId: OrderId | undefined;
  readonly odds: AmericanOdds;
  readonly risk: Cents;
  /** Unix ms. */
  readonly sentAt: number;
};

/** A place or an edit leaves for the exchange: one event for each of its orders. */
export type OrderSubmitted = Place & {
  readonly type: 'OrderSubmitted';
  readonly ref: OrderRef;
  readonly request: RequestId;
  /** The owner of the order. Undefined when the reference names no strategy of this bot. */
  readonly strategy: StrategyId | undefined;
  /** The strategy's name for the quote. */
  readonly key: string | undefined;
  readonly odds: AmericanOdds;
  readonly risk: Cents;
  /** The order that an edit replaces. */
  readonly replaces?: OrderId;
  readonly why: Why | undefined;
  /** The price that values positions in the market, as probability of its first side. */
  readonly fair: number | undefined;
  /** Absent before the start of the game. */
  readonly isInPlay?: true;
  /** Set when few place permits were left, so that a request may have waited for one. */
  readonly isShort?: true;
};

/** The event of one order of a place or an edit. `line`: fields that the request itself does not hold. */
export const submittedOf = (
  { type, ref, strategy, key, fair, ...rest }: SubmittedLine,
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
  ...rest,
});
export type SubmittedLine = Pick<OrderSubmitted, 'type' | 'ref' | 'strategy' | 'key' | 'fair' | 'isInPlay' | 'isShort'>;

/** The exchange accepted an order. */
export type OrderAccepted = Answered & { readonly type: 'OrderAccepted'; readonly orderId: OrderId | undefined };

/** The exchange refused an order, or the order was never sent. */
export type OrderRejected = Answered & {
  readonly type: 'OrderRejected';
  /** The exchange's code for the reason. */
  readonly code: string | undefined;
  readonly reason: string;
  /** False when the bot itself held the order back. */
  readonly isSent: boolean;
};

/** A request got no readable answer: its order may rest, or may not. */
export type OrderUnknown = Answered & { readonly type: 'OrderUnknown'; readonly reason: string };

/** The fate of an order is known again. `from`: the source that showed it. */
export type OrderResolved = {
  readonly type: 'OrderResolved';
  readonly ref: OrderRef;
  readonly as: string;
  readonly from?: EvidenceSource;
};

/**
 * The source of a fact about an own order: an answer to a request, an event of the user feed, an own row of
 * the public book, a list of the account, a look-up by id, a look-up by reference (`trail`), or the outcome
 * of an own request.
 */
export type EvidenceSource = 'reply' | 'event' | 'row' | 'list' | 'look-up' | 'trail' | 'request';

/**
 * A source reports something about an own order: one with an unknown fate, one that rests although the bot
 * believed it ended, or one whose filled amount stays uncertain. All other evidence leads to events of the
 * order, which name their source.
 */
export type Evidence = {
  readonly type: 'Evidence';
  readonly ref: OrderRef;
  readonly orderId: OrderId | undefined;
  readonly from: EvidenceSource;
  readonly says: string;
  /** The status of the order that the bot believes after this evidence. */
  readonly status: OrderStatus;
  /** The amount filled, as believed after it. */
  readonly filled: Micros;
  /** The amount that may still fill, as believed after it. */
  readonly mayFill: Micros;
};

/** An order that no run of this instance sent appears on the account, or disappears from it. */
export type ExternalOrder = Place & {
  readonly type: 'ExternalOrder';
  readonly orderId: OrderId;
  readonly odds: AmericanOdds;
  /** The stake that can still be taken. */
  readonly risk: Micros;
  readonly isOpen: boolean;
};

/** An order rests at the exchange. */
export type OrderRested = {
  readonly type: 'OrderRested';
  readonly ref: OrderRef;
  readonly orderId: OrderId | undefined;
  /** Others' stake that is taken before this order; undefined when its book is not known. */
  readonly ahead: Micros | undefined;
  /** The order's position in the queue; 1 when nothing is taken before it. */
  readonly rank: number | undefined;
  /** The consensus of the others' book at that moment. */
  readonly fair: number | undefined;
  /** The offered stake: an edit may leave less than it requested. Only the venue of a backtest reports it. */
  readonly offered?: Micros;
  readonly isInPlay?: true;
  readonly from?: EvidenceSource;
};

/** The exchange swapped home and away of a game: an order that rests, or may rest, stays on its team. */
export type OrderMoved = Place & { readonly type: 'OrderMoved'; readonly ref: OrderRef };

/**
 * An order ended. `how`: filled, refused, never-landed, not-sent, or the cause of its cancellation (cancel,
 * edit, cancel-all, exchange); the venue of a backtest reports `expired` separately.
 */
export type OrderEnded = {
  readonly type: 'OrderEnded';
  readonly ref: OrderRef;
  readonly how: string;
  readonly filled: Micros;
  /** The time since the order left for the exchange, ms. */
  readonly lifeMs: number;
  readonly from?: EvidenceSource;
};

/** An order that was believed to have ended may rest after all. */
export type OrderRevived = { readonly type: 'OrderRevived'; readonly ref: OrderRef };

/** A cancel leaves for the exchange: for single orders, a game, a league or the whole account. */
export type CancelSubmitted = {
  readonly type: 'CancelSubmitted';
  readonly request: RequestId;
  readonly orders: readonly {
    readonly orderId: OrderId;
    readonly why: Why | undefined;
    readonly isInPlay?: true;
  }[];
  /** Set when few permits were left, so that a request may have waited for one. */
  readonly isShort?: true;
  readonly scope?: { readonly game: GameId } | { readonly league: string } | 'account';
};

/** A request was answered, or failed. A late answer follows the failure `timeout` of the same request. */
export type RequestAnswered = {
  readonly type: 'RequestAnswered';
  readonly request: RequestId;
  /** place, edit, cancel, cancel-all, switch-mode, or `read` and its object, such as `read user`. */
  readonly kind: string;
  readonly status: number | undefined;
  readonly failure?: FailureKind;
  /** The exchange's code for a refusal. */
  readonly code?: string;
  readonly latencyMs: number;
};

/**
 * The bot sends no request of this bucket (place or cancel) for `forMs`, because an answer asked it to wait.
 */
export type WindowHeld = { readonly type: 'WindowHeld'; readonly bucket: Bucket; readonly forMs: number };
