// Counts the orders that the exchange refused, by the reason it gave.
import type { RunEvent } from '../domain/index.ts';

export class Refusals {
  readonly #counts = new Map<string, number>();
  readonly #messages = new Map<string, string>();

  /** Counts by reason: the exchange's error code, else the status of the answer. */
  get counts(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#counts);
  }

  /** Counts by reason and its first message, the most frequent first. */
  get byReason(): Readonly<Record<string, number>> {
    return Object.fromEntries(
      [...this.#counts]
        .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
        .map(([reason, count]) => {
          const message = this.#messages.get(reason) ?? '';
          return [message === '' || message === reason ? reason : `${reason}: ${message}`, count];
        }),
    );
  }

  applyEvents(events: readonly RunEvent[]): void {
    for (const event of events) {
      if (event.type !== 'OrderRejected' || !event.isSent) continue;
      const { code, status, reason: message } = event;
      const reason = code ?? String(status);
      this.#counts.set(reason, (this.#counts.get(reason) ?? 0) + 1);
      if (!this.#messages.has(reason)) this.#messages.set(reason, message);
    }
  }
}
