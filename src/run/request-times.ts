// How long the exchange takes to answer, by kind of request: for Prometheus each answer, for the page the newest of them.
import type { RunEvent } from '../domain/index.ts';

/** Answers of a kind that are remembered. */
const MOST_KEPT = 200;

export type Latency = { readonly p50: number; readonly p99: number; readonly count: number };

export class RequestTimes {
  readonly #kept = new Map<string, number[]>();
  readonly #heard: (kind: string, ms: number) => void;

  /** `heard`: called for each answer. */
  constructor(heard: (kind: string, ms: number) => void) {
    this.#heard = heard;
  }

  apply(events: readonly RunEvent[]): void {
    for (const event of events) {
      if (event.type !== 'RequestAnswered' || event.status === undefined) continue;
      const { kind, latencyMs } = event;
      this.#heard(kind, latencyMs);
      const kept = this.#kept.get(kind) ?? [];
      this.#kept.set(kind, kept);
      kept.push(latencyMs);
      if (kept.length > MOST_KEPT) kept.shift();
    }
  }

  /** Of the newest answers of each kind, ms. */
  get latencies(): Readonly<Record<string, Latency>> {
    return Object.fromEntries(
      [...this.#kept].map(([kind, all]) => {
        const sorted = [...all].sort((a, b) => a - b);
        const at = (share: number): number => Math.round((sorted[Math.ceil(share * sorted.length) - 1] ?? 0) * 10) / 10;
        return [kind, { p50: at(0.5), p99: at(0.99), count: sorted.length }];
      }),
    );
  }
}
