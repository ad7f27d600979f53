// The status of own orders that rest or may rest, and of external orders on the account, for pages and
// commands.
import type { GameId, Market, MarketId, OrderStatus, Side } from '../domain/index.ts';
import { dollarsOfCents, dollarsOfMicros, oddsOf } from '../domain/index.ts';
import type { Account, OwnOrder } from '../account/index.ts';
import { idOf } from '../account/index.ts';

/** The market and side of an order. `line`: the line of the first side. */
type Placed = {
  readonly market: MarketId;
  readonly gameId: GameId;
  readonly type: Market['type'];
  readonly line: number | undefined;
  readonly side: Side;
};

/** The status of one own order. Money is in dollars, times are Unix ms. */
export type AccountOrder = Placed & {
  readonly ref: string;
  readonly orderId: string | undefined;
  readonly strategy: string;
  readonly odds: number;
  readonly risk: number;
  readonly filled: number;
  /** The most that may still fill, or may have filled without a report. */
  readonly mayFill: number;
  readonly status: OrderStatus;
  readonly sentAt: number;
  /** The known fate of the request that places the order. */
  readonly placing: OwnOrder['placing'];
  /** How the id of the order became known. Undefined while it has no id. */
  readonly linkedBy: OwnOrder['linkedBy'] | undefined;
  readonly isOfFormerRun: boolean;
};

/** An order on the account that no run of this instance sent. Money is in dollars. */
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
