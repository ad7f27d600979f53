// Requests and answers of a run, counted from its journal as the run counted them itself (`run --json`).
import type { Arrival, Command, FailureKind } from '../domain/index.ts';

/** Never sent, or the answer may still come. */
const UNCOUNTED: ReadonlySet<FailureKind> = new Set(['not-sent', 'timeout']);

export class RequestTally {
  readonly sent: Record<'place' | 'edit' | 'cancel' | 'other', number> = {
    place: 0,
    edit: 0,
    cancel: 0,
    other: 0,
  };
  readonly #answers = new Map<number, number>();

  /** By status; 0: no answer came. */
  get answers(): Readonly<Record<string, number>> {
    return Object.fromEntries(
      [...this.#answers].sort(([a], [b]) => a - b).map(([status, count]) => [String(status), count]),
    );
  }

  step(input: Arrival, commands: readonly Command[]): void {
    for (const { type } of commands)
      if (type === 'place' || type === 'edit' || type === 'cancel') this.sent[type] += 1;
      else if (type === 'cancel-all' || type === 'read' || type === 'switch-mode') this.sent.other += 1;
    if (input.type === 'reply') this.#count(input.status);
    else if (input.type === 'failure' && !UNCOUNTED.has(input.failure)) this.#count(0);
  }

  #count(status: number): void {
    this.#answers.set(status, (this.#answers.get(status) ?? 0) + 1);
  }
}
