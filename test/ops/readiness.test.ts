// When a bot that may quote is not ready, and which problem it reports.
import { describe, expect, it } from 'vitest';
import { Readiness } from '../../src/ops/index.ts';
import type { ReadinessFigures } from '../../src/ops/readiness.ts';

const GOOD: ReadinessFigures = {
  wanted: 36,
  resting: 36,
  held: {},
  withoutReference: 0,
  closed: undefined,
  permits: { place: 3, cancel: 3 },
  requests: { place: 0, edit: 0, cancel: 0, other: 0 },
  http: {},
  off: [],
  silentMs: 0,
};

/** Updates the readiness every half second with the figures of that time. */
function watched(leastShare = 0.5) {
  let now = 0;
  const readiness = new Readiness(
    { leastShare, answersWithinMs: 5000, windowMs: { place: 5000, cancel: 2000 } },
    () => now,
  );
  return (seconds: number, figures: (s: number) => Partial<ReadinessFigures>): readonly string[] => {
    for (const end = now + seconds * 1000; now < end;) {
      now += 500;
      readiness.update({ ...GOOD, ...figures(now / 1000) });
    }
    return readiness.problems;
  };
}

describe('readiness', () => {
  it('is lost once too few of the wanted quotes rest for 10 s, and returns with them', () => {
    const advance = watched();
    expect(advance(60, () => ({ wanted: 0, resting: 0 }))).toEqual([]);
    expect(advance(9, () => ({ resting: 17 }))).toEqual([]);
    expect(advance(1, () => ({ resting: 18 }))).toEqual([]);
    expect(advance(9.5, () => ({ resting: 1, held: { 'max-open-orders': 30, gate: 0 } }))).toEqual([]);
    expect(advance(2.5, () => ({ resting: 1, held: { 'max-open-orders': 30, gate: 0 } }))).toEqual([
      '1 of 36 wanted quotes rest, for 12 s less than ops.readyShare (0.5); held back by controls: max-open-orders 30',
    ]);
    expect(advance(0.5, () => ({ resting: 20 }))).toEqual([]);
    const empty = { resting: 0, held: { 'price-band': 36 }, withoutReference: 36 };
    expect(advance(12, () => empty)).toEqual([
      expect.stringMatching(/held back by controls: price-band 36 \(price-band: no reference for 36\)$/),
    ]);
    expect(advance(0.5, () => ({ resting: 20 }))).toEqual([]);
    // while nothing may be quoted, that is the reason
    expect(advance(60, () => ({ resting: 0, closed: 'paused' }))).toEqual([]);
    expect(advance(9, () => ({ resting: 0 }))).toEqual([]);
    expect(watched(0)(60, () => ({ resting: 0 }))).toEqual([]);
  });

  it('is lost once the exchange has answered nothing for longer than a request may take', () => {
    const advance = watched();
    expect(advance(1, () => ({ silentMs: 5000 }))).toEqual([]);
    expect(advance(1, () => ({ silentMs: 6400 }))).toEqual(['the exchange has answered nothing for 6 s']);
    expect(advance(1, () => ({}))).toEqual([]);
  });

  it('is lost at once when a strategy is off, in whole or in some markets, and returns with the strategy', () => {
    const advance = watched();
    const off = [
      { id: 'main', why: 'STRATEGY_OVERRUN', markets: 0 },
      { id: 'other', why: undefined, markets: 2 },
    ];
    expect(advance(1, () => ({ off, wanted: 0, resting: 0 }))).toEqual([
      'strategy main is off (STRATEGY_OVERRUN): mend it, then ctl resume main',
      'strategy other is off in 2 of its markets: mend it, then ctl resume other',
    ]);
    expect(advance(1, () => ({}))).toEqual([]);
  });

  it('is lost when no permit is in hand for 10 s beyond its window, and none is spent', () => {
    const advance = watched();
    expect(advance(14, () => ({ permits: { place: 0, cancel: 1 } }))).toEqual([]);
    expect(advance(2, () => ({ permits: { place: 0, cancel: 1 } }))).toEqual([
      'no place permit has come back for 16 s',
    ]);
    // the permits of a fully used window come back and are spent again
    const spent = (s: number) => ({
      permits: { place: 0, cancel: 0 },
      requests: { place: 0, edit: Math.floor(s / 5), cancel: Math.floor(s / 2), other: 0 },
    });
    expect(advance(60, spent)).toEqual([]);
    expect(advance(13, () => ({ ...spent(76), permits: { place: 1, cancel: 0 } }))).toEqual([
      'no cancel permit has come back for 13 s',
    ]);
  });

  it('is lost when most answers are errors, counted over the last minute when answers are few', () => {
    const advance = watched();
    const good = { '200': 1000 };
    expect(advance(30, (s) => ({ http: { '200': Math.floor(s * 33) } }))).toEqual([]);
    const [problem] = advance(11, (s) => ({
      http: { '200': 990 + Math.floor(s), '500': Math.floor(s * 2) - 60 },
    }));
    expect(problem).toMatch(/^\d\d of \d\d answers of the last 10 s are errors: 500 × \d\d$/);
    expect(advance(61, () => ({ http: { ...good, '500': 22 } }))).toEqual([]);
    const few = (s: number) => ({ http: { ...good, '0': Math.floor((s - 102) / 12), '500': 22 } });
    expect(advance(50, few)).toEqual(['4 of 4 answers of the last 60 s are errors: none came × 4']);
    // an answer that says an order ended or moved meanwhile is no error
    const other = watched();
    expect(other(60, (s) => ({ http: { '404': s * 10, '409': s * 10, '200': s } }))).toEqual([]);
  });
});
