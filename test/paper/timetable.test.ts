import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Timetable } from '../../src/paper/timetable.ts';

it('Timetable calls actions in the order of time, and of registration at the same time, across all lanes', () => {
  const asked = fc.array(fc.record({ lane: fc.nat(2), ms: fc.nat(30), takes: fc.nat(3) }), { maxLength: 60 });
  fc.assert(
    fc.property(asked, (list) => {
      const table = new Timetable();
      const ways = [table.lane(), table.lane(), (ms: number, action: () => void) => table.at(ms, action)];
      const waiting: { readonly ms: number; readonly number: number }[] = [];
      const called: number[] = [];
      const expected: number[] = [];
      const takeOne = (): void => {
        waiting.sort((a, b) => a.ms - b.ms || a.number - b.number);
        const next = waiting.shift();
        expect(table.first?.atMs).toBe(next?.ms);
        if (next === undefined) return;
        expected.push(next.number);
        const { first } = table;
        table.shift();
        first?.action();
      };
      for (const [number, { lane, ms, takes }] of list.entries()) {
        // the times of a lane may go back
        ways[lane]?.(ms, () => called.push(number));
        waiting.push({ ms, number });
        for (let take = 0; take < takes - 1; take++) takeOne();
      }
      while (waiting.length > 0) takeOne();
      expect(called).toEqual(expected);
      expect(table.first).toBeUndefined();
    }),
    { numRuns: 500 },
  );
});

it('Timetable keeps its order while it frees the memory of past actions', () => {
  const table = new Timetable();
  const lane = table.lane();
  let called = 0;
  for (let n = 0; n < 5000; n++) {
    lane(n, () => (called += 1));
    lane(n + 0.5, () => (called += 1));
    table.first?.action();
    table.shift();
  }
  expect([called, table.first?.atMs]).toEqual([5000, 2500]);
});
