// Accounts that said that they are alive: where the next heartbeat does not come in time, all their orders are cancelled
// (wire profile, heartbeat).
import type { Account } from './account.ts';
import type { OrderDesk } from './order-desk.ts';

export class Heartbeats {
  readonly #desk: OrderDesk;
  readonly #beating = new Set<Account>();

  constructor(desk: OrderDesk) {
    this.#desk = desk;
  }

  beat(account: Account, timeoutMs: number, nowMs: number): void {
    this.restore(account, nowMs + timeoutMs);
  }

  restore(account: Account, endsMs: number): void {
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
      for (const order of [...account.open.values()]) this.#desk.cancel(order);
    }
  }
}
