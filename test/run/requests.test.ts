// How long slots waited for their requests, and how long the exchange took to answer these.
import { describe, expect, it } from 'vitest';
import type { EventOf } from '../../src/domain/index.ts';
import { RequestTimes } from '../../src/run/index.ts';
import { Waits } from '../../src/run/waits.ts';

describe('waits of slots', () => {
  it('have a median and a 95th percentile, 0 where none waited', () => {
    const waits = new Waits();
    expect(waits.quantiles()).toEqual({ p50: 0, p95: 0 });
    for (let ms = 20; ms > 0; ms--) waits.add({ waitedMs: ms, value: 0 }, false);
    expect(waits.quantiles()).toEqual({ p50: 10, p95: 19 });
  });
});

describe('times of requests', () => {
  const answered = (latencyMs: number, more: Partial<EventOf<'RequestAnswered'>> = {}): EventOf<'RequestAnswered'> => ({
    type: 'RequestAnswered',
    request: 1,
    kind: 'place',
    status: 200,
    latencyMs,
    ...more,
  });

  it('are those of the newest 200 answers of each kind, and every answer is heard', () => {
    const heard: string[] = [];
    const times = new RequestTimes((kind, ms) => heard.push(`${kind} ${ms}`));
    for (let ms = 1; ms <= 201; ms++) times.apply([answered(ms)]);
    times.apply([answered(7.26, { kind: 'cancel', status: 429 })]);
    // how long that would have taken is not known
    times.apply([answered(5000, { kind: 'cancel', status: undefined, failure: 'timeout' })]);
    expect(times.latencies).toEqual({
      place: { p50: 101, p99: 199, count: 200 },
      cancel: { p50: 7.3, p99: 7.3, count: 1 },
    });
    expect([heard.length, heard[0], heard.at(-1)]).toEqual([202, 'place 1', 'cancel 7.26']);
  });
});
