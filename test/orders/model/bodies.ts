// The JSON of the model's exchange (wire profile, "Orders" and "Discovery"): its orders and fills in replies,
// lists and events.
import type { Market, Micros, NewOrder, OrderId, Rung, Side, TxId } from '../../../src/domain/index.ts';
import { lineFor, oddsOf, winOf } from '../../../src/domain/index.ts';
import { participantOf, WALL } from './scene.ts';

export type TrueOrder = {
  readonly id: OrderId;
  /** The bot's order. Undefined for an order of another client on the account. */
  readonly own: NewOrder | undefined;
  /**
   * The reference that the exchange reports. Undefined when the order has none, or the exchange reports none.
   */
  readonly reference: string | undefined;
  readonly market: Market;
  readonly side: Side;
  readonly rung: Rung;
  readonly risk: Micros;
  readonly createdAt: number;
  filled: number;
  end: 'filled' | 'cancelled' | undefined;
};

export type TrueFill = {
  readonly txId: TxId;
  readonly order: TrueOrder;
  readonly risk: Micros;
  /** The bot got a report of it together with a name of its order. */
  isNamed: boolean;
};

export type Answer = {
  readonly status: number;
  readonly body: unknown;
  readonly retryAfterSeconds?: number;
};

export const remaining = (order: TrueOrder): number => (order.end === undefined ? order.risk - order.filled : 0);

/** What a fill pays when it wins. */
export const winOfFill = ({ order, risk }: TrueFill): number => winOf(risk, oddsOf(order.rung));

export const errorOf = (status: number): Answer => ({
  status,
  body: { error: { code: status, message: 'no' } },
  ...(status === 423 || status === 429 ? { retryAfterSeconds: 2 } : {}),
});

/**
 * A `positionUpdate` of the order as it is now, with the fill that caused it. `bare`: without the optional
 * fields.
 */
export function positionOf(order: TrueOrder, fill: TrueFill | undefined): (bare: boolean) => string {
  const unmatched = {
    orderID: order.id,
    odds: oddsOf(order.rung),
    offered: (order.end === 'cancelled' ? 0 : order.risk) / 1e6,
    filled: order.filled / 1e6,
    remaining: remaining(order) / 1e6,
  };
  return (bare) =>
    JSON.stringify({
      gameID: order.market.gameId,
      origin: 'offer',
      unmatched: { ...unmatched, ...(bare ? {} : { ...placeOf(order), ...referenceOf(order) }) },
      matched: fill === undefined ? null : fillOf(fill),
    });
}

/** A `positionUpdate` of a fill that another client took with this account: nothing of it rests. */
export const tookOf =
  (fill: TrueFill) =>
  (bare: boolean): string =>
    JSON.stringify({
      gameID: fill.order.market.gameId,
      origin: 'take',
      unmatched: null,
      matched: { ...fillOf(fill), ...(bare ? {} : { ...placeOf(fill.order), ...referenceOf(fill.order) }) },
    });

export const placed = (order: TrueOrder, withoutRef: boolean): object => ({
  matched: [],
  unmatched: {
    orderID: order.id,
    offered: order.risk / 1e6,
    remaining: order.risk / 1e6,
    odds: oddsOf(order.rung),
    ...(withoutRef ? {} : referenceOf(order)),
  },
});

export const referenceOf = ({ reference }: TrueOrder): { readonly userReference?: string } =>
  reference === undefined ? {} : { userReference: reference };

export function placeOf({ market, side }: Pick<TrueOrder, 'market' | 'side'>): object {
  const line = lineFor(market, side);
  return {
    type: market.type,
    side: side === 'home' || side === 'away' ? participantOf(market.gameId, side) : side,
    ...(line === undefined ? {} : { number: line }),
  };
}

export const fillOf = ({ txId, order, risk }: TrueFill): object => ({
  txID: txId,
  filled: risk / 1e6,
  odds: oddsOf(order.rung),
});

export const rowOf = (order: TrueOrder, withoutRef: boolean): object => ({
  id: order.id,
  gameID: order.market.gameId,
  ...placeOf(order),
  ...(withoutRef ? {} : referenceOf(order)),
  risk: order.risk / 1e6,
  offered: (order.end === 'cancelled' ? 0 : order.risk) / 1e6,
  filled: order.filled / 1e6,
  remaining: remaining(order) / 1e6,
  odds: oddsOf(order.rung),
  createdAt: new Date(WALL + order.createdAt).toISOString(),
});
