// How the belief of an order went through a journal: what of it is worth a row, and what became of the order in the end.
import type { Micros } from '../../domain/index.ts';
import { dollarsOfMicros, isActive } from '../../domain/index.ts';
import type { Believed, StoryFact, Outcome } from './story.ts';

type Belief = NonNullable<Believed['belief']>;

export class OrderStanding {
  #belief: Belief | undefined;
  /** Facts that were told, and the last belief, as text. */
  readonly #told = new Set<string>();
  #lastTold = '';
  /** Monotonic ms. */
  #landedAt: number | undefined;
  #endedAt: number | undefined;

  /** It may rest, as far as is believed; of an order that is not ours nobody knows. */
  get mayRest(): boolean {
    const status = this.#belief?.status;
    return status === undefined || (status !== 'not-sent' && status !== 'external' && isActive(status));
  }

  /** Returns what is worth a row: facts that are new, and a belief that changed. */
  apply({ facts, belief }: Believed, now: number): Extract<StoryFact, { type: 'belief' }> | undefined {
    if (belief === undefined) return undefined;
    this.#belief = belief;
    if (belief.landed) this.#landedAt ??= now;
    this.#endedAt = this.mayRest ? undefined : (this.#endedAt ?? now);
    const anew = facts.filter((fact) => !this.#told.has(JSON.stringify(fact)));
    for (const fact of anew) this.#told.add(JSON.stringify(fact));
    const { status, filled, mayStillFill } = belief;
    const text = `${status} ${filled} ${mayStillFill}`;
    if (anew.length === 0 && text === this.#lastTold) return undefined;
    this.#lastTold = text;
    return {
      type: 'belief',
      facts: anew,
      status,
      filled: dollarsOfMicros(filled),
      mayStillFill: dollarsOfMicros(mayStillFill),
    };
  }

  /** `fills`, `filled`: that the journal tells of one by one. */
  outcome(
    { risk, fills, filled }: { readonly risk: number | undefined; readonly fills: number; readonly filled: Micros },
    now: number,
  ): Outcome {
    const { status = 'external', endedBy } = this.#belief ?? {};
    return {
      status,
      endedBy,
      restedMs: this.#landedAt === undefined ? undefined : rounded((this.#endedAt ?? now) - this.#landedAt),
      filled: dollarsOfMicros(this.#belief?.filled ?? filled),
      risk,
      fills,
    };
  }
}

/** Monotonic times carry digits that no clock has. */
export const rounded = (ms: number): number => Math.round(ms * 1000) / 1000;
