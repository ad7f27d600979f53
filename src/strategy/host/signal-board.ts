// The signals as they stand: the newest value of each name, until it is withdrawn or its time is over.
import type { SignalUpdate } from '../../domain/index.ts';
import { AgeCounts, forgetOldest } from '../../domain/index.ts';

/** `bornMs`: when it was true, on the clock that `untilMs` is on. */
type Held = { readonly value: number; readonly bornMs: number; readonly untilMs: number };
export type StandingSignal = {
  readonly value: number;
  /** Since it was true, ms. */
  readonly ageMs: number;
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
  /** Unix ms. */
  readonly wall: () => number;
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
  /** How old each was when a strategy read it, by name; as many as may stand. */
  readonly #ages = new Map<string, AgeCounts>();

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

  /** A strategy read it. */
  noteUse(name: string): void {
    const held = this.#held.get(name);
    if (held === undefined) return;
    let ages = this.#ages.get(name);
    if (ages === undefined) {
      this.#ages.set(name, (ages = new AgeCounts()));
      forgetOldest(this.#ages, MOST_SIGNALS);
    }
    ages.add(this.#ports.now() - held.bornMs);
  }

  /** How old each was when a strategy read it, by name. */
  get ages(): ReadonlyMap<string, AgeCounts> {
    return this.#ages;
  }

  standing(wasAsked: (name: string) => boolean): ReadonlyMap<string, StandingSignal> {
    const now = this.#ports.now();
    return new Map(
      [...this.#held].map(([name, { value, bornMs, untilMs }]) => [
        name,
        { value, ageMs: now - bornMs, leftMs: untilMs - now, asked: wasAsked(name) },
      ]),
    );
  }

  /** When something may end. */
  get nextDue(): number {
    return this.#endsFrom;
  }

  apply({ values, ttlMs, ts }: SignalUpdate): void {
    const leftOut: string[] = [];
    const now = this.#ports.now();
    const held = {
      bornMs: ts === undefined ? now : now - Math.max(0, this.#ports.wall() - ts),
      untilMs: now + ttlMs,
    };
    for (const [name, value] of Object.entries(values)) {
      const before = this.#held.get(name);
      if (value === null) this.#held.delete(name);
      else if (before === undefined && this.#held.size >= MOST_SIGNALS) {
        leftOut.push(name);
        continue;
      } else {
        this.#held.set(name, { value, ...held });
        this.#endsFrom = Math.min(this.#endsFrom, held.untilMs);
      }
      if (before?.value !== (value ?? undefined)) this.#changed.push(name);
    }
    if (leftOut.length > 0 && !this.#isFull) this.#ports.leftOut(leftOut, this.#held.size);
    this.#isFull = leftOut.length > 0;
  }

  /** Withdraws those whose names this holds for. */
  withdraw(isMeant: (name: string) => boolean): void {
    for (const name of this.#held.keys()) {
      if (!isMeant(name)) continue;
      this.#held.delete(name);
      this.#changed.push(name);
    }
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
