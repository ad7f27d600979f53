// Orders that filled more than the fills known: a cancel reply, a look-up or a full take said so, while the events that
// carry the fills may have been lost with a feed. Their trail is read until it explains the rest. And orders that ended
// without a word on what they filled: until their trail was read, all of them may have.
import type { GameId, MarketId, Micros, OrderId, OrderRef, Side } from '../domain/index.ts';
import { isActive, microsOfCents } from '../domain/index.ts';
import type { OwnOrder } from './own-order.ts';

/** The first time again after so long, and then less and less often. */
const ASK_AGAIN_MS = { first: 2000, most: 60_000 };
/** Amounts on the wire are rounded: a micro-dollar is no missing fill. */
const ROUNDING = 1;

/** Under this id (undefined: it had none yet) it was told; an order may turn out to have another one. */
type Told = { readonly orderId: OrderId | undefined; askAt: number; everyMs: number };
type Missing = Told & { readonly filled: number };
type Silent = Told & { readonly since: number };

const AT_ONCE = { askAt: Number.NEGATIVE_INFINITY, everyMs: ASK_AGAIN_MS.first };

const isOfAnother = (order: OwnOrder, { orderId }: Told): boolean =>
  orderId !== undefined && order.orderId !== orderId;

export class MissingFills {
  readonly #orders = new Map<OwnOrder, Missing>();
  /** Nothing was told of their fills; since when. */
  readonly #silent = new Map<OwnOrder, Silent>();

  /** The exchange says that the order filled this much in all, micro-dollars. An older figure may come after a newer one. */
  note(order: OwnOrder, filled: number | undefined): void {
    const before = this.#orders.get(order);
    const told = before === undefined || isOfAnother(order, before) ? 0 : before.filled;
    const known = Math.max(order.filled, told);
    if (filled === undefined || filled <= known + ROUNDING) return;
    this.#orders.set(order, { orderId: order.orderId, filled, ...AT_ONCE });
  }

  /** The order ended, and nobody tells what it filled. */
  noteSilent(order: OwnOrder, now: number): void {
    if (order.filled < microsOfCents(order.risk))
      this.#silent.set(order, { orderId: order.orderId, since: now, ...AT_ONCE });
  }

  get isEmpty(): boolean {
    return this.#orders.size === 0 && this.#silent.size === 0;
  }

  /** The trail of an order was read, or every play of the account; `sentAt`: when it was asked for. */
  applyRead(ref: OrderRef | undefined, sentAt: number): void {
    for (const [order, { since }] of this.#silent)
      if ((ref === undefined || order.ref === ref) && sentAt >= since) this.#silent.delete(order);
  }

  /** The game is over, and settled as far as anybody tells. */
  forgetGame(gameId: GameId): void {
    for (const asked of [this.#orders, this.#silent])
      for (const order of asked.keys()) if (order.market.gameId === gameId) asked.delete(order);
  }

  /** What is missing on one market: it may have filled, so it counts like an open order. */
  *in(market: MarketId): Iterable<{ readonly side: Side; readonly remaining: Micros }> {
    for (const [order, one] of this.#orders) {
      const { filled } = one;
      if (this.#silent.has(order) || isOfAnother(order, one)) continue;
      if (order.market.id === market && !isActive(order.status) && filled > order.filled + ROUNDING)
        yield { side: order.side, remaining: (filled - order.filled) as Micros };
    }
    for (const [order, one] of this.#silent) {
      if (isOfAnother(order, one)) continue;
      const remaining = microsOfCents(order.risk) - order.filled;
      if (order.market.id === market && !isActive(order.status) && remaining > 0)
        yield { side: order.side, remaining: remaining as Micros };
    }
  }

  /** The orders whose trail should be read now. */
  due(now: number): OwnOrder[] {
    const due: OwnOrder[] = [];
    for (const [order, missing] of this.#orders)
      if (order.filled + ROUNDING >= missing.filled || isOfAnother(order, missing))
        this.#orders.delete(order);
    for (const [order, silent] of this.#silent) if (isOfAnother(order, silent)) this.#silent.delete(order);
    for (const asked of [this.#orders, this.#silent])
      for (const [order, one] of asked) {
        if (now < one.askAt || due.includes(order)) continue;
        one.askAt = now + one.everyMs;
        one.everyMs = Math.min(ASK_AGAIN_MS.most, 2 * one.everyMs);
        due.push(order);
      }
    return due;
  }
}
