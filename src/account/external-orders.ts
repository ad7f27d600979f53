// Orders on the account that no run of this instance sent. The bot cancels them only when the configuration
// says so. They count: in their market by what they may still lose, and in full when the game is not known.
import type { GameId, Market, Micros, OrderId, Rung, Side } from '../domain/index.ts';
import { swappedMarket, swappedPlace } from '../domain/index.ts';
import type { AccountOutput } from './account-output.ts';

export type ExternalOrder = {
  readonly orderId: OrderId;
  readonly market: Market;
  readonly side: Side;
  readonly rung: Rung;
  readonly remaining: Micros;
};

export class ExternalOrders {
  /** True once orders of another client were seen in this run. */
  wereSeen = false;
  readonly #orders = new Map<OrderId, ExternalOrder>();
  /** Stake of open orders in games that are not known, own and external ones. */
  readonly #elsewhere = new Map<OrderId, Micros>();
  readonly #news: AccountOutput;

  constructor(news: AccountOutput) {
    this.#news = news;
  }

  get orders(): ReadonlyMap<OrderId, ExternalOrder> {
    return this.#orders;
  }

  /**
   * Replaces all orders by those of a list. `elsewhere`: stake of listed orders in games that are not known,
   * own ones included.
   */
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

  /** Removes an order whose game became known. */
  leaveElsewhere(orderId: OrderId): void {
    this.#elsewhere.delete(orderId);
  }

  /** Stake of orders in games that are not known. */
  get stakedElsewhere(): number {
    let staked = 0;
    if (this.#elsewhere.size === 0) return staked;
    for (const risk of this.#elsewhere.values()) staked += risk;
    return staked;
  }

  /** Stake that all these orders may lose. */
  get locked(): number {
    let locked = this.stakedElsewhere;
    for (const { remaining } of this.#orders.values()) locked += remaining;
    return locked;
  }
}
