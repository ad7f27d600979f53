// Holds the current signals: the newest value of each name, until it is withdrawn or expires.
import type { SignalUpdate } from '../../domain/index.ts';
import { AgeCounts, forgetOldest } from '../../domain/index.ts';

/** A current value. `bornMs` is the time it was true, `untilMs` its expiry; both monotonic ms. */
type Held = { readonly value: number; readonly bornMs: number; readonly untilMs: number };
/** A current signal as status shows it. */
export type StandingSignal = {
  readonly value: number;
  /** Time since it was true, ms. */
  readonly ageMs: number;
  /** Time until it expires, ms. */
  readonly leftMs: number;
  /** Whether a strategy is subscribed to it. */
  readonly asked: boolean;
};

/** Values for further names are left out. */
const MOST_SIGNALS = 10_000;

export type SignalPorts = {
  /** Monotonic ms. */
  readonly now: () => number;
  /** Unix ms. */
  readonly wall: () => number;
  /**
   * Reports names that were left out because the board is full. Called only for the first of consecutive such
   * updates.
   */
  readonly leftOut: (names: readonly string[], standing: number) => void;
  /** The most that a value may be old, ms, whatever its own validity. Undefined: no such limit. */
  readonly mostAgeMs?: (name: string) => number | undefined;
};

export class SignalBoard {
  readonly #ports: SignalPorts;
  readonly #held = new Map<string, Held>();
  /** No signal expires before this time, monotonic ms. */
  #nextExpiryMs = Number.POSITIVE_INFINITY;
  #isFull = false;
  #changed: string[] = [];
  /** Ages of each signal when a strategy read it, by name. At most `MOST_SIGNALS` names. */
  readonly #ages = new Map<string, AgeCounts>();

  constructor(ports: SignalPorts) {
    this.#ports = ports;
  }

  /** Takes out the names whose value changed or ended since the last call. */
  takeChanged(): readonly string[] {
    const changed = this.#changed;
    if (changed.length > 0) this.#changed = [];
    return changed;
  }

  /** The current value. Undefined when there is none. */
  get(name: string): number | undefined {
    return this.#held.get(name)?.value;
  }

  /** Records the age of a signal that a strategy reads. */
  noteUse(name: string): void {
    const held = this.#held.get(name);
    if (held === undefined) return;
    let ages = this.#ages.get(name);
    if (ages === undefined) {
      this.#ages.set(name, (ages = new AgeCounts()));
      forgetOldest(this.#ages, MOST_SIGNALS);
    }
    ages.countAge(this.#ports.now() - held.bornMs);
  }

  /** Ages of each signal when a strategy read it, by name. */
  get ages(): ReadonlyMap<string, AgeCounts> {
    return this.#ages;
  }

  /** All current signals, by name. `isSubscribed` says whether a strategy is subscribed to a name. */
  standing(isSubscribed: (name: string) => boolean): ReadonlyMap<string, StandingSignal> {
    const now = this.#ports.now();
    return new Map(
      [...this.#held].map(([name, { value, bornMs, untilMs }]) => [
        name,
        { value, ageMs: now - bornMs, leftMs: untilMs - now, asked: isSubscribed(name) },
      ]),
    );
  }

  /** The earliest time at which a signal may expire, monotonic ms. Infinity when there is none. */
  get nextDue(): number {
    return this.#nextExpiryMs;
  }

  /** Applies an update: sets values, and withdraws those that are null. */
  applyUpdate({ values, ttlMs, ts }: SignalUpdate): void {
    const leftOut: string[] = [];
    const now = this.#ports.now();
    const bornMs = ts === undefined ? now : now - Math.max(0, this.#ports.wall() - ts);
    for (const [name, value] of Object.entries(values)) {
      const before = this.#held.get(name);
      if (value === null) this.#held.delete(name);
      else if (before === undefined && this.#held.size >= MOST_SIGNALS) {
        leftOut.push(name);
        continue;
      } else {
        const mostAge = this.#ports.mostAgeMs?.(name);
        const untilMs = mostAge === undefined ? now + ttlMs : Math.min(now + ttlMs, bornMs + mostAge);
        this.#held.set(name, { value, bornMs, untilMs });
        this.#nextExpiryMs = Math.min(this.#nextExpiryMs, untilMs);
      }
      if (before?.value !== (value ?? undefined)) this.#changed.push(name);
    }
    if (leftOut.length > 0 && !this.#isFull) this.#ports.leftOut(leftOut, this.#held.size);
    this.#isFull = leftOut.length > 0;
  }

  /** Withdraws the signals whose names match. */
  withdraw(isMeant: (name: string) => boolean): void {
    for (const name of this.#held.keys()) {
      if (!isMeant(name)) continue;
      this.#held.delete(name);
      this.#changed.push(name);
    }
  }

  /** Removes expired signals. */
  expire(): void {
    const now = this.#ports.now();
    if (now < this.#nextExpiryMs) return;
    this.#nextExpiryMs = Number.POSITIVE_INFINITY;
    for (const [name, { untilMs }] of this.#held) {
      if (untilMs > now) {
        this.#nextExpiryMs = Math.min(this.#nextExpiryMs, untilMs);
        continue;
      }
      this.#held.delete(name);
      this.#changed.push(name);
    }
  }
}
