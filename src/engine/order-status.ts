// What is believed of each order that rests or may, and of those on the account that are not ours: for whoever looks.
import type { GameId, Market, MarketId, OrderStatus, Side } from '../domain/index.ts';
import { dollarsOfCents, dollarsOfMicros, oddsOf } from '../domain/index.ts';
import type { Account, OwnOrder } from '../account/index.ts';
import { idOf } from '../account/index.ts';

/** Which market an order is in, and which side of it. `line`: of the first side. */
type Placed = {
  readonly market: MarketId;
  readonly gameId: GameId;
  readonly type: Market['type'];
  readonly line: number | undefined;
  readonly side: Side;
};

/** Money in dollars, times in Unix ms. */
export type AccountOrder = Placed & {
  readonly ref: string;
  readonly orderId: string | undefined;
  readonly strategy: string;
  readonly odds: number;
  readonly risk: number;
  readonly filled: number;
  /** The most that may still fill, or may have filled unreported. */
  readonly mayFill: number;
  readonly status: OrderStatus;
  readonly sentAt: number;
  /** What is known of the request that brings it, and by what its id is known. */
  readonly placing: OwnOrder['placing'];
  readonly linkedBy: OwnOrder['linkedBy'] | undefined;
  readonly isOfFormerRun: boolean;
};

/** One on the account that no run of this instance sent. */
export type ExternalOrderStatus = Placed & {
  readonly orderId: string;
  readonly odds: number;
  readonly risk: number;
  readonly mayFill: number;
};

export const externalOrdersOf = ({ account }: { readonly account: Account }): readonly ExternalOrderStatus[] =>
  [...account.external.orders.values()].map(({ orderId, market, side, rung, remaining }) => ({
    ...placed(market, side),
    orderId,
    odds: oddsOf(rung),
    risk: dollarsOfMicros(remaining),
    mayFill: dollarsOfMicros(remaining),
  }));

export const ordersOf = ({ account }: { readonly account: Account }): readonly AccountOrder[] =>
  [...account.active].map((order) => ({
    ref: order.ref,
    orderId: idOf(order),
    strategy: order.strategy,
    ...placed(order.market, order.side),
    odds: oddsOf(order.rung),
    risk: dollarsOfCents(order.risk),
    filled: dollarsOfMicros(order.filled),
    mayFill: dollarsOfMicros(order.bound),
    status: order.status,
    sentAt: order.sentT,
    placing: order.placing,
    linkedBy: order.id === undefined ? undefined : order.linkedBy,
    isOfFormerRun: order.isOfFormerRun,
  }));

const placed = ({ id, gameId, type, line }: Market, side: Side): Placed => ({ market: id, gameId, type, line, side });
