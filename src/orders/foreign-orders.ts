// Orders on the account that this run did not send and does not touch. They count: with what may still be lost in their
// market, and whole where nothing is known of the game.
import type { Market, Micros, OrderId, Rung, Side } from '../domain/index.ts';

/** An open order on the account that no run of this instance placed: counted, never touched (DESIGN rule 13). */
export type ForeignOrder = {
  readonly orderId: OrderId;
  readonly market: Market;
  readonly side: Side;
  readonly rung: Rung;
  readonly remaining: Micros;
};

export class ForeignOrders {
  /** Somebody else was seen to use the account in this run. */
  wereSeen = false;
  readonly #orders = new Map<OrderId, ForeignOrder>();
  /** What may be lost of open orders, ours and foreign ones, in games that are not known. */
  readonly #elsewhere = new Map<OrderId, Micros>();
  readonly #moved: (market: Market) => void;

  /** `moved`: told of each market in which one came, changed or went. */
  constructor(moved: (market: Market) => void) {
    this.#moved = moved;
  }

  get orders(): ReadonlyMap<OrderId, ForeignOrder> {
    return this.#orders;
  }

  /** All that the account has now. `elsewhere`: what may be lost of those in games that are not known, ours included. */
  replace(orders: readonly ForeignOrder[], elsewhere: ReadonlyMap<OrderId, Micros>): void {
    for (const { market } of this.#orders.values()) this.#moved(market);
    this.#orders.clear();
    for (const order of orders) {
      if (order.remaining > 0) this.#orders.set(order.orderId, order);
      this.#moved(order.market);
    }
    this.#elsewhere.clear();
    for (const [id, risk] of elsewhere) this.#elsewhere.set(id, risk);
    if (orders.length + elsewhere.size > 0) this.wereSeen = true;
  }

  /** The game of an order became known. */
  leaveElsewhere(orderId: OrderId): void {
    this.#elsewhere.delete(orderId);
  }

  /** Stake that those in games that are not known may lose. */
  get stakedElsewhere(): number {
    let staked = 0;
    for (const risk of this.#elsewhere.values()) staked += risk;
    return staked;
  }

  /** Stake that all of them may lose. */
  get locked(): number {
    let locked = this.stakedElsewhere;
    for (const { remaining } of this.#orders.values()) locked += remaining;
    return locked;
  }
}
