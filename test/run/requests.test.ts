// How long slots waited for their requests, and how long the exchange took to answer.
import { describe, expect, it } from 'vitest';
import type { EventOf } from '../../src/domain/index.ts';
import { RequestTimes } from '../../src/run/index.ts';
import { Waits } from '../../src/run/waits.ts';

describe('Waits', () => {
  it('has a median and a 95th percentile, which are 0 when no slot waited', () => {
    const waits = new Waits();
    expect(waits.quantiles()).toEqual({ p50: 0, p95: 0 });
    for (let ms = 20; ms > 0; ms--) waits.addWait({ waitedMs: ms, value: 0 }, false);
    expect(waits.quantiles()).toEqual({ p50: 10, p95: 19 });
  });
});

describe('RequestTimes', () => {
  const answered = (
    latencyMs: number,
    changes: Partial<EventOf<'RequestAnswered'>> = {},
  ): EventOf<'RequestAnswered'> => ({
    type: 'RequestAnswered',
    request: 1,
    kind: 'place',
    status: 200,
    latencyMs,
    ...changes,
  });

  it('covers the newest 200 answers of each kind, and reports each answer', () => {
    const reported: string[] = [];
    const times = new RequestTimes((kind, ms) => reported.push(`${kind} ${ms}`));
    for (let ms = 1; ms <= 201; ms++) times.applyEvents([answered(ms)]);
    times.applyEvents([answered(7.26, { kind: 'cancel', status: 429 })]);
    // the latency of a timed-out request is unknown
    times.applyEvents([answered(5000, { kind: 'cancel', status: undefined, failure: 'timeout' })]);
    expect(times.latencies).toEqual({
      place: { p50: 101, p99: 199, count: 200 },
      cancel: { p50: 7.3, p99: 7.3, count: 1 },
    });
    expect([reported.length, reported[0], reported.at(-1)]).toEqual([202, 'place 1', 'cancel 7.26']);
  });
});
