import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Heap } from '../../src/orders/heap.ts';

type Member = { key: number; readonly number: number; heapIndex: number };

const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ what: fc.constant('add' as const), key: fc.nat(50) }) },
  { weight: 3, arbitrary: fc.record({ what: fc.constant('remove' as const), at: fc.nat() }) },
  {
    weight: 3,
    arbitrary: fc.record({ what: fc.constant('change' as const), at: fc.nat(), key: fc.nat(50) }),
  },
);

it('a heap has its members in order, whichever of them changes or leaves', () => {
  const compare = (a: Member, b: Member): number => a.key - b.key || a.number - b.number;
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120, size: 'max' }), fc.nat(20), (steps, most) => {
      const heap = new Heap(compare);
      const members: Member[] = [];
      for (const [number, action] of steps.entries()) {
        if (action.what === 'add') {
          const member = { key: action.key, number, heapIndex: 0 };
          members.push(member);
          heap.addItem(member);
          continue;
        }
        const index = action.at % Math.max(1, members.length);
        const member = members[index];
        if (member === undefined) continue;
        if (action.what === 'remove') {
          members.splice(index, 1);
          heap.remove(member);
        } else {
          member.key = action.key;
          heap.move(member);
        }
      }
      const sorted = members.toSorted(compare);
      expect(heap.first).toBe(sorted[0]);
      expect(heap.best(most)).toEqual(sorted.slice(0, most));
      expect(heap.best(Number.POSITIVE_INFINITY)).toEqual(sorted);
    }),
    { numRuns: 300 },
  );
});
