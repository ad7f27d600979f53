// The orderly end of a run (rules.md, 8): place nothing, cancel all known orders at once, wait for requests
// in flight, then require two empty lists of own open orders, 1 s apart. An end that cannot be confirmed
// exits with 74.
import type { ExitCode, OpenOrder, OrderId } from '../domain/index.ts';
import { EXIT, isActive } from '../domain/index.ts';
import type { Account } from '../account/index.ts';
import { factOfRow } from '../account/index.ts';
import type { OrderManager } from '../orders/index.ts';
import type { CommandBuffer } from './command-buffer.ts';
import { LastRequests } from './last-requests.ts';

const LIST_AGAIN_MS = 1000;
/** Delay after a failed read, for example after an expired token. */
const FAILED_AGAIN_MS = 250;
/** Delay between reads of the plays. The account is known to be empty then, so only a few tries are made. */
const PLAYS_AGAIN_MS = 1000;
const MOST_PLAYS_READS = 5;
const EMPTY_LISTS = 2;
/** Time for the lists after lateArrival, when no own order can arrive any more. */
const CONFIRM_WITHIN_MS = 5000;

export class Closing {
  /** When the end of the run began, monotonic ms. Undefined before. */
  since: number | undefined;
  /** Number of own orders still open at the end. Undefined when it could not be confirmed. */
  openAtExit: number | undefined;
  done = false;
  /** The last requests to an account that the exchange refuses. Undefined while it is served. */
  lastRequests: LastRequests | undefined;
  #code: ExitCode = EXIT.done;
  #reason = '';
  #emptyLists = 0;
  /** Own orders that the newest list shows. */
  #shown: readonly OrderId[] = [];
  #nextList = 0;
  /** The read sent since the stop that is not answered yet. */
  #asked: 'open-orders' | 'plays' | undefined;
  /** True when two lists were empty. */
  #confirmed = false;
  #playsUnread = 0;
  readonly #buffer: CommandBuffer;
  readonly #manager: OrderManager;
  readonly #account: Account;
  readonly #settings: { readonly onExit: 'cancel' | 'leave'; readonly lateArrivalMs: number };

  constructor(
    buffer: CommandBuffer,
    manager: OrderManager,
    account: Account,
    settings: { readonly onExit: 'cancel' | 'leave'; readonly lateArrivalMs: number },
  ) {
    this.#buffer = buffer;
    this.#manager = manager;
    this.#account = account;
    this.#settings = settings;
  }

  /** Begins the end of the run. A second call keeps the first reason. */
  beginStop(code: ExitCode, reason: string): void {
    if (this.since !== undefined) return;
    this.since = this.#buffer.now;
    this.#code = code;
    this.#reason = reason;
    this.#manager.stopPlacing();
  }

  /**
   * The exchange no longer serves the account: one cancelAllOrders and one list are tried, then the run ends.
   */
  refuse(code: ExitCode, reason: string): void {
    if (this.done) return;
    this.since ??= this.#buffer.now;
    this.#manager.stopPlacing();
    this.#code = code;
    this.#reason = reason;
    this.lastRequests = new LastRequests(this.#buffer);
  }

  /** Continues with the last requests to a refused account. */
  advanceRefused(): void {
    const ended = this.lastRequests?.advance(this.#account.active.size);
    if (ended === undefined || this.done) return;
    this.openAtExit = ended.listed?.length;
    const ids = ended.listed ?? this.#held();
    if (ids.length === 0) {
      this.#finish(this.#code, this.#reason);
      return;
    }
    this.#alertLeft(ids);
    this.#finish(
      EXIT.notConfirmed,
      `${this.#reason}; ${ids.length} orders rest, as far as is known, and the account is refused`,
    );
  }

  /** Orders that rest or may rest, as far as is known. */
  #held(): readonly string[] {
    return [...this.#account.active].map(({ id, ref }) => id?.orderId ?? ref);
  }

  /** True while closing with `onExit: cancel`: quotes are withdrawn. */
  get withdraws(): boolean {
    return this.since !== undefined && this.#settings.onExit === 'cancel';
  }

  /** Cancels everything on the account without waiting: the second Ctrl-C. */
  abort(): void {
    if (this.done) return;
    if (this.#confirmed) {
      this.#finishEmpty();
      return;
    }
    this.#buffer.send({ type: 'cancel-all', req: this.#buffer.nextRequest() });
    this.#finish(EXIT.notConfirmed, 'aborted: cancelAllOrders was sent, nothing was confirmed');
  }

  advance(): void {
    if (this.since === undefined || this.done) return;
    const { now } = this.#buffer;
    // a place or an edit in flight may still add to what a list shows; a cancel is only waited for a moment
    const inFlight = this.#manager.isFlying(now - this.since < LIST_AGAIN_MS);
    if (this.#settings.onExit === 'leave') {
      if (inFlight && now - this.since < this.#settings.lateArrivalMs) return;
      this.openAtExit = this.#account.active.size;
      this.#finish(this.#code, this.#reason);
      return;
    }
    if (now - this.since > this.#settings.lateArrivalMs + CONFIRM_WITHIN_MS) {
      if (this.#confirmed) {
        this.#finishEmpty();
        return;
      }
      const left = [...new Set([...this.#held(), ...this.#shown])];
      this.#alertLeft(left);
      this.#finish(
        EXIT.notConfirmed,
        left.length > 0
          ? `could not confirm that nothing is open: ${left.length} orders are not settled`
          : 'could not confirm that nothing is open: the exchange did not list the open orders twice',
      );
      return;
    }
    if (inFlight || this.#asked !== undefined || now < this.#nextList) return;
    // the summary must contain the last fills; the answer to an older read would not have them
    const list = this.#confirmed ? 'plays' : 'open-orders';
    if (this.#buffer.read({ what: list })) this.#asked = list;
    else this.#nextList = now + FAILED_AGAIN_MS;
  }

  /** Applies a list of the account's open orders. Undefined when the read failed. */
  applyList(orders: readonly OpenOrder[] | undefined, askedAt: number): void {
    if (this.since === undefined || this.done) return;
    if (this.lastRequests !== undefined) {
      if (orders !== undefined) this.lastRequests.applyList(this.#own(orders));
      return;
    }
    const isAsked = this.#asked === 'open-orders';
    if (isAsked) {
      this.#asked = undefined;
      this.#nextList = this.#buffer.now + (orders === undefined ? FAILED_AGAIN_MS : LIST_AGAIN_MS);
    }
    if (orders === undefined) return;
    const own = this.#own(orders);
    this.#shown = own.map(({ orderId }) => orderId);
    for (const order of own) {
      const known = this.#account.find(order.orderId, order.ref);
      if (known?.status === 'unknown' || known?.status === 'never-landed')
        this.#account.record(factOfRow(order, undefined, askedAt, this.#buffer.now));
    }
    if (own.length > 0) {
      this.#emptyLists = 0;
      this.#confirmed = false;
      // orders that the account believes open are being cancelled already
      const unexpected = own.filter((order) => {
        const known = this.#account.find(order.orderId, order.ref);
        return known === undefined || !isActive(known.status);
      });
      this.#manager.cancelStragglers(
        unexpected.map((order) => order.orderId),
        this.#buffer.now,
      );
      return;
    }
    // a list that reconciliation requested may be older than the stop
    if (!isAsked) return;
    // an unknown order may still arrive until lateArrival has passed: only lists from then on count
    const stillFlying = [...this.#account.unknown].some(
      (order) => this.#buffer.now - order.sentAt < this.#settings.lateArrivalMs,
    );
    if (stillFlying) return;
    this.#emptyLists += 1;
    if (this.#emptyLists < EMPTY_LISTS) return;
    this.#confirmed = true;
    this.#nextList = this.#buffer.now;
  }

  #own(orders: readonly OpenOrder[]): readonly OpenOrder[] {
    const account = this.#account;
    return orders.filter((row) => account.isOurs(row) || account.former.formerOrderOf(row, undefined) !== undefined);
  }

  /** The read of the matched plays ended. When it failed, it is repeated a few times. */
  applyPlays(isRead: boolean): void {
    if (this.#asked !== 'plays' || this.done) return;
    this.#asked = undefined;
    // meanwhile a list showed an order
    if (!this.#confirmed) return;
    this.#nextList = this.#buffer.now + PLAYS_AGAIN_MS;
    if (!isRead) this.#playsUnread += 1;
    if (this.#playsUnread === MOST_PLAYS_READS)
      this.#buffer.alert('warn', 'PLAYS_UNREAD', 'the plays cannot be read: what filled last may not be counted', {
        tries: MOST_PLAYS_READS,
      });
    if (isRead || this.#playsUnread === MOST_PLAYS_READS) this.#finishEmpty();
  }

  #alertLeft(ids: readonly string[]): void {
    this.#buffer.alert('error', 'STOP_NOT_CONFIRMED', 'it could not be confirmed that nothing is open', {
      orders: ids.length,
      ids: ids.slice(0, 100),
    });
  }

  #finishEmpty(): void {
    this.openAtExit = 0;
    this.#finish(this.#code, this.#reason);
  }

  #finish(code: ExitCode, reason: string): void {
    this.done = true;
    this.#buffer.send({ type: 'exit', code, reason });
  }
}
