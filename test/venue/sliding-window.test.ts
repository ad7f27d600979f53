import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SlidingWindow } from '../../src/venue/sliding-window.ts';

describe('SlidingWindow', () => {
  it('accepts N requests at once, refuses the next, and accepts again exactly one window after the first', () => {
    const window = new SlidingWindow(3, 1000);
    expect([0, 0, 10].map((atMs) => window.arrive(atMs))).toEqual([undefined, undefined, undefined]);
    expect(window.arrive(400)).toBe(600);
    expect(window.arrive(999.5)).toBe(0.5);
    expect(window.arrive(1000)).toBeUndefined();
    expect(window.most).toBe(5);
  });

  it('never accepts more than N requests in any window, and refuses only when N were accepted', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 300 }),
        fc.integer({ min: 1, max: 7 }),
        (gaps, limit) => {
          const window = new SlidingWindow(limit, 1000);
          const accepted: number[] = [];
          let now = 0;
          for (const gap of gaps) {
            now += gap;
            const recent = accepted.filter((atMs) => atMs > now - 1000).length;
            const wait = window.arrive(now);
            expect(wait === undefined).toBe(recent < limit);
            if (wait === undefined) accepted.push(now);
          }
        },
      ),
    );
  });

  it('counts all arrivals in its fullest window, including refused requests', () => {
    const window = new SlidingWindow(25, 5000);
    for (let i = 0; i < 3000; i++) window.arrive(i * 100);
    for (let i = 0; i < 70; i++) window.arrive(300_000);
    expect(window.most).toBe(70 + 49);
  });
});
