// Orders that a bulk operation of the exchange is cancelling: cancelAllOrders and its kin answer at once and drain about 15
// orders a second (spec, Limits 2 and 4). Nothing is asked again for them meanwhile: the user feed tells of each, and what
// it has not told of when the drain must be over is decided anew, all of it together.
import { isCancelling } from '../domain/index.ts';
import type { OwnOrder } from './own-order.ts';

const PER_SECOND = 15;
const SLACK_MS = 1000;

export class Drains {
  readonly #lookAt = new Map<OwnOrder, number>();

  /** How long an exchange takes for as many orders. */
  static msFor(orders: number): number {
    return (orders * 1000) / PER_SECOND + SLACK_MS;
  }

  get isEmpty(): boolean {
    return this.#lookAt.size === 0;
  }

  watch(orders: Iterable<OwnOrder>, until: number): void {
    for (const order of orders) this.#lookAt.set(order, until);
  }

  /** Those that should be gone by now, and are not. */
  *due(now: number): Iterable<OwnOrder> {
    for (const [order, at] of this.#lookAt) {
      if (!isCancelling(order.status)) this.#lookAt.delete(order);
      else if (now >= at) {
        this.#lookAt.delete(order);
        yield order;
      }
    }
  }
}
