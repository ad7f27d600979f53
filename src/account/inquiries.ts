// The one place that decides what the exchange is asked about single orders: where a silent request went, what became of an
// order whose end is unclear, fills that are reported and not known. Each is asked again less and less often, so that reads
// are left for the books. Lists of the whole account are the reconciliation's (reconciliation.ts).
import type { OrderId } from '../domain/index.ts';
import { isActive } from '../domain/index.ts';
import { isMissingFills } from './belief.ts';
import type { AccountNews } from './news.ts';
import type { Name, OwnOrder } from './records.ts';
import { idOf } from './order.ts';

/** An order of unknown fate: after the first look every 2 s, from 10 s on rarely, until nothing can land any more. */
const LOOK_MS = { first: 500, often: 2000, rarely: 10_000 };
const OFTEN_MS = 10_000;
/** A look-up that failed. */
const AGAIN_MS = { first: 500, most: 15_000 };
/** A trail that did not explain what filled. */
const TRAIL_AGAIN_MS = { first: 2000, most: 60_000 };

type Search = { nextAt: number; isAsking: boolean };
type Waiting = { askAt: number; everyMs: number };

export class Inquiries {
  readonly #lateArrivalMs: number;
  /** Orders of unknown fate, by the order. */
  readonly #searches = new Map<OwnOrder, Search>();
  /** Ids that are to be looked up, or are; `askAt` +∞: a look-up is under way. */
  readonly #lookUps = new Map<OrderId, Waiting & { readonly name: Name }>();
  readonly #trails = new Map<OwnOrder, Waiting>();
  #mostMs: number = AGAIN_MS.most;
  readonly #news: Pick<AccountNews, 'ask'>;

  constructor(lateArrivalMs: number, news: Pick<AccountNews, 'ask'>) {
    this.#lateArrivalMs = lateArrivalMs;
    this.#news = news;
  }

  /** Nothing waits to be asked. */
  get isIdle(): boolean {
    return this.#searches.size + this.#lookUps.size + this.#trails.size === 0;
  }

  /** The belief about an order changed. */
  applyBelief(order: OwnOrder): void {
    if (order.status === 'unknown') {
      if (!this.#searches.has(order)) this.#searches.set(order, { nextAt: Number.NaN, isAsking: false });
    } else if (this.#searches.size > 0) this.#searches.delete(order);
    if (!isMissingFills(order)) {
      if (this.#trails.size > 0) this.#trails.delete(order);
    } else if (!this.#trails.has(order)) this.#trails.set(order, { askAt: 0, everyMs: TRAIL_AGAIN_MS.first });
  }

  /** Asks by id where an order stands, at once, unless that is being asked. */
  lookUp(name: Name): void {
    const { orderId } = name;
    if (orderId === undefined) return;
    const known = this.#lookUps.get(orderId);
    if (known !== undefined && known.askAt === Number.POSITIVE_INFINITY) return;
    this.#ask(orderId, name, known?.everyMs ?? AGAIN_MS.first);
  }

  #ask(orderId: OrderId, name: Name, everyMs: number): void {
    this.#lookUps.set(orderId, { name, askAt: Number.POSITIVE_INFINITY, everyMs });
    name.isAsked = true;
    this.#news.ask('order', { what: 'order', orderId });
  }

  /** A look-up was answered, or the id concerns nobody any more. */
  applyLookedUp(orderId: OrderId): void {
    const known = this.#lookUps.get(orderId);
    if (known !== undefined) known.name.isAsked = false;
    this.#lookUps.delete(orderId);
  }

  applyLookUpFailed(orderId: OrderId, now: number): void {
    const known = this.#lookUps.get(orderId);
    if (known === undefined) return;
    known.name.isAsked = false;
    const everyMs = Math.min(this.#mostMs, known.everyMs);
    known.askAt = now + everyMs;
    known.everyMs = 2 * everyMs;
  }

  /** The trail of an order was answered, or could not be. */
  applyTrail(order: OwnOrder): void {
    const search = this.#searches.get(order);
    if (search !== undefined) search.isAsking = false;
  }

  /** The run ends: what waits to be asked again is asked at once, and as often as the first time. */
  hurry(): void {
    this.#mostMs = AGAIN_MS.first;
    for (const one of this.#lookUps.values())
      if (one.askAt < Number.POSITIVE_INFINITY) one.askAt = Number.NEGATIVE_INFINITY;
  }

  /**
   * Called at every sweep. `listsTell`: no reference was ever reported, so a list of open orders must show what landed. Returns the
   * orders that are searched for from now on.
   */
  sweep(now: number, listsTell: boolean): readonly OwnOrder[] {
    const begun: OwnOrder[] = [];
    for (const [order, trail] of this.#trails) {
      if (now < trail.askAt) continue;
      trail.askAt = now + trail.everyMs;
      trail.everyMs = Math.min(TRAIL_AGAIN_MS.most, 2 * trail.everyMs);
      this.#askTrail(order);
    }
    for (const [orderId, one] of this.#lookUps) {
      if (now < one.askAt) continue;
      const { holder } = one.name;
      // it may have another id by now
      if (holder !== undefined && isActive(holder.status) && holder.id === one.name)
        this.#ask(orderId, one.name, one.everyMs);
      else this.applyLookedUp(orderId);
    }
    let byList = false;
    for (const [order, search] of this.#searches) {
      if (Number.isNaN(search.nextAt)) {
        search.nextAt = now + LOOK_MS.first;
        begun.push(order);
      }
      if (search.isAsking || now < search.nextAt) continue;
      const waiting = now - order.sentAt;
      const rarely = waiting > OFTEN_MS && waiting < this.#lateArrivalMs;
      search.nextAt = now + (rarely ? LOOK_MS.rarely : LOOK_MS.often);
      if (order.id === undefined) {
        search.isAsking = true;
        this.#askTrail(order);
        if (listsTell) byList = true;
      } else if (!this.#isReplacementUnknown(order)) this.lookUp(order.id);
    }
    if (byList) this.#news.ask('order', { what: 'open-orders' });
    return begun;
  }

  /** The old half of an unanswered edit is settled after the new half. */
  #isReplacementUnknown(old: OwnOrder): boolean {
    for (const order of this.#searches.keys()) if (order.replaces === old) return true;
    return false;
  }

  #askTrail({ ref, market }: OwnOrder): void {
    this.#news.ask('order', { what: 'reference', ref, gameId: market.gameId });
  }

  forget(order: OwnOrder): void {
    this.#searches.delete(order);
    this.#trails.delete(order);
    const id = idOf(order);
    // what has the id since an edit may be looked up still
    if (id !== undefined && this.#lookUps.get(id)?.name === order.id) this.applyLookedUp(id);
  }
}
