// Whether the user feed may be believed (rules.md, 4). It is suspect when an accepted order has no positionUpdate within
// 3 s: quotes are pulled. After a wait that doubles each time one quote is tried, until its own positionUpdate comes; only
// then all of them. So a feed that is connected and silent never makes a cycle of quote, suspect, quote; and one that loses
// an event now and then is not taken for it: reported orders take the doubling back.
import { isActive } from '../domain/index.ts';
import type { OwnOrder } from '../account/index.ts';

/** An accepted order without a positionUpdate for this long makes the user feed suspect. */
const SUSPECT_MS = 3000;
const WAIT_MS = { least: 1000, most: 300_000 };
/** A feed that was believed for this long begins anew: what made it suspect is over. */
const FORGIVEN_AFTER_MS = 600_000;
/** So many reported orders take one doubling back. */
const FORGIVEN_AFTER_REPORTS = 10;

type Order = Pick<OwnOrder, 'ref' | 'id' | 'status' | 'landed' | 'sentAt' | 'isOfFormerRun'> & {
  readonly said: Pick<OwnOrder['said'], 'inFeed'>;
};

const isReported = ({ said, id }: Order): boolean => said.inFeed || id?.inFeed === true;

/** The order that the feed did not report, and how long nothing is tried. */
export type Suspicion = { readonly order: Order; readonly waitMs: number };

export class FeedTrust {
  readonly #firstWaitMs: number;
  readonly #resumeAfterMs: number;
  #state: 'trusted' | 'suspect' | 'trial' = 'trusted';
  /** Since then, monotonic ms. */
  #since = Number.NEGATIVE_INFINITY;
  #times = 0;
  /** Orders that were reported since it is believed, or since the last doubling was taken back. */
  #reports = 0;
  #until = 0;
  #tried: Order | undefined;

  /** `resumeAfterMs`: health that is asked for on top of every wait. */
  constructor(resumeAfterMs: number) {
    this.#resumeAfterMs = resumeAfterMs;
    this.#firstWaitMs = Math.max(resumeAfterMs, WAIT_MS.least);
  }

  /** Nothing may be quoted. */
  get isSuspect(): boolean {
    return this.#state === 'suspect';
  }

  /** Time alone may change what is believed. */
  get isWaiting(): boolean {
    return this.isSuspect || this.#tried !== undefined;
  }

  /** How many orders may be placed now. */
  get mostNew(): number {
    if (this.#state === 'trusted') return Number.POSITIVE_INFINITY;
    return this.isSuspect || this.#tried !== undefined ? 0 : 1;
  }

  /**
   * The accepted orders that no event has named, and since when. What was sent before this life of the feed (`upSince`) may have
   * been reported to the last one.
   */
  watch(now: number, unconfirmed: Map<OwnOrder, number>, upSince: number | undefined): Suspicion | undefined {
    if (upSince === undefined) return undefined;
    for (const [order, since] of unconfirmed) {
      if (order.sentAt < upSince) unconfirmed.delete(order);
      else if (!this.isSuspect && now - since > SUSPECT_MS) {
        // the verdict is given: none of them is asked for again
        unconfirmed.clear();
        return this.#suspect(now, order);
      }
    }
    if (this.isSuspect) unconfirmed.clear();
    return undefined;
  }

  #suspect(now: number, order: Order): Suspicion {
    if (this.#state === 'trusted' && now - this.#since > FORGIVEN_AFTER_MS) this.#times = 0;
    const waitMs = Math.min(WAIT_MS.most, this.#firstWaitMs * 2 ** Math.min(this.#times, 16));
    this.#times += 1;
    this.#enter('suspect', now);
    this.#until = now + Math.max(0, waitMs - this.#resumeAfterMs);
    return { order, waitMs };
  }

  /** An own order was reported. */
  applyReport(): void {
    if (this.#state !== 'trusted' || this.#times === 0) return;
    this.#reports += 1;
    if (this.#reports < FORGIVEN_AFTER_REPORTS) return;
    this.#reports = 0;
    this.#times -= 1;
  }

  /** At every step. True when the feed is believed again. */
  advance(now: number, upSince: number | undefined): boolean {
    // in a later step than the one that found it: quotes are pulled meanwhile
    if (this.isSuspect && now > this.#until) this.#enter('trial', now);
    const tried = this.#tried;
    if (tried === undefined) return false;
    if (isReported(tried)) {
      this.#enter('trusted', now);
      return true;
    }
    // refused, or reported to a connection that was lost: another one is tried
    const isOver = !tried.landed && !isActive(tried.status);
    if (isOver || (upSince !== undefined && tried.sentAt < upSince)) this.#tried = undefined;
    return false;
  }

  /** After what was sent: the one that is tried. */
  noteSent(orders: Iterable<Order>): void {
    if (this.#state !== 'trial' || this.#tried !== undefined) return;
    for (const order of orders)
      if (!order.isOfFormerRun && !isReported(order) && order.sentAt >= this.#since) this.#tried = order;
  }

  #enter(state: 'trusted' | 'suspect' | 'trial', now: number): void {
    this.#state = state;
    this.#since = now;
    this.#tried = undefined;
    this.#reports = 0;
  }
}
