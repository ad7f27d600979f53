// The signals as they stand: the newest value of each name, until it is withdrawn or its time is over.
import type { SignalUpdate } from '../domain/index.ts';

type Held = { readonly value: number; readonly untilMs: number };
export type StandingSignal = {
  readonly value: number;
  /** Of its time, ms. */
  readonly leftMs: number;
  /** Some strategy asked for it. */
  readonly asked: boolean;
};

/** More names are left out. */
const MOST_SIGNALS = 10_000;

export type SignalPorts = {
  /** Monotonic ms. */
  readonly now: () => number;
  /** So many stand that these found no place: told for the first of such updates. */
  readonly leftOut: (names: readonly string[], standing: number) => void;
};

export class SignalBoard {
  readonly #ports: SignalPorts;
  readonly #held = new Map<string, Held>();
  /** No signal ends before. */
  #endsFrom = Number.POSITIVE_INFINITY;
  #isFull = false;
  #changed: string[] = [];

  constructor(ports: SignalPorts) {
    this.#ports = ports;
  }

  /** Those that have another value, or none any more, since the last look. */
  takeChanged(): readonly string[] {
    const changed = this.#changed;
    if (changed.length > 0) this.#changed = [];
    return changed;
  }

  get(name: string): number | undefined {
    return this.#held.get(name)?.value;
  }

  standing(wasAsked: (name: string) => boolean): ReadonlyMap<string, StandingSignal> {
    const now = this.#ports.now();
    return new Map(
      [...this.#held].map(([name, { value, untilMs }]) => [
        name,
        { value, leftMs: untilMs - now, asked: wasAsked(name) },
      ]),
    );
  }

  /** When something may end. */
  get nextDue(): number {
    return this.#endsFrom;
  }

  apply({ values, ttlMs }: SignalUpdate): void {
    const leftOut: string[] = [];
    for (const [name, value] of Object.entries(values)) {
      const before = this.#held.get(name);
      if (value === null) this.#held.delete(name);
      else if (before === undefined && this.#held.size >= MOST_SIGNALS) {
        leftOut.push(name);
        continue;
      } else this.#hold(name, value, ttlMs);
      if (before?.value !== (value ?? undefined)) this.#changed.push(name);
    }
    if (leftOut.length > 0 && !this.#isFull) this.#ports.leftOut(leftOut, this.#held.size);
    this.#isFull = leftOut.length > 0;
  }

  #hold(name: string, value: number, ttlMs: number): void {
    const untilMs = this.#ports.now() + ttlMs;
    this.#held.set(name, { value, untilMs });
    this.#endsFrom = Math.min(this.#endsFrom, untilMs);
  }

  /** Lets go of what has had its time. */
  expire(): void {
    const now = this.#ports.now();
    if (now < this.#endsFrom) return;
    this.#endsFrom = Number.POSITIVE_INFINITY;
    for (const [name, { untilMs }] of this.#held) {
      if (untilMs > now) {
        this.#endsFrom = Math.min(this.#endsFrom, untilMs);
        continue;
      }
      this.#held.delete(name);
      this.#changed.push(name);
    }
  }
}
