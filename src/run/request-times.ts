// Answer times of the exchange by kind of request: each answer for Prometheus, percentiles of the newest ones
// for the page.
import type { RunEvent } from '../domain/index.ts';

/** Most answers kept of each kind. */
const MOST_KEPT = 200;

export type Latency = { readonly p50: number; readonly p99: number; readonly count: number };

export class RequestTimes {
  readonly #kept = new Map<string, number[]>();
  readonly #onAnswer: (kind: string, ms: number) => void;

  /** @param onAnswer called for each answer */
  constructor(onAnswer: (kind: string, ms: number) => void) {
    this.#onAnswer = onAnswer;
  }

  applyEvents(events: readonly RunEvent[]): void {
    for (const event of events) {
      if (event.type !== 'RequestAnswered' || event.status === undefined) continue;
      const { kind, latencyMs } = event;
      this.#onAnswer(kind, latencyMs);
      const kept = this.#kept.get(kind) ?? [];
      this.#kept.set(kind, kept);
      kept.push(latencyMs);
      if (kept.length > MOST_KEPT) kept.shift();
    }
  }

  /** Percentiles of the newest answers of each kind, ms. */
  get latencies(): Readonly<Record<string, Latency>> {
    return Object.fromEntries(
      [...this.#kept].map(([kind, all]) => {
        const sorted = [...all].sort((a, b) => a - b);
        const quantile = (share: number): number =>
          Math.round((sorted[Math.ceil(share * sorted.length) - 1] ?? 0) * 10) / 10;
        return [kind, { p50: quantile(0.5), p99: quantile(0.99), count: sorted.length }];
      }),
    );
  }
}
