// Alarms ring in order of time, each once, whatever was set, moved and unset before.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Alarm, Alarms } from '../../src/engine/market-alarms.ts';

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f'];
const time = fc.oneof(fc.nat(8), fc.constant(Number.POSITIVE_INFINITY));
const step = fc.oneof(
  fc.record({ do: fc.constant('set' as const), which: fc.nat(NAMES.length - 1), at: time }),
  fc.record({ do: fc.constant('unset' as const), which: fc.nat(NAMES.length - 1), at: time }),
  fc.record({ do: fc.constant('ring' as const), which: fc.constant(0), at: time }),
);

it('Alarms ring in the order of a list that is sorted anew each time', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const alarms = new Alarms<string>();
      const all = NAMES.map((name, number) => new Alarm(name, number));
      const model = new Map<number, number>();
      for (const { do: what, which, at: atMs } of steps) {
        const alarm = all[which] as Alarm<string>;
        if (what === 'set') {
          alarms.set(alarm, atMs);
          model.set(which, atMs);
        } else if (what === 'unset') {
          alarms.unset(alarm);
          model.delete(which);
        } else {
          const due = [...model].filter(([, set]) => set <= atMs).sort(([a, x], [b, y]) => (x === y ? a - b : x - y));
          for (const [index] of due) model.delete(index);
          expect([...alarms.ring((set) => set <= atMs)]).toEqual(due.map(([index]) => NAMES[index]));
        }
        const next = Math.min(...model.values());
        expect(alarms.first?.dueAt ?? Number.POSITIVE_INFINITY).toBe(next);
        expect(all.filter(({ isSet }) => isSet)).toHaveLength(model.size);
      }
    }),
    { numRuns: 1000 },
  );
});
