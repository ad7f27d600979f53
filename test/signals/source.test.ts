// The status fields of a source of signals.
import { expect, it } from 'vitest';
import type { SignalSource } from '../../src/signals/index.ts';
import { statusFieldsOf } from '../../src/signals/index.ts';

it('a source of signals whose status cannot be read reports that as its problem, without an exception', () => {
  const broken: SignalSource = {
    name: 'odds',
    problem: undefined,
    get details(): never {
      throw new RangeError('Invalid time value');
    },
    close: () => Promise.resolve(),
  };
  expect(statusFieldsOf(broken)).toEqual({ problem: 'its status cannot be read: Invalid time value', details: {} });
  const whole = { name: 'redis', problem: 'away', details: { entries: 3 }, close: broken.close };
  expect(statusFieldsOf(whole)).toEqual({ problem: 'away', details: { entries: 3 } });
});
