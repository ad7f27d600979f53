// Counts the requests and answers of a run as `run --json` does.
import type { FailureKind, RunEvent } from '../domain/index.ts';
import { elementAt } from '../domain/index.ts';
import { beginsRequest } from './request-use.ts';

/** Failures without an answer to count: never sent, or the answer may still come. */
const UNCOUNTED: ReadonlySet<FailureKind> = new Set(['not-sent', 'timeout']);

export class RequestTally {
  readonly sent: Record<'place' | 'edit' | 'cancel' | 'other', number> = {
    place: 0,
    edit: 0,
    cancel: 0,
    other: 0,
  };
  readonly #answers = new Map<number, number>();

  /** Answers by status; 0: no answer came. */
  get answers(): Readonly<Record<string, number>> {
    return Object.fromEntries(
      [...this.#answers].sort(([a], [b]) => a - b).map(([status, count]) => [String(status), count]),
    );
  }

  applyEvents(events: readonly RunEvent[]): void {
    for (let index = 0; index < events.length; index++) {
      const event = elementAt(events, index);
      switch (event.type) {
        case 'OrderSubmitted':
          if (beginsRequest(events, index)) this.sent[event.replaces === undefined ? 'place' : 'edit'] += 1;
          break;
        case 'CancelSubmitted':
          if (event.scope === undefined) this.sent.cancel += 1;
          break;
        case 'Sample':
          this.sent.other = event.counts?.otherRequests ?? this.sent.other;
          break;
        case 'RequestAnswered':
          if (event.status !== undefined) this.#count(event.status);
          else if (event.failure !== undefined && !UNCOUNTED.has(event.failure)) this.#count(0);
          break;
        default:
      }
    }
  }

  #count(status: number): void {
    this.#answers.set(status, (this.#answers.get(status) ?? 0) + 1);
  }
}
