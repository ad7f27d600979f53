import { describe, expect, it } from 'vitest';
import { DEFAULT_SIGNAL_TTL_MS, readJson, readSignalMessage, readSignals } from '../../src/domain/index.ts';

describe('signals from outside', () => {
  it.each([
    [{ fair: 0.53 }, undefined, { values: { fair: 0.53 }, ttlMs: DEFAULT_SIGNAL_TTL_MS }],
    [{ 'margin:g1': -0 }, '250ms', { values: { 'margin:g1': 0 }, ttlMs: 250 }],
    [{ a: null, b: 1e9 }, 1500, { values: { a: null, b: 1e9 }, ttlMs: 1500 }],
    [{ a: 1 }, '168h', { values: { a: 1 }, ttlMs: 604_800_000 }],
  ])('%j for %s are read', (values, ttl, told) => {
    expect(readSignals(values, ttl)).toEqual({ update: told, slips: [] });
  });

  it.each([
    ['a list', [0.5], undefined, /object of numbers/],
    ['nothing', null, undefined, /object of numbers/],
    ['none', {}, undefined, /at least one/],
    ['a text', { fair: '0.5' }, undefined, /signal fair: expected a finite number.*the text "0.5"/],
    ['a name with a blank', { 'fair price': 1 }, undefined, /"fair price" is no name/],
    ['a name with =', { 'a=b': 1 }, undefined, /is no name/],
    ['no name', { '': 1 }, undefined, /"" is no name/],
    ['a long name', { ['x'.repeat(201)]: 1 }, undefined, /is no name/],
    ['a time that is none', { a: 1 }, 'soon', /"ttl" to be a duration/],
    ['no time', { a: 1 }, 0, /"ttl" to be a duration/],
    ['seconds as a number', { a: 1 }, 10, /received the number 10, which is milliseconds: write "10s"/],
    ['time running back', { a: 1 }, -5, /"ttl"/],
    ['more than a week', { a: 1 }, '169h', /at most 168h/],
    ['a time of another type', { a: 1 }, {}, /"ttl"/],
  ])('%s is told', (_name, values, ttl, problem) => {
    expect(readSignals(values, ttl)).toMatch(problem);
  });

  it('takes names that objects have of their own for names', () => {
    const told = JSON.parse('{"__proto__": 1, "constructor": 2}') as unknown;
    const read = readSignals(told, undefined);
    expect(typeof read === 'object' && Object.entries(read.update.values)).toEqual([
      ['__proto__', 1],
      ['constructor', 2],
    ]);
  });
});

describe('slips in the values of signals', () => {
  it.each([
    [Number.NaN, 'NaN'],
    [Infinity, 'Infinity'],
    [0, '0: nothing is certain, null withdraws it'],
    [1, '1: nothing is certain, null withdraws it'],
    [1.95, '1.95: decimal odds, or a percentage?'],
    [-110, '-110: American odds?'],
  ])('%s is left out and named, and its neighbours are taken', (value, received) => {
    expect(readSignals({ 'fair:a': value, x: 7, 'fair:c': null }, undefined)).toMatchObject({
      update: { values: { x: 7, 'fair:c': null } },
      slips: [`signal fair:a: expected a probability, 0 … 1, received ${received}`],
    });
  });

  it('are every probability beside a percentage, and nothing else', () => {
    expect(readSignals({ 'fair:a': 53.1, 'fair:b': 0.9, x: 0.4 }, undefined)).toMatchObject({
      update: { values: { x: 0.4 } },
      slips: [
        'signal fair:a: expected a probability, 0 … 1, received 53.1: a percentage?',
        'signal fair:b: 0.9 may be a percentage as well, beside fair:a',
      ],
    });
    const beside = readSignals({ 'fair:a': -110, 'fair:b': 0.9, 'fair:c': Number.NaN }, undefined);
    expect(beside).toMatchObject({ update: { values: { 'fair:b': 0.9 } } });
  });

  it('are read from JSON that has NaN, where all else is as it stands', () => {
    const text = '{"values":{"fair:a":0.56,"fair:b":NaN,"c":-Infinity,"NaN":"is NaN, \\"NaN\\""}}';
    expect(readJson(text)).toEqual({
      ok: true,
      value: { values: { 'fair:a': 0.56, 'fair:b': Number.NaN, c: -Infinity, NaN: 'is NaN, "NaN"' } },
    });
    expect(readJson('{"a": NaN, "b": oops}')).toMatchObject({
      ok: false,
      problem: expect.stringContaining('oops') as string,
    });
  });
});

describe('a message of a program outside', () => {
  const now = Date.UTC(2030, 0);
  const values = { fair: 0.5 };

  it('holds from when it was true, and is as old as that', () => {
    const readAs = (update: object) => ({ update, slips: [] });
    expect(readSignalMessage({ values, ttl: '10s' }, now)).toEqual(readAs({ values, ttlMs: 10_000 }));
    expect(readSignalMessage({ values, ttl: '10s', ts: now - 4000 }, now)).toEqual(
      readAs({ values, ttlMs: 6000, ts: now - 4000 }),
    );
    // its clock is a little ahead of ours
    expect(readSignalMessage({ values, ttl: '10s', ts: now + 999 }, now)).toEqual(
      readAs({ values, ttlMs: 10_000, ts: now }),
    );
  });

  it.each([
    ['no object', [], 'malformed', /an object/],
    ['nothing', undefined, 'malformed', /an object/],
    ['no values', { ttl: '10s' }, 'malformed', /"values"/],
    ['a time that is none', { values, ts: 'now' }, 'malformed', /"ts" in Unix ms/],
    ['a time to come', { values, ts: now + 1001 }, 'future', /1001 ms in the future/],
    ['a time that is over', { values, ttl: '10s', ts: now - 10_000 }, 'over', /over before it came/],
    [
      'seconds in the place of ms',
      { values, ts: now / 1000 },
      'malformed',
      /"ts" .*1970-01-22: seconds\? multiply by 1000/,
    ],
  ])('%s is refused', (_name, told, why, problem) => {
    expect(readSignalMessage(told, now)).toEqual({ why, problem: expect.stringMatching(problem) as string });
  });
});
