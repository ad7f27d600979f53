// Decides what the exchange is asked about single orders: the fate of an unanswered request, an order whose
// end is unclear, and fills that are only reported as a total. Invariant: each question is repeated less and
// less often, so that reads are left for the books. Lists of the whole account belong to reconciliation.ts.
import type { OrderId } from '../domain/index.ts';
import { isActive } from '../domain/index.ts';
import { isMissingFills } from './belief.ts';
import type { AccountOutput } from './account-output.ts';
import type { Name, OwnOrder } from './records.ts';
import { idOf } from './order.ts';

/**
 * The look-ups of an order of unknown fate, ms after it was sent: the first after 500, then every 2 s;
 * between 10 s and `lateArrival` every 10 s.
 */
const SEARCH_MS = { first: 500, often: 2000, rarely: 10_000 };
const OFTEN_FOR_MS = 10_000;
/** The wait after a failed look-up, doubled each time, ms. */
const RETRY_MS = { first: 500, most: 15_000 };
/** The wait after a look-up by reference that did not explain the fills, doubled each time, ms. */
const TRAIL_RETRY_MS = { first: 2000, most: 60_000 };

type Search = { nextAt: number; isAsking: boolean };
type Waiting = { askAt: number; everyMs: number };

export class Inquiries {
  readonly #lateArrivalMs: number;
  /** Orders of unknown fate. */
  readonly #searches = new Map<OwnOrder, Search>();
  /** Ids to look up. `askAt` +∞: a look-up is in flight. */
  readonly #lookUps = new Map<OrderId, Waiting & { readonly name: Name }>();
  readonly #trails = new Map<OwnOrder, Waiting>();
  #maxRetryMs: number = RETRY_MS.most;
  readonly #news: Pick<AccountOutput, 'ask'>;

  constructor(lateArrivalMs: number, news: Pick<AccountOutput, 'ask'>) {
    this.#lateArrivalMs = lateArrivalMs;
    this.#news = news;
  }

  /** True when nothing waits to be asked. */
  get isIdle(): boolean {
    return this.#searches.size + this.#lookUps.size + this.#trails.size === 0;
  }

  /** Applies a changed belief about an order. */
  applyBelief(order: OwnOrder): void {
    if (order.status === 'unknown') {
      if (!this.#searches.has(order)) this.#searches.set(order, { nextAt: Number.NaN, isAsking: false });
    } else if (this.#searches.size > 0) this.#searches.delete(order);
    if (!isMissingFills(order)) {
      if (this.#trails.size > 0) this.#trails.delete(order);
    } else if (!this.#trails.has(order)) this.#trails.set(order, { askAt: 0, everyMs: TRAIL_RETRY_MS.first });
  }

  /** Looks up an order by id at once, unless a look-up is in flight. */
  lookUp(name: Name): void {
    const { orderId } = name;
    if (orderId === undefined) return;
    const known = this.#lookUps.get(orderId);
    if (known !== undefined && known.askAt === Number.POSITIVE_INFINITY) return;
    this.#ask(orderId, name, known?.everyMs ?? RETRY_MS.first);
  }

  #ask(orderId: OrderId, name: Name, everyMs: number): void {
    this.#lookUps.set(orderId, { name, askAt: Number.POSITIVE_INFINITY, everyMs });
    name.isAsked = true;
    this.#news.ask('order', { what: 'order', orderId });
  }

  /** A look-up was answered, or the id no longer belongs to an own order. */
  applyLookedUp(orderId: OrderId): void {
    const known = this.#lookUps.get(orderId);
    if (known !== undefined) known.name.isAsked = false;
    this.#lookUps.delete(orderId);
  }

  applyLookUpFailed(orderId: OrderId, now: number): void {
    const known = this.#lookUps.get(orderId);
    if (known === undefined) return;
    known.name.isAsked = false;
    const everyMs = Math.min(this.#maxRetryMs, known.everyMs);
    known.askAt = now + everyMs;
    known.everyMs = 2 * everyMs;
  }

  /** A look-up by reference was answered, or failed. */
  applyTrail(order: OwnOrder): void {
    const search = this.#searches.get(order);
    if (search !== undefined) search.isAsking = false;
  }

  /** The run ends: pending look-ups are due at once and repeated without growing intervals. */
  hurry(): void {
    this.#maxRetryMs = RETRY_MS.first;
    for (const lookUp of this.#lookUps.values())
      if (lookUp.askAt < Number.POSITIVE_INFINITY) lookUp.askAt = Number.NEGATIVE_INFINITY;
  }

  /**
   * Housekeeping. `listsAreComplete`: no reference was ever reported, so a list of open orders must show what
   * landed. Returns the orders whose search begins now.
   */
  housekeep(now: number, listsAreComplete: boolean): readonly OwnOrder[] {
    const started: OwnOrder[] = [];
    for (const [order, trail] of this.#trails) {
      if (now < trail.askAt) continue;
      trail.askAt = now + trail.everyMs;
      trail.everyMs = Math.min(TRAIL_RETRY_MS.most, 2 * trail.everyMs);
      this.#askTrail(order);
    }
    for (const [orderId, lookUp] of this.#lookUps) {
      if (now < lookUp.askAt) continue;
      const { holder } = lookUp.name;
      // the order may have another id by now
      if (holder !== undefined && isActive(holder.status) && holder.id === lookUp.name)
        this.#ask(orderId, lookUp.name, lookUp.everyMs);
      else this.applyLookedUp(orderId);
    }
    let byList = false;
    for (const [order, search] of this.#searches) {
      if (Number.isNaN(search.nextAt)) {
        search.nextAt = now + SEARCH_MS.first;
        started.push(order);
      }
      if (search.isAsking || now < search.nextAt) continue;
      const waiting = now - order.sentAt;
      const rarely = waiting > OFTEN_FOR_MS && waiting < this.#lateArrivalMs;
      search.nextAt = now + (rarely ? SEARCH_MS.rarely : SEARCH_MS.often);
      if (order.id === undefined) {
        search.isAsking = true;
        this.#askTrail(order);
        if (listsAreComplete) byList = true;
      } else if (!this.#isReplacementUnknown(order)) this.lookUp(order.id);
    }
    if (byList) this.#news.ask('order', { what: 'open-orders' });
    return started;
  }

  /** True while the new order of an unanswered edit is searched: the old one is settled after it. */
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
    // the next order of the id may still be looked up
    if (id !== undefined && this.#lookUps.get(id)?.name === order.id) this.applyLookedUp(id);
  }
}
