// Accounts with heartbeats: when the next heartbeat does not arrive in time, all orders of the account are
// cancelled (wire profile, heartbeat).
import type { VenueAccount } from './records.ts';
import type { EventQueue } from './events.ts';
import type { OrderEntry } from './order-entry.ts';

export class Heartbeats {
  readonly #entry: OrderEntry;
  readonly #events: EventQueue;
  readonly #beating = new Set<VenueAccount>();

  constructor(entry: OrderEntry, events: EventQueue) {
    this.#entry = entry;
    this.#events = events;
  }

  /** Records a heartbeat. The next one is due within `timeoutMs`. */
  beat(account: VenueAccount, timeoutMs: number, nowMs: number): void {
    this.restore(account, nowMs + timeoutMs);
    this.#events.accountKept(account);
  }

  /** Restores a heartbeat deadline after a restart. */
  restore(account: VenueAccount, endsMs: number): void {
    account.heartbeatEndsMs = endsMs;
    this.#beating.add(account);
  }

  /** The earliest deadline, ms. Infinity when there is none. */
  get nextMs(): number {
    let next = Number.POSITIVE_INFINITY;
    if (this.#beating.size === 0) return next;
    for (const { heartbeatEndsMs } of this.#beating) next = Math.min(next, heartbeatEndsMs ?? next);
    return next;
  }

  /** Cancels the orders of the accounts whose deadline has passed. */
  advance(nowMs: number): void {
    if (this.#beating.size === 0) return;
    for (const account of this.#beating) {
      if ((account.heartbeatEndsMs ?? 0) > nowMs) continue;
      this.#beating.delete(account);
      // otherwise it would cancel newer orders after a restart
      account.heartbeatEndsMs = undefined;
      this.#events.accountKept(account);
      for (const order of [...account.open.values()]) this.#entry.cancel(order);
    }
  }
}
