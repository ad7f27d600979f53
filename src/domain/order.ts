// The life cycle of an own order: one union of states, one table of transitions. A state is *active* while the order
// may rest or may still come to rest at the exchange: active orders hold their slot and count in exposure.
import type { OrderId, OrderRef, StrategyId, TxId } from './brand.ts';
import type { Market, Side } from './market.ts';
import type { Cents, Micros } from './money.ts';
import type { Rung } from './odds.ts';

export type ActiveStatus =
  /** a place (or the new half of an edit) is on its way */
  | 'sending'
  /** rests at the exchange */
  | 'open'
  /** an edit that replaces it is on its way */
  | 'moving'
  /** a cancel is on its way */
  | 'cancelling'
  /** a cancel is on its way, of an order of which nobody knows whether it rests */
  | 'cancelling-unknown'
  /** no readable answer: may rest, may not (DESIGN rule 2) */
  | 'unknown';
export type EndedStatus = 'filled' | 'cancelled' | 'refused' | 'never-landed';
export type OrderStatus = ActiveStatus | EndedStatus;

export type OrderEvent =
  | 'accepted' // reply or event says that it rests
  | 'refused' // the exchange answered no
  | 'unanswered' // place, edit or cancel without a readable answer
  | 'edit-sent'
  | 'edit-refused' // the old order still rests
  | 'found' // a look-up shows it resting
  | 'cancel-sent'
  | 'cancel-failed' // not cancelled, or nobody knows: decided anew
  | 'cancelled' // gone: our cancel, an edit, expiry or the system
  | 'filled' // nothing remains
  | 'never-landed' // absence became evidence
  | 'mistaken'; // what ended it was told of another order

/** The state after an event; an absent entry means that the event does not change the state. */
export const ORDER_TRANSITIONS: Readonly<
  Record<OrderStatus, Partial<Readonly<Record<OrderEvent, OrderStatus>>>>
> = {
  sending: {
    accepted: 'open',
    refused: 'refused',
    unanswered: 'unknown',
    cancelled: 'cancelled',
    filled: 'filled',
    'never-landed': 'never-landed',
  },
  open: {
    'edit-sent': 'moving',
    'cancel-sent': 'cancelling',
    unanswered: 'unknown',
    cancelled: 'cancelled',
    filled: 'filled',
    'never-landed': 'cancelled',
  },
  moving: {
    'edit-refused': 'open',
    found: 'open',
    unanswered: 'unknown',
    cancelled: 'cancelled',
    filled: 'filled',
  },
  cancelling: {
    found: 'open',
    'cancel-failed': 'open',
    cancelled: 'cancelled',
    filled: 'filled',
  },
  'cancelling-unknown': {
    found: 'open',
    'cancel-failed': 'unknown',
    cancelled: 'cancelled',
    filled: 'filled',
  },
  unknown: {
    accepted: 'open',
    refused: 'refused',
    'edit-refused': 'open',
    found: 'open',
    'cancel-sent': 'cancelling-unknown',
    cancelled: 'cancelled',
    filled: 'filled',
    'never-landed': 'never-landed',
  },
  // Ended states take only evidence that the end was believed too early.
  filled: { mistaken: 'unknown' },
  cancelled: { filled: 'filled', mistaken: 'unknown' },
  refused: { accepted: 'open', filled: 'filled' },
  'never-landed': { accepted: 'open', filled: 'filled', cancelled: 'cancelled' },
};

export const nextStatus = (status: OrderStatus, event: OrderEvent): OrderStatus =>
  ORDER_TRANSITIONS[status][event] ?? status;

export function isActive(status: OrderStatus): status is ActiveStatus {
  return (
    status === 'open' ||
    status === 'sending' ||
    status === 'moving' ||
    isCancelling(status) ||
    status === 'unknown'
  );
}

export const isCancelling = (status: OrderStatus): status is 'cancelling' | 'cancelling-unknown' =>
  status === 'cancelling' || status === 'cancelling-unknown';

/** The place a quote fills: at most one order rests in a slot at any time. */
export type SlotId = string & { readonly __brand: 'SlotId' };
export const slotId = (strategy: StrategyId, market: Market, side: Side, key: string): SlotId =>
  `${strategy}|${market.id}|${side}|${key}` as SlotId;

/** What one fill of an own order was, in the owner's terms. */
export type Fill = {
  readonly txId: TxId;
  readonly orderId: OrderId | undefined;
  readonly ref: OrderRef | undefined;
  readonly strategy: StrategyId | undefined;
  readonly market: Market;
  readonly side: Side;
  readonly rung: Rung;
  readonly risk: Micros;
  readonly win: Micros;
};

/** An order that the core asks to place. */
export type NewOrder = {
  readonly ref: OrderRef;
  readonly market: Market;
  readonly side: Side;
  readonly rung: Rung;
  readonly risk: Cents;
};

/** An order that left at `sentT` (Unix ms) and of which no answer was read. */
export type UnansweredOrder = { readonly order: NewOrder; readonly sentT: number };
