// Orders on the account that no run of this instance sent. They are never touched unless the configuration says so, and they
// count: with what may still be lost in their market, and whole where nothing is known of the game.
import type { GameId, Market, Micros, OrderId, Rung, Side } from '../domain/index.ts';
import { swappedMarket, swappedPlace } from '../domain/index.ts';
import type { AccountNews } from './news.ts';

export type ExternalOrder = {
  readonly orderId: OrderId;
  readonly market: Market;
  readonly side: Side;
  readonly rung: Rung;
  readonly remaining: Micros;
};

export class ExternalOrders {
  /** Somebody else was seen to use the account in this run. */
  wereSeen = false;
  readonly #orders = new Map<OrderId, ExternalOrder>();
  /** What may be lost of open orders, ours and external ones, in games that are not known. */
  readonly #elsewhere = new Map<OrderId, Micros>();
  readonly #news: AccountNews;

  constructor(news: AccountNews) {
    this.#news = news;
  }

  get orders(): ReadonlyMap<OrderId, ExternalOrder> {
    return this.#orders;
  }

  /** All that a list showed. `elsewhere`: what may be lost of those in games that are not known, ours included. */
  replace(orders: readonly ExternalOrder[], elsewhere: ReadonlyMap<OrderId, Micros>): void {
    for (const { market } of this.#orders.values()) this.#news.touch(market);
    this.#orders.clear();
    for (const order of orders) {
      if (order.remaining > 0) this.#orders.set(order.orderId, order);
      this.#news.touch(order.market);
    }
    this.#elsewhere.clear();
    for (const [id, risk] of elsewhere) this.#elsewhere.set(id, risk);
    if (orders.length + elsewhere.size > 0) this.wereSeen = true;
  }

  /** Home and away of a game changed places: its orders stay on their teams. */
  swapTeams(gameId: GameId): void {
    for (const [id, order] of this.#orders) {
      if (order.market.gameId !== gameId) continue;
      this.#orders.set(id, swappedPlace(order));
      this.#news.touch(order.market);
      this.#news.touch(swappedMarket(order.market));
    }
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
