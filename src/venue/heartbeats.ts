// Accounts that said that they are alive: where the next heartbeat does not come in time, all their orders are cancelled
// (wire profile, heartbeat).
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

  beat(account: VenueAccount, timeoutMs: number, nowMs: number): void {
    this.restore(account, nowMs + timeoutMs);
    this.#events.accountKept(account);
  }

  restore(account: VenueAccount, endsMs: number): void {
    account.heartbeatEndsMs = endsMs;
    this.#beating.add(account);
  }

  /** When the first of them is over. */
  get nextMs(): number {
    let next = Number.POSITIVE_INFINITY;
    for (const { heartbeatEndsMs } of this.#beating) next = Math.min(next, heartbeatEndsMs ?? next);
    return next;
  }

  advance(nowMs: number): void {
    if (this.#beating.size === 0) return;
    for (const account of this.#beating) {
      if ((account.heartbeatEndsMs ?? 0) > nowMs) continue;
      this.#beating.delete(account);
      // in a next life it would end what came since
      account.heartbeatEndsMs = undefined;
      this.#events.accountKept(account);
      for (const order of [...account.open.values()]) this.#entry.cancel(order);
    }
  }
}
