// Where an order stands by what a journal tells of it: the transitions of src/domain/order.ts, and what ended it.
import type { Micros, OrderEvent, OrderStatus } from '../domain/index.ts';
import { dollarsOfMicros, isActive, nextStatus } from '../domain/index.ts';
import type { Outcome } from './story.ts';

export class OrderStanding {
  status: OrderStatus;
  filled = 0 as Micros;
  fills = 0;
  /** The newest request of ours that would end it. */
  asked: Outcome['endedBy'];
  #endedBy: Outcome['endedBy'];
  #neverLeft = false;
  /** Monotonic ms. */
  #openAt: number | undefined;
  #endAt: number | undefined;

  constructor(status: OrderStatus) {
    this.status = status;
  }

  get isActive(): boolean {
    return isActive(this.status);
  }

  apply(event: OrderEvent, now: number): void {
    const after = nextStatus(this.status, event);
    if (after === this.status) return;
    this.status = after;
    if (after === 'open') {
      this.#openAt ??= now;
      // what was asked for did not happen
      if (event === 'edit-refused' || event === 'found') this.asked = undefined;
    }
    this.#endAt = isActive(after) ? undefined : now;
    this.#endedBy = after === 'cancelled' ? (this.asked ?? 'exchange') : undefined;
    this.#neverLeft = false;
  }

  /** Its request was held back here. */
  applyNotSent(now: number): void {
    this.apply('never-landed', now);
    this.#neverLeft = this.status === 'never-landed';
  }

  /** @param risk its size, when it is known */
  applyFill(amount: Micros, risk: Micros | undefined, now: number): void {
    this.fills += 1;
    this.filled = (this.filled + amount) as Micros;
    if (risk !== undefined && this.filled >= risk) this.apply('filled', now);
  }

  outcome(risk: number | undefined, now: number): Outcome {
    return {
      status: this.#neverLeft ? 'not-sent' : this.status,
      endedBy: this.#endedBy,
      restedMs: this.#openAt === undefined ? undefined : rounded((this.#endAt ?? now) - this.#openAt),
      filled: dollarsOfMicros(this.filled),
      risk,
      fills: this.fills,
    };
  }
}

/** Monotonic times carry digits that no clock has. */
export const rounded = (ms: number): number => Math.round(ms * 1000) / 1000;
