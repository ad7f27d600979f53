// Orders that filled more than the fills known: a cancel reply, a look-up or a full take said so, while the events that
// carry the fills may have been lost with a feed. Their trail is read until it explains the rest.
import type { MarketId, Micros, Side } from '../domain/index.ts';
import { isActive } from '../domain/index.ts';
import type { OwnOrder } from './ledger.ts';

const ASK_EVERY_MS = 2000;
/** Amounts on the wire are rounded: a micro-dollar is no missing fill. */
const ROUNDING = 1;

export class MissingFills {
  readonly #orders = new Map<OwnOrder, { readonly filled: number; askedAt: number }>();

  /** The exchange says that the order filled this much in all, micro-dollars. */
  note(order: OwnOrder, filled: number | undefined): void {
    if (filled === undefined || filled <= order.filled + ROUNDING) return;
    this.#orders.set(order, { filled, askedAt: Number.NEGATIVE_INFINITY });
  }

  /** What is missing on one market: it may have filled, so it counts like an open order. */
  *in(market: MarketId): Iterable<{ readonly side: Side; readonly remaining: Micros }> {
    for (const [order, { filled }] of this.#orders) {
      if (order.market.id === market && !isActive(order.status) && filled > order.filled + ROUNDING)
        yield { side: order.side, remaining: (filled - order.filled) as Micros };
    }
  }

  /** The orders whose trail should be read now. */
  due(now: number): OwnOrder[] {
    const due: OwnOrder[] = [];
    for (const [order, missing] of this.#orders) {
      if (order.filled + ROUNDING >= missing.filled) this.#orders.delete(order);
      else if (now - missing.askedAt >= ASK_EVERY_MS) {
        missing.askedAt = now;
        due.push(order);
      }
    }
    return due;
  }
}
