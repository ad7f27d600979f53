// The time axis of charts: stretches of running time, and gaps between them.
import { describe, expect, it } from 'vitest';
import { timeAxis } from '../../src/run/index.ts';
import { HOUR_MS, START } from './facts.ts';

const hours = (...offsets: readonly number[]): readonly number[] => offsets.map((hour) => START + hour * HOUR_MS);

describe('the time axis', () => {
  it('has one stretch over a gap of two hours, and two over a longer gap', () => {
    expect(timeAxis(hours(0, 2, 4)).stretches).toMatchObject([{ from: 0, to: 1, fromMs: START, toMs: hours(4)[0] }]);
    const { stretches, x } = timeAxis(hours(0, 1, 3.1, 4.1));
    expect(stretches).toHaveLength(2);
    // each stretch has half of what the gap of 0.015 leaves
    expect(stretches[0]?.to).toBeCloseTo(0.4925, 9);
    expect(stretches[1]?.from).toBeCloseTo(0.5075, 9);
    expect(hours(0, 0.5, 2, 3.6, 4.1).map((t) => x(t))).toEqual(
      [0, 0.24625, 0.4925, 0.75375, 1].map((position) => expect.closeTo(position, 6) as number),
    );
  });
});
