import { describe, expect, it } from 'vitest';
import { DEFAULT_SIGNAL_TTL_MS, readSignalMessage, readSignals } from '../../src/domain/index.ts';

describe('signals from outside', () => {
  it.each([
    [{ fair: 0.53 }, undefined, { values: { fair: 0.53 }, ttlMs: DEFAULT_SIGNAL_TTL_MS }],
    [{ 'fair:g1/spread/-3.5': -0 }, '250ms', { values: { 'fair:g1/spread/-3.5': 0 }, ttlMs: 250 }],
    [{ a: null, b: 1e9 }, 1500, { values: { a: null, b: 1e9 }, ttlMs: 1500 }],
    [{ a: 1 }, '168h', { values: { a: 1 }, ttlMs: 604_800_000 }],
  ])('%j for %s are read', (values, ttl, told) => {
    expect(readSignals(values, ttl)).toEqual(told);
  });

  it.each([
    ['a list', [0.5], undefined, /object of numbers/],
    ['nothing', null, undefined, /object of numbers/],
    ['none', {}, undefined, /at least one/],
    ['a text', { fair: '0.5' }, undefined, /signal fair: expected a finite number/],
    ['no number', { fair: Number.NaN }, undefined, /finite number/],
    ['more than any number', { fair: Infinity }, undefined, /finite number/],
    ['a name with a blank', { 'fair price': 1 }, undefined, /"fair price" is no name/],
    ['a name with =', { 'a=b': 1 }, undefined, /is no name/],
    ['no name', { '': 1 }, undefined, /"" is no name/],
    ['a long name', { ['x'.repeat(201)]: 1 }, undefined, /is no name/],
    ['a time that is none', { a: 1 }, 'soon', /"ttl" to be a duration/],
    ['no time', { a: 1 }, 0, /"ttl" to be a duration/],
    ['time running back', { a: 1 }, -5, /"ttl"/],
    ['more than a week', { a: 1 }, '169h', /at most 168h/],
    ['a time of another type', { a: 1 }, {}, /"ttl"/],
  ])('%s is told', (_name, values, ttl, problem) => {
    expect(readSignals(values, ttl)).toMatch(problem);
  });

  it('takes names that objects have of their own for names', () => {
    const told = JSON.parse('{"__proto__": 1, "constructor": 2}') as unknown;
    const read = readSignals(told, undefined);
    expect(typeof read === 'object' && Object.entries(read.values)).toEqual([
      ['__proto__', 1],
      ['constructor', 2],
    ]);
  });
});

describe('a message of a program outside', () => {
  const now = 1_000_000;
  const values = { fair: 0.5 };

  it('holds from when it was true, and is as old as that', () => {
    expect(readSignalMessage({ values, ttl: '10s' }, now)).toEqual({ values, ttlMs: 10_000 });
    expect(readSignalMessage({ values, ttl: '10s', ts: now - 4000 }, now)).toEqual({
      ...{ values, ttlMs: 6000, ts: now - 4000 },
    });
    // its clock is a little ahead of ours
    expect(readSignalMessage({ values, ttl: '10s', ts: now + 999 }, now)).toEqual({
      ...{ values, ttlMs: 10_000, ts: now },
    });
  });

  it.each([
    ['no object', [], 'malformed', /an object/],
    ['nothing', undefined, 'malformed', /an object/],
    ['no values', { ttl: '10s' }, 'malformed', /"values"/],
    ['a time that is none', { values, ts: 'now' }, 'malformed', /"ts" in Unix ms/],
    ['a time to come', { values, ts: now + 1001 }, 'future', /1001 ms in the future/],
    ['seconds in the place of ms', { values, ts: 1000 }, 'over', /over before it came/],
  ])('%s is refused', (_name, told, why, problem) => {
    expect(readSignalMessage(told, now)).toEqual({ why, problem: expect.stringMatching(problem) as string });
  });
});
