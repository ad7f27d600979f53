// Own orders by what names them: their reference, the exchange's id, their market. What ended is remembered for a while, for
// late and doubled events.
import type { GameId, MarketId, OrderId, OrderRef } from '../domain/index.ts';
import { isActive } from '../domain/index.ts';
import type { OwnOrder } from './own-order.ts';

/** Ended orders are remembered this long (by count). */
export const REMEMBERED_ORDERS = 4000;
const NONE: ReadonlySet<OwnOrder> = new Set();

export class KnownOrders {
  readonly #byRef = new Map<OrderRef, OwnOrder>();
  readonly #byId = new Map<OrderId, OwnOrder>();
  readonly #active = new Set<OwnOrder>();
  readonly #activeIn = new Map<MarketId, Set<OwnOrder>>();
  readonly #ended: OwnOrder[] = [];
  /** How many ids of the exchange became known; and of which game the newest, as many having been known then. */
  #ids = 0;
  readonly #idsIn = new Map<GameId, number>();

  get active(): ReadonlySet<OwnOrder> {
    return this.#active;
  }

  activeIn(market: MarketId): ReadonlySet<OwnOrder> {
    return this.#activeIn.get(market) ?? NONE;
  }

  byRef(ref: OrderRef | undefined): OwnOrder | undefined {
    return ref === undefined ? undefined : this.#byRef.get(ref);
  }

  byId(orderId: OrderId | undefined): OwnOrder | undefined {
    return orderId === undefined ? undefined : this.#byId.get(orderId);
  }

  /** Changes whenever an id of an order of this game becomes known. */
  idsIn(gameId: GameId): number {
    return this.#idsIn.get(gameId) ?? 0;
  }

  /** A new order. */
  add(order: OwnOrder): void {
    this.#byRef.set(order.ref, order);
    this.activate(order);
  }

  /** It may fill (again). */
  activate(order: OwnOrder): void {
    const inMarket = this.#activeIn.get(order.market.id);
    if (inMarket === undefined) this.#activeIn.set(order.market.id, new Set([order]));
    else inMarket.add(order);
    this.#active.add(order);
  }

  /** It can fill no more: the oldest of these are forgotten. */
  end(order: OwnOrder): void {
    this.#active.delete(order);
    const inMarket = this.#activeIn.get(order.market.id);
    inMarket?.delete(order);
    if (inMarket?.size === 0) this.#activeIn.delete(order.market.id);
    this.#ended.push(order);
    if (this.#ended.length <= REMEMBERED_ORDERS) return;
    for (const old of this.#ended.splice(0, REMEMBERED_ORDERS / 2)) {
      if (isActive(old.status)) continue;
      this.#byRef.delete(old.ref);
      if (old.orderId !== undefined) this.leaveId(old, old.orderId);
    }
  }

  learnId(order: OwnOrder, orderId: OrderId): void {
    this.#byId.set(orderId, order);
    this.#idsIn.set(order.market.gameId, (this.#ids += 1));
  }

  /** The id is another's, or nobody's: where it still names this order, it names none. */
  leaveId(order: OwnOrder, orderId: OrderId): void {
    if (this.#byId.get(orderId) === order) this.#byId.delete(orderId);
  }

  forgetGame(gameId: GameId): void {
    this.#idsIn.delete(gameId);
  }
}
