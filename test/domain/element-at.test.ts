import { expect, it } from 'vitest';
import { elementAt } from '../../src/domain/index.ts';

it('elementAt returns the element, or throws an error with the length of the list', () => {
  expect(elementAt(['a', 'b'], 1)).toBe('b');
  expect(elementAt(new Float64Array([0, 7]), 0)).toBe(0);
  expect(() => elementAt(['a'], 3)).toThrow(new RangeError('there is no element 3 of 1'));
  expect(() => elementAt([], -1)).toThrow(RangeError);
});
