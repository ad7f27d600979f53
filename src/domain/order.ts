// The states of an own order; a fold over facts decides the current one (src/account/belief.ts). A state is
// *active* while the order rests, or may rest later: active orders hold their slot and count in exposure.
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
  /** a cancel is on its way for an order with an unknown fate */
  | 'cancelling-unknown'
  /** no readable answer: the order may rest, or may not (rules.md, 2) */
  | 'unknown';
export type EndedStatus = 'filled' | 'cancelled' | 'refused' | 'never-landed';
export type OrderStatus = ActiveStatus | EndedStatus;

export function isActive(status: OrderStatus): status is ActiveStatus {
  return (
    status === 'open' || status === 'sending' || status === 'moving' || isCancelling(status) || status === 'unknown'
  );
}

export const isCancelling = (status: OrderStatus): status is 'cancelling' | 'cancelling-unknown' =>
  status === 'cancelling' || status === 'cancelling-unknown';

/** The place of a quote: at most one order rests in a slot at any time. */
export type SlotId = string & { readonly __brand: 'SlotId' };
export const slotId = (strategy: StrategyId, market: Market, side: Side, key: string): SlotId =>
  `${strategy}|${market.id}|${side}|${key}` as SlotId;

/** One fill of an own order, from the owner's view. */
export type Fill = {
  /** The id of the fill at the exchange. */
  readonly txId: TxId;
  /** The id of the filled order, when it is known. */
  readonly orderId: OrderId | undefined;
  /** The reference of the filled order, when the exchange reports it. */
  readonly ref: OrderRef | undefined;
  /** The strategy that placed the order. Undefined for an external order. */
  readonly strategy: StrategyId | undefined;
  /** The market. */
  readonly market: Market;
  /** The side that the fill backs. */
  readonly side: Side;
  /** Its price, an index of the odds ladder. */
  readonly rung: Rung;
  /** The stake, micro-dollars. */
  readonly risk: Micros;
  /** The profit if the side wins, without the stake, micro-dollars. */
  readonly win: Micros;
};

/** The terms of a wanted order. */
export type WantedOrder = {
  readonly market: Market;
  readonly side: Side;
  readonly rung: Rung;
  readonly risk: Cents;
};

/** An order that the core places. */
export type NewOrder = WantedOrder & { readonly ref: OrderRef };

/** True when the value is a valid order: another version may have written the file. */
export function isNewOrder(value: unknown): value is NewOrder {
  const { ref, market, side, rung, risk } = (value ?? {}) as Partial<Record<keyof NewOrder, unknown>>;
  const { gameId, type } = (market ?? {}) as Partial<Record<keyof Market, unknown>>;
  return (
    typeof ref === 'string' &&
    typeof gameId === 'string' &&
    (type === 'moneyline' || type === 'spread' || type === 'total') &&
    (side === 'home' || side === 'away' || side === 'over' || side === 'under') &&
    Number.isSafeInteger(rung) &&
    Number.isSafeInteger(risk)
  );
}

/** An order that left at `sentT` (Unix ms) and has no readable answer. */
export type UnansweredOrder = { readonly order: NewOrder; readonly sentT: number };

/** An order that left at `sentT` (Unix ms) and rested under this id when its run last recorded it. */
export type RestingOrder = UnansweredOrder & { readonly orderId: OrderId };
