// Orders that filled more than the fills known: a cancel reply, a look-up or a full take said so, while the events that
// carry the fills may have been lost with a feed. Their trail is read until it explains the rest. And orders that ended
// without a word on what they filled: until their trail was read, all of them may have.
import type { MarketId, Micros, OrderRef, Side } from '../domain/index.ts';
import { isActive, microsOfCents } from '../domain/index.ts';
import type { OwnOrder } from './ledger.ts';

const ASK_EVERY_MS = 2000;
/** Amounts on the wire are rounded: a micro-dollar is no missing fill. */
const ROUNDING = 1;

type Missing = { filled: number; askedAt: number };

export class MissingFills {
  readonly #orders = new Map<OwnOrder, Missing>();
  /** Nothing was told of their fills; since when. */
  readonly #silent = new Map<OwnOrder, { readonly since: number; askedAt: number }>();

  /** The exchange says that the order filled this much in all, micro-dollars. An older figure may come after a newer one. */
  note(order: OwnOrder, filled: number | undefined): void {
    const known = Math.max(order.filled, this.#orders.get(order)?.filled ?? 0);
    if (filled === undefined || filled <= known + ROUNDING) return;
    this.#orders.set(order, { filled, askedAt: Number.NEGATIVE_INFINITY });
  }

  /** The order ended, and nobody tells what it filled. */
  noteSilent(order: OwnOrder, now: number): void {
    if (order.filled < microsOfCents(order.risk))
      this.#silent.set(order, { since: now, askedAt: Number.NEGATIVE_INFINITY });
  }

  get isEmpty(): boolean {
    return this.#orders.size === 0 && this.#silent.size === 0;
  }

  /** The trail of an order was read, or every play of the account; `sentAt`: when it was asked for. */
  applyRead(ref: OrderRef | undefined, sentAt: number): void {
    for (const [order, { since }] of this.#silent)
      if ((ref === undefined || order.ref === ref) && sentAt >= since) this.#silent.delete(order);
  }

  /** What is missing on one market: it may have filled, so it counts like an open order. */
  *in(market: MarketId): Iterable<{ readonly side: Side; readonly remaining: Micros }> {
    for (const [order, { filled }] of this.#orders) {
      if (this.#silent.has(order)) continue;
      if (order.market.id === market && !isActive(order.status) && filled > order.filled + ROUNDING)
        yield { side: order.side, remaining: (filled - order.filled) as Micros };
    }
    for (const order of this.#silent.keys()) {
      const remaining = microsOfCents(order.risk) - order.filled;
      if (order.market.id === market && !isActive(order.status) && remaining > 0)
        yield { side: order.side, remaining: remaining as Micros };
    }
  }

  /** The orders whose trail should be read now. */
  due(now: number): OwnOrder[] {
    const due: OwnOrder[] = [];
    for (const [order, missing] of this.#orders)
      if (order.filled + ROUNDING >= missing.filled) this.#orders.delete(order);
    for (const asked of [this.#orders, this.#silent])
      for (const [order, one] of asked) {
        if (now - one.askedAt < ASK_EVERY_MS || due.includes(order)) continue;
        one.askedAt = now;
        due.push(order);
      }
    return due;
  }
}
