// The one-way latency of requests and answers: constant, evenly spread, or as a journal measured it.
import { createRandom, parseDuration } from '../domain/index.ts';
import type { RunEvent } from '../domain/index.ts';

export type Latency =
  | { readonly kind: 'even'; readonly ms: number; readonly spreadMs: number }
  /** Measured latencies in ascending order. Each is drawn with the same probability. */
  | { readonly kind: 'measured'; readonly ms: readonly number[] };

export const DEFAULT_LATENCY: Latency = { kind: 'even', ms: 80, spreadMs: 30 };

/** Parses `80ms` or `80ms±30ms` (also with `+-`). Undefined when the text is neither. */
export function parseLatency(text: string): Latency | undefined {
  const [middle = '', spread, ...rest] = text.split(/±|\+-/);
  const ms = parseDuration(middle);
  const spreadMs = spread === undefined ? 0 : parseDuration(spread);
  if (ms === undefined || spreadMs === undefined || spreadMs > ms || rest.length > 0) return undefined;
  return { kind: 'even', ms, spreadMs };
}

/**
 * Why a latency is unusable: even the fastest answer comes after the request timeout. Undefined when it is
 * usable.
 */
export function tooSlow(
  { model, text }: { readonly model: Latency; readonly text: string },
  requestTimeoutMs: number,
): string | undefined {
  const roundTripMs = 2 * (model.kind === 'even' ? model.ms - model.spreadMs : (model.ms[0] ?? 0));
  if (roundTripMs < requestTimeoutMs) return undefined;
  return `with a latency of ${text} one way no answer comes within exchange.requestTimeout (${requestTimeoutMs} ms): the bot could not even log in`;
}

/** The latency draws of one stream. A seed gives the same draws every time. */
export function drawsOf(latency: Latency, seed: number, stream: string): () => number {
  const random = createRandom(seed, `latency ${stream}`);
  if (latency.kind === 'even') {
    const { ms, spreadMs } = latency;
    return spreadMs === 0 ? () => ms : () => random.between(ms - spreadMs, ms + spreadMs);
  }
  const { ms } = latency;
  return () => ms[Math.floor(random.next() * ms.length)] ?? 0;
}

/** Collects half of each round trip of a run's orders and cancels. */
export class MeasuredLatency {
  readonly #ms: number[] = [];

  applyEvents(events: readonly RunEvent[]): void {
    for (const event of events)
      if (event.type === 'RequestAnswered' && event.status !== undefined && MEASURED.has(event.kind))
        this.#ms.push(event.latencyMs / 2);
  }

  /** The measured latency. Undefined when the journal has no answered request. */
  get latency(): Latency | undefined {
    if (this.#ms.length === 0) return undefined;
    return { kind: 'measured', ms: this.#ms.map((ms) => Math.round(ms * 1000) / 1000).sort((a, b) => a - b) };
  }
}

const MEASURED: ReadonlySet<string> = new Set(['place', 'edit', 'cancel']);
