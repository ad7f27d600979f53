// Signals of a tape on their way to the bot: a latency after their time, in their order. What reached it before it started
// holds for the rest of its time.
import type { Observable } from 'rxjs';
import { Subject } from 'rxjs';
import type { Input } from '../domain/index.ts';
import type { InProcessExchange, Lane } from '../paper/index.ts';
import type { SignalEvent } from '../tape/index.ts';

export class TapeSignals {
  /** Names that reached the bot. */
  readonly told = new Set<string>();
  readonly #now: () => number;
  readonly #inputs = new Subject<Input>();
  readonly #latency: () => number;
  readonly #lane: Lane;
  #busyUntilMs = 0;
  /** Of before the start: the newest of each name, and until when it holds, Unix ms. */
  readonly #early = new Map<string, { readonly value: number; readonly untilMs: number; readonly since: number }>();
  #began = false;

  constructor(exchange: Pick<InProcessExchange, 'nowMs' | 'lane'>, latency: () => number) {
    this.#now = () => exchange.nowMs;
    this.#lane = exchange.lane();
    this.#latency = latency;
  }

  /** What reaches the bot. Hot. */
  get inputs$(): Observable<Input> {
    return this.#inputs;
  }

  /** It happens now. */
  apply(event: SignalEvent): void {
    this.#busyUntilMs = Math.max(this.#busyUntilMs, event.ts + this.#latency());
    this.#lane(this.#busyUntilMs, () => this.#arrive(event));
  }

  #arrive({ ts, update: { values, ttlMs, ts: since = ts } }: SignalEvent): void {
    if (this.#began) {
      this.#tell(values, ts + ttlMs, since);
      return;
    }
    for (const [name, value] of Object.entries(values))
      if (value === null) this.#early.delete(name);
      else this.#early.set(name, { value, untilMs: ts + ttlMs, since });
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
    this.#inputs.next({ type: 'signal', values, ttlMs, ...(since !== undefined && { ts: since }) });
    for (const name of Object.keys(values)) this.told.add(name);
  }
}
