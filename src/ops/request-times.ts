// How long the exchange takes to answer, by kind of request: for Prometheus each answer, for the page the newest of them.
import type { Command, RequestId, StampedArrival } from '../domain/index.ts';

/** Requests that wait for their answers, and answers of a kind that are remembered. */
const MOST_WAITING = 5000;
const MOST_KEPT = 200;

export type Latency = { readonly p50: number; readonly p99: number; readonly count: number };

export class RequestTimes {
  readonly #sent = new Map<RequestId, { readonly kind: string; readonly mono: number }>();
  readonly #kept = new Map<string, number[]>();
  readonly #heard: (kind: string, ms: number) => void;

  /** `heard`: told of each answer. */
  constructor(heard: (kind: string, ms: number) => void) {
    this.#heard = heard;
  }

  step({ mono, in: input }: StampedArrival, commands: readonly Command[]): void {
    for (const command of commands) {
      const kind = kindOf(command);
      if (kind !== undefined && 'req' in command) this.#sent.set(command.req, { kind, mono });
    }
    if (this.#sent.size > MOST_WAITING) {
      const [oldest] = this.#sent.keys();
      if (oldest !== undefined) this.#sent.delete(oldest);
    }
    if (input.type !== 'reply') return;
    const sent = this.#sent.get(input.req);
    if (sent === undefined) return;
    this.#sent.delete(input.req);
    const ms = mono - sent.mono;
    this.#heard(sent.kind, ms);
    const kept = this.#kept.get(sent.kind) ?? [];
    this.#kept.set(sent.kind, kept);
    kept.push(ms);
    if (kept.length > MOST_KEPT) kept.shift();
  }

  /** Of the newest answers of each kind, ms. */
  get latencies(): Readonly<Record<string, Latency>> {
    return Object.fromEntries(
      [...this.#kept].map(([kind, all]) => {
        const sorted = [...all].sort((a, b) => a - b);
        const at = (share: number): number =>
          Math.round((sorted[Math.ceil(share * sorted.length) - 1] ?? 0) * 10) / 10;
        return [kind, { p50: at(0.5), p99: at(0.99), count: sorted.length }];
      }),
    );
  }
}

/** What is asked for; undefined: it is no request. */
export function kindOf(command: Command): string | undefined {
  switch (command.type) {
    case 'place':
    case 'edit':
    case 'cancel':
    case 'cancel-all':
    case 'switch-mode':
      return command.type;
    case 'read':
      return `read ${command.read.what}`;
    default:
      return undefined;
  }
}
