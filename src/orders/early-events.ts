// Events of orders whose id is not known yet: an event may come before the reply that tells the id. Events of orders
// that are not ours end here too, so the number is bounded and the oldest go first.
import type { OrderId, PositionEvent } from '../domain/index.ts';
import { forgetOldest } from '../domain/index.ts';

const MAX_ORDERS = 1000;
const MAX_EVENTS = 100;

export class EarlyEvents {
  readonly #events = new Map<OrderId, PositionEvent[]>();

  keep(orderId: OrderId, event: PositionEvent): void {
    const events = this.#events.get(orderId);
    if (events === undefined) this.#events.set(orderId, [event]);
    else if (events.length < MAX_EVENTS) events.push(event);
    forgetOldest(this.#events, MAX_ORDERS);
  }

  /** What came for this id so far; it is forgotten here. */
  take(orderId: OrderId): readonly PositionEvent[] {
    const events = this.#events.get(orderId) ?? [];
    this.#events.delete(orderId);
    return events;
  }
}
