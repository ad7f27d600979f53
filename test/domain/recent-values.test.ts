import { describe, expect, it } from 'vitest';
import { RecentValues } from '../../src/domain/index.ts';

describe('RecentValues', () => {
  it('gives the value strictly before a moment', () => {
    const values = new RecentValues(10_000);
    expect([values.newest, values.before(1)]).toEqual([undefined, undefined]);
    values.note(1, 1000);
    values.note(2, 2000);
    // of two values in one millisecond the last one counts
    values.note(3, 2000);
    expect([1000, 1001, 2000, 2001].map((t) => values.before(t))).toEqual([undefined, 1, 1, 3]);
    values.note(undefined, 3000);
    expect([values.newest, values.before(3001)]).toEqual([undefined, undefined]);
  });

  it('keeps the value at the start of its time window, however often it changes', () => {
    const values = new RecentValues(10_000);
    for (let t = 0; t <= 100_000; t += 10) values.note(t, t);
    expect([95_001, 90_001, 80_000].map((t) => values.before(t))).toEqual([95_000, 90_000, undefined]);
    const still = new RecentValues(10_000);
    still.note(4, 0);
    still.note(4, 60_000);
    still.note(5, 61_000);
    expect(still.before(60_000)).toBe(4);
  });
});
