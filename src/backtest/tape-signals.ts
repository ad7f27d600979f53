// Signals of a tape on their way to the bot: they reach the strategies at their time, since latencies are the exchange's.
// What was told before the bot started holds for the rest of its time.
import type { Input } from '../domain/index.ts';
import type { SignalEvent } from '../paper/index.ts';

export class TapeSignals {
  /** Names that reached the bot. */
  readonly told = new Set<string>();
  readonly #now: () => number;
  readonly #input: (input: Input) => void;
  /** Of before the start: the newest of each name, and until when it holds, Unix ms. */
  readonly #early = new Map<
    string,
    { readonly value: number; readonly untilMs: number; readonly since: number }
  >();
  #began = false;

  /** `now`: venue time, Unix ms. */
  constructor(now: () => number, input: (input: Input) => void) {
    this.#now = now;
    this.#input = input;
  }

  apply({ ts, update: { values, ttlMs, ts: since } }: SignalEvent): void {
    if (this.#began) {
      this.#tell(values, ts + ttlMs, since);
      return;
    }
    for (const [name, value] of Object.entries(values))
      if (value === null) this.#early.delete(name);
      else this.#early.set(name, { value, untilMs: ts + ttlMs, since: since ?? ts });
  }

  /** The bot starts: it is told of those that still hold. */
  begin(): void {
    this.#began = true;
    const together = Map.groupBy(this.#early, ([, { untilMs, since }]) => `${untilMs} ${since}`);
    for (const of of together.values()) {
      const [first] = of;
      if (first === undefined) continue;
      const [, { untilMs, since }] = first;
      this.#tell(Object.fromEntries(of.map(([name, { value }]) => [name, value])), untilMs, since);
    }
    this.#early.clear();
  }

  #tell(values: SignalEvent['update']['values'], untilMs: number, since: number | undefined): void {
    const ttlMs = untilMs - this.#now();
    if (ttlMs <= 0) return;
    this.#input({ type: 'signal', values, ttlMs, ...(since !== undefined && { ts: since }) });
    for (const name of Object.keys(values)) this.told.add(name);
  }
}
