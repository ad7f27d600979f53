// Whether the user feed can be trusted (rules.md, 4). It is suspect when an accepted order has no
// positionUpdate within 3 s: quotes are pulled. After a wait that doubles each time, one order is placed as a
// trial; all quotes return only after its positionUpdate. So a silent feed never causes a cycle of quoting
// and pulling. Reported orders undo the doubling, so a feed that sometimes loses an event is not treated as
// silent.
import { isActive } from '../domain/index.ts';
import type { OwnOrder } from '../account/index.ts';

/** An accepted order without a positionUpdate for this long makes the user feed suspect. */
const SUSPECT_MS = 3000;
const WAIT_MS = { least: 1000, most: 300_000 };
/** After a feed was trusted for this long, the wait starts again at its shortest. */
const FORGIVEN_AFTER_MS = 600_000;
/** This number of reported orders undoes one doubling. */
const FORGIVEN_AFTER_REPORTS = 10;

type Order = Pick<OwnOrder, 'ref' | 'id' | 'status' | 'landed' | 'sentAt' | 'isOfFormerRun'> & {
  readonly said: Pick<OwnOrder['said'], 'inFeed'>;
};

const isReported = ({ said: reported, id }: Order): boolean => reported.inFeed || id?.inFeed === true;

/** The order that the feed did not report, and the wait before the trial, ms. */
export type Suspicion = { readonly order: Order; readonly waitMs: number };

export class FeedTrust {
  readonly #firstWaitMs: number;
  readonly #resumeAfterMs: number;
  #state: 'trusted' | 'suspect' | 'trial' = 'trusted';
  /** When this state began, monotonic ms. */
  #since = Number.NEGATIVE_INFINITY;
  #times = 0;
  /** Number of orders reported since the feed is trusted, or since the last doubling was undone. */
  #reports = 0;
  #until = 0;
  #tried: Order | undefined;

  /** `resumeAfterMs`: how long the feeds must be healthy in addition to each wait. */
  constructor(resumeAfterMs: number) {
    this.#resumeAfterMs = resumeAfterMs;
    this.#firstWaitMs = Math.max(resumeAfterMs, WAIT_MS.least);
  }

  /** True when nothing may be quoted. */
  get isSuspect(): boolean {
    return this.#state === 'suspect';
  }

  /** True when time alone may change the trust. */
  get isWaiting(): boolean {
    return this.isSuspect || this.#tried !== undefined;
  }

  /** How many orders may be placed now. */
  get mostNew(): number {
    if (this.#state === 'trusted') return Number.POSITIVE_INFINITY;
    return this.isSuspect || this.#tried !== undefined ? 0 : 1;
  }

  /**
   * Checks accepted orders that no event has named, each with the time of acceptance. Orders sent before this
   * connection of the feed (`upSince`) are skipped: they may have been reported to the previous one.
   */
  watch(now: number, unconfirmed: Map<OwnOrder, number>, upSince: number | undefined): Suspicion | undefined {
    if (upSince === undefined) return undefined;
    for (const [order, since] of unconfirmed) {
      if (order.sentAt < upSince) unconfirmed.delete(order);
      else if (!this.isSuspect && now - since > SUSPECT_MS) {
        // the feed is suspect now: the other unconfirmed orders need no check
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

  /** Runs in every step. True when the feed is trusted again. */
  advance(now: number, upSince: number | undefined): boolean {
    // the trial begins in a later step than the suspicion: quotes are pulled in between
    if (this.isSuspect && now > this.#until) this.#enter('trial', now);
    const tried = this.#tried;
    if (tried === undefined) return false;
    if (isReported(tried)) {
      this.#enter('trusted', now);
      return true;
    }
    // refused, or possibly reported to a lost connection: another order is tried
    const hasEnded = !tried.landed && !isActive(tried.status);
    if (hasEnded || (upSince !== undefined && tried.sentAt < upSince)) this.#tried = undefined;
    return false;
  }

  /** Runs after the requests of a step were sent: picks the order of the trial. */
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
