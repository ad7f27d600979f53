// Look-ups of orders by their id that were not answered: made again, less and less often, until one is.
import type { OrderId } from '../domain/index.ts';

/** Reads are for the books as well; but a slot stays taken until it is known what became of its order. */
const AGAIN_MS = { first: 500, most: 15_000 };

export class FailedLookUps {
  /** `askAt`: monotonic ms; +∞ while it is asked for. */
  readonly #orders = new Map<OrderId, { askAt: number; everyMs: number }>();
  #mostMs: number = AGAIN_MS.most;

  /** Nothing was answered. */
  note(orderId: OrderId, now: number): void {
    const everyMs = Math.min(this.#mostMs, this.#orders.get(orderId)?.everyMs ?? AGAIN_MS.first);
    this.#orders.set(orderId, { askAt: now + everyMs, everyMs: 2 * everyMs });
  }

  /** It was answered, or nobody needs to know any more. */
  forget(orderId: OrderId): void {
    this.#orders.delete(orderId);
  }

  /** Those to be asked for now. */
  due(now: number): readonly OrderId[] {
    const due: OrderId[] = [];
    for (const [orderId, one] of this.#orders) {
      if (now < one.askAt) continue;
      one.askAt = Number.POSITIVE_INFINITY;
      due.push(orderId);
    }
    return due;
  }

  /** There is no later any more: all of them are asked for at once, and again as often as the first time. */
  hurry(): void {
    this.#mostMs = AGAIN_MS.first;
    for (const one of this.#orders.values())
      if (one.askAt < Number.POSITIVE_INFINITY) one.askAt = Number.NEGATIVE_INFINITY;
  }

  get isEmpty(): boolean {
    return this.#orders.size === 0;
  }
}
