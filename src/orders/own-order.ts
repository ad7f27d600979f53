// An order that this instance sent, and what is known of it.
import type {
  AmericanOdds,
  Fill,
  Micros,
  NewOrder,
  OrderId,
  OrderStatus,
  RequestId,
  SlotId,
  StrategyId,
  TxId,
} from '../domain/index.ts';
import { microsOfCents, rungOf, slotId, winOf } from '../domain/index.ts';

/** Whose quote it is. */
export type Owner = { readonly strategy: StrategyId; readonly key: string };

/** `isOfMode`: its order trades in the player mode of this run. */
export type FormerOwner = Owner & { readonly isOfMode: boolean };

export type OwnOrder = NewOrder &
  Owner & {
    readonly slot: SlotId;
    /** Monotonic and Unix ms. */
    readonly sentAt: number;
    readonly sentT: number;
    /** The order that this one replaces by an edit. */
    replaces: OwnOrder | undefined;
    /** It was sent as an edit. */
    readonly isEdit: boolean;
    /** A former run sent it. */
    isOfFormerRun: boolean;
    /** Monotonic ms that tells the player mode of its fills (plays.ts): when it was sent, +∞ for another mode than the bot's. */
    readonly modeAt: number;
    /** Its acceptance was counted. */
    counted: boolean;
    orderId: OrderId | undefined;
    /** The id is that of an order that looks like it: whoever has it by reference or answer is right. */
    byLooks: boolean;
    status: OrderStatus;
    filled: Micros;
    /** The request in flight that will change its state. */
    req: RequestId | undefined;
    /** Monotonic ms of the newest edit or cancel of it: what was read before does not tell what came of that. */
    askedAt: number;
    /** Our cancel ended it, if it ends cancelled. */
    cancelAsked: boolean;
    /** How often a cancel of it was refused because a cancel-all was running (423). */
    lockedOut: number;
    /** How often it was shown as open after a cancel, and the monotonic ms before which it is not cancelled again. */
    cancelsFailed: number;
    cancelFrom: number;
    /** It has the id of the order that it replaced (wire profile, `editKeepsId`). */
    keptId: boolean;
    /** A positionUpdate named it. */
    seenInFeed: boolean;
    /** What it adds to the locked stake at present. */
    locked: Micros;
    /** Monotonic ms since when it is open, and when it ended. */
    openSince: number;
    endedAt: number;
  };

/** It leaves for the exchange. */
export const ownOrder = (
  { ref, market, side, rung, risk }: NewOrder,
  { strategy, key }: Owner,
  sent: {
    readonly req: RequestId | undefined;
    /** Monotonic and Unix ms. */
    readonly at: number;
    readonly t: number;
    readonly replaces: OwnOrder | undefined;
    readonly modeAt?: number;
  },
): OwnOrder => ({
  ref,
  market,
  side,
  rung,
  risk,
  strategy,
  key,
  slot: slotId(strategy, market, side, key),
  sentAt: sent.at,
  sentT: sent.t,
  replaces: sent.replaces,
  isEdit: sent.replaces !== undefined,
  isOfFormerRun: false,
  modeAt: sent.modeAt ?? sent.at,
  counted: false,
  orderId: undefined,
  byLooks: false,
  status: 'sending',
  filled: 0 as Micros,
  req: sent.req,
  askedAt: Number.NEGATIVE_INFINITY,
  cancelAsked: false,
  lockedOut: 0,
  cancelsFailed: 0,
  cancelFrom: Number.NEGATIVE_INFINITY,
  keptId: false,
  seenInFeed: false,
  locked: 0 as Micros,
  openSince: sent.at,
  endedAt: 0,
});

/**
 * A former run sent it in the other player mode: it is cancelled, and what it fills is nothing of this bot's. What is told under an
 * id that was learned by looks may be another order's, and is booked until that is known.
 */
export const isOfOtherMode = ({ modeAt, byLooks }: OwnOrder): boolean =>
  modeAt === Number.POSITIVE_INFINITY && !byLooks;

export const remainingOf = (order: OwnOrder): Micros =>
  Math.max(0, microsOfCents(order.risk) - order.filled) as Micros;

export type OwnFill = Fill & { readonly strategy: StrategyId };

export const fillOf = (order: OwnOrder, txId: TxId, risk: Micros, odds: AmericanOdds): OwnFill =>
  Object.freeze({
    txId,
    orderId: order.orderId,
    ref: order.ref,
    strategy: order.strategy,
    market: order.market,
    side: order.side,
    rung: rungOf(odds),
    risk,
    win: winOf(risk, odds),
  });
