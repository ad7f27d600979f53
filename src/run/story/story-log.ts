// What is told of one order, in turn, each with the record of the journal it is from.
import type { Micros, StampedArrival } from '../../domain/index.ts';
import { dollars } from './answers-told.ts';
import { rounded } from './order-standing.ts';
import type { StoryFact, Story } from './story.ts';

type Told = { readonly seq: number; readonly t: number; readonly mono: number; readonly fact: StoryFact };

export class StoryLog {
  /** The record in work. */
  now: StampedArrival = { seq: 0, t: 0, mono: 0, in: { type: 'tick' } };
  readonly #told: Told[] = [];

  /** Monotonic ms of the first that was told. */
  get beganAt(): number | undefined {
    return this.#told[0]?.mono;
  }

  /** Ms from then, monotonic, to the record in work. */
  since(at: number): number {
    return rounded(this.now.mono - at);
  }

  tell(fact: StoryFact): void {
    const { seq, t, mono } = this.now;
    this.#told.push({ seq, t, mono, fact });
  }

  /** Lists that say the same one after the other are one. */
  tellListed(shown: boolean, of: number, rest: Micros | undefined): void {
    const remaining = dollars(rest);
    const lastAt = new Date(this.now.t).toISOString();
    const last = this.#told.at(-1);
    const fact = last?.fact;
    if (last === undefined || fact?.type !== 'listed' || fact.shown !== shown || fact.remaining !== remaining)
      this.tell({ type: 'listed', shown, of, remaining, times: 1, lastAt });
    else this.#told[this.#told.length - 1] = { ...last, fact: { ...fact, times: fact.times + 1, lastAt } };
  }

  /** `sinceAt`: monotonic ms that are counted as 0. */
  events(sinceAt: number): Story['events'] {
    return this.#told.map(({ seq, t, mono, fact }) => ({
      seq,
      at: new Date(t).toISOString(),
      ms: rounded(mono - sinceAt),
      ...fact,
    }));
  }
}
