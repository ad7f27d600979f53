// Cancel-all operations of accounts (spec, Cancel-all lock). Each holds a lock while it drains at about 15
// orders per second, and individual cancels are refused with 423 meanwhile. A pause is a cancel-all that
// remembers what it cancels.
import type { VenueAccount, CancelAllLock, VenueOrder } from './records.ts';
import type { EventQueue } from './events.ts';
import type { OrderEntry } from './order-entry.ts';
import type { Refusal } from './refusal.ts';
import { cancelAllRunning } from './refusal.ts';

/** Time between two cancels: about 15 per second. */
const DRAIN_INTERVAL_MS = 1000 / 15;

export class CancelAlls {
  readonly #entry: OrderEntry;
  readonly #events: EventQueue;
  readonly #locked = new Set<VenueAccount>();
  readonly #intervalMs: number;

  /** @param speed factor by which it drains faster than at real time */
  constructor(entry: OrderEntry, events: EventQueue, speed: number) {
    this.#entry = entry;
    this.#events = events;
    this.#intervalMs = DRAIN_INTERVAL_MS / speed;
  }

  /**
   * Takes the lock and starts to drain. When a cancel-all already runs, it is extended to the orders placed
   * since.
   * @param remembers true for a pause, which remembers what it cancels; a plain cancel-all forgets what
   * pauses remembered
   */
  start(account: VenueAccount, nowMs: number, remembers: boolean): void {
    account.lock = { upToSeq: this.#entry.seq, nextMs: account.lock?.nextMs ?? nowMs, remembers };
    if (!remembers) account.paused = [];
    this.#locked.add(account);
    this.#events.accountKept(account);
    this.#drain(account, nowMs);
  }

  /** Restores a lock after a restart. */
  restore(account: VenueAccount, lock: Omit<CancelAllLock, 'nextMs'>, nowMs: number): void {
    account.lock = { ...lock, nextMs: nowMs };
    this.#locked.add(account);
  }

  /**
   * The refusal of an individual cancel while the lock is held, with the wait. Undefined without a lock. Call
   * `advance` first.
   */
  refusal({ lock, open }: VenueAccount, nowMs: number): Refusal | undefined {
    if (lock === undefined) return undefined;
    let left = 0;
    for (const order of open.values()) if (order.bornSeq <= lock.upToSeq) left++;
    return cancelAllRunning(lock.nextMs - nowMs + Math.max(0, left - 1) * this.#intervalMs);
  }

  /** When the next cancel is due, ms. Infinity when none is. */
  get nextMs(): number {
    let next = Number.POSITIVE_INFINITY;
    if (this.#locked.size === 0) return next;
    for (const { lock } of this.#locked) next = Math.min(next, lock?.nextMs ?? next);
    return next;
  }

  /** Cancels all orders that are due. */
  advance(nowMs: number): void {
    if (this.#locked.size === 0) return;
    for (const account of this.#locked) this.#drain(account, nowMs);
  }

  #drain(account: VenueAccount, nowMs: number): void {
    const { lock } = account;
    if (lock === undefined) return;
    let done = true;
    for (const order of account.open.values()) {
      if (order.bornSeq > lock.upToSeq) continue;
      if (lock.nextMs > nowMs) {
        done = false;
        break;
      }
      this.#entry.cancel(order);
      if (lock.remembers) this.#remember(order);
      lock.nextMs += this.#intervalMs;
    }
    if (!done) return;
    account.lock = undefined;
    this.#locked.delete(account);
    this.#events.accountKept(account);
  }

  #remember({ account, id }: VenueOrder): void {
    account.paused = [...account.paused, id];
    this.#events.accountKept(account);
  }
}
