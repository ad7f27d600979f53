// Orders that former runs left resting, by exchange id: for an exchange that reports no references. Some
// exchanges reuse ids. Invariant: a listed order counts as own only when its market, side, odds and creation
// time match the order that was sent.
import type { Market, OpenOrder, OrderId, RestingOrder, Side } from '../domain/index.ts';
import { market, rungOf } from '../domain/index.ts';
import { CLOCKS_MS } from './names.ts';
import type { Owner } from './records.ts';
import { ownerOf } from './references.ts';

export type FormerOrder = RestingOrder & { readonly owner: Owner };

export class FormerOrders {
  readonly #byId = new Map<OrderId, FormerOrder>();

  /** Enters the orders that former runs left resting. Orders of another instance stay external. */
  hand(orders: readonly RestingOrder[], instance: string): void {
    for (const { orderId, order, sentT } of orders) {
      const owner = ownerOf(order.ref, instance);
      const { gameId, type, line } = order.market;
      if (owner === undefined) continue;
      this.#byId.set(orderId, { orderId, owner, sentT, order: { ...order, market: market(gameId, type, line) } });
    }
  }

  get all(): Iterable<FormerOrder> {
    return this.#byId.values();
  }

  /** The former run's order that this row shows, if any. `place`: undefined while its game is not known. */
  formerOrderOf(
    row: OpenOrder,
    place: { readonly market: Market; readonly side: Side } | undefined,
  ): FormerOrder | undefined {
    const former = row.ref === undefined ? this.#byId.get(row.orderId) : undefined;
    if (former === undefined) return undefined;
    const { order, sentT } = former;
    const isSame =
      (place === undefined || (place.market.id === order.market.id && place.side === order.side)) &&
      (row.gameId === undefined || row.gameId === order.market.gameId) &&
      (row.odds === undefined || rungOf(row.odds) === order.rung) &&
      (row.createdAt === undefined || Math.abs(row.createdAt - sentT) < CLOCKS_MS);
    return isSame ? former : undefined;
  }
}
