// Delivers the signals of a tape to the bot, a latency after their time and in order. Signals from before the
// bot's start are held and delivered at the start for the rest of their time to live.
import type { Observable } from 'rxjs';
import { Subject } from 'rxjs';
import type { Input } from '../domain/index.ts';
import type { InProcessExchange, Lane } from '../paper/index.ts';
import type { SignalEvent } from '../tape/index.ts';

export class TapeSignals {
  /** Names of the signals that reached the bot. */
  readonly deliveredNames = new Set<string>();
  readonly #now: () => number;
  readonly #inputs = new Subject<Input>();
  readonly #latency: () => number;
  readonly #lane: Lane;
  #busyUntilMs = 0;
  /** The newest signal of each name before the start. `untilMs`: the end of its time to live, Unix ms. */
  readonly #early = new Map<string, { readonly value: number; readonly untilMs: number; readonly since: number }>();
  #began = false;

  constructor(exchange: Pick<InProcessExchange, 'nowMs' | 'lane'>, latency: () => number) {
    this.#now = () => exchange.nowMs;
    this.#lane = exchange.lane();
    this.#latency = latency;
  }

  /** The inputs for the bot. Hot. */
  get inputs$(): Observable<Input> {
    return this.#inputs;
  }

  /** Applies a signal of the tape now. */
  applySignal(event: SignalEvent): void {
    this.#busyUntilMs = Math.max(this.#busyUntilMs, event.ts + this.#latency());
    this.#lane(this.#busyUntilMs, () => this.#arrive(event));
  }

  #arrive({ ts, update: { values, ttlMs, ts: since = ts } }: SignalEvent): void {
    if (this.#began) {
      this.#deliver(values, ts + ttlMs, since);
      return;
    }
    for (const [name, value] of Object.entries(values))
      if (value === null) this.#early.delete(name);
      else this.#early.set(name, { value, untilMs: ts + ttlMs, since });
  }

  /** Starts the delivery: sends the early signals that still hold. */
  openFeed(): void {
    this.#began = true;
    const together = Map.groupBy(this.#early, ([, { untilMs, since }]) => `${untilMs} ${since}`);
    for (const signals of together.values()) {
      const [first] = signals;
      if (first === undefined) continue;
      const [, { untilMs, since }] = first;
      this.#deliver(Object.fromEntries(signals.map(([name, { value }]) => [name, value])), untilMs, since);
    }
    this.#early.clear();
  }

  #deliver(values: SignalEvent['update']['values'], untilMs: number, since: number | undefined): void {
    const ttlMs = untilMs - this.#now();
    if (ttlMs <= 0) return;
    this.#inputs.next({ type: 'signal', values, ttlMs, ...(since !== undefined && { ts: since }) });
    for (const name of Object.keys(values)) this.deliveredNames.add(name);
  }
}
