import { describe, expect, it } from 'vitest';
import { DEFAULT_SIGNAL_TTL_MS, readJson, readSignalMessage, readSignals } from '../../src/domain/index.ts';

describe('readSignals', () => {
  it.each([
    [{ fair: 0.53 }, undefined, { values: { fair: 0.53 }, ttlMs: DEFAULT_SIGNAL_TTL_MS }],
    [{ 'margin:g1': -0 }, '250ms', { values: { 'margin:g1': 0 }, ttlMs: 250 }],
    [{ a: null, b: 1e9 }, 1500, { values: { a: null, b: 1e9 }, ttlMs: 1500 }],
    [{ a: 1 }, '168h', { values: { a: 1 }, ttlMs: 604_800_000 }],
  ])('reads %j with a ttl of %s', (values, ttl, update) => {
    expect(readSignals(values, ttl)).toEqual({ update, slips: [] });
  });

  it.each([
    ['a list of values', [0.5], undefined, /object of numbers/],
    ['null', null, undefined, /object of numbers/],
    ['an empty object', {}, undefined, /at least one/],
    ['text as value', { fair: '0.5' }, undefined, /signal fair: expected a finite number.*the text "0.5"/],
    ['a name with a blank', { 'fair price': 1 }, undefined, /"fair price" is no name/],
    ['a name with =', { 'a=b': 1 }, undefined, /is no name/],
    ['an empty name', { '': 1 }, undefined, /"" is no name/],
    ['a long name', { ['x'.repeat(201)]: 1 }, undefined, /is no name/],
    ['text as ttl', { a: 1 }, 'soon', /"ttl" to be a duration/],
    ['a ttl of 0', { a: 1 }, 0, /"ttl" to be a duration/],
    ['a ttl of seconds as a number', { a: 1 }, 10, /received the number 10, which is milliseconds: write "10s"/],
    ['a negative ttl', { a: 1 }, -5, /"ttl"/],
    ['a ttl of more than a week', { a: 1 }, '169h', /at most 168h/],
    ['a ttl of another type', { a: 1 }, {}, /"ttl"/],
  ])('refuses %s with the reason', (_name, values, ttl, problem) => {
    expect(readSignals(values, ttl)).toMatch(problem);
  });

  it('accepts __proto__ and constructor as signal names', () => {
    const values = JSON.parse('{"__proto__": 1, "constructor": 2}') as unknown;
    const read = readSignals(values, undefined);
    expect(typeof read === 'object' && Object.entries(read.update.values)).toEqual([
      ['__proto__', 1],
      ['constructor', 2],
    ]);
  });
});

describe('mistakes in the values of signals', () => {
  it.each([
    [Number.NaN, 'NaN'],
    [Infinity, 'Infinity'],
    [0, '0: nothing is certain, null withdraws it'],
    [1, '1: nothing is certain, null withdraws it'],
    [1.95, '1.95: decimal odds, or a percentage?'],
    [-110, '-110: American odds?'],
  ])('are left out and named, and the other values are accepted: %s', (value, received) => {
    expect(readSignals({ 'fair:a': value, x: 7, 'fair:c': null }, undefined)).toMatchObject({
      update: { values: { x: 7, 'fair:c': null } },
      slips: [`signal fair:a: expected a probability, 0 … 1, received ${received}`],
    });
  });

  it('include each probability beside a percentage, and no other value', () => {
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

  it('include NaN and Infinity in JSON, which readJson accepts as numbers', () => {
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

describe('readSignalMessage', () => {
  const now = Date.UTC(2030, 0);
  const values = { fair: 0.5 };

  it('counts the ttl from the timestamp of the message', () => {
    const readAs = (update: object) => ({ update, slips: [] });
    expect(readSignalMessage({ values, ttl: '10s' }, now)).toEqual(readAs({ values, ttlMs: 10_000 }));
    expect(readSignalMessage({ values, ttl: '10s', ts: now - 4000 }, now)).toEqual(
      readAs({ values, ttlMs: 6000, ts: now - 4000 }),
    );
    // the clock of the sender is slightly ahead
    expect(readSignalMessage({ values, ttl: '10s', ts: now + 999 }, now)).toEqual(
      readAs({ values, ttlMs: 10_000, ts: now }),
    );
  });

  it.each([
    ['a list', [], 'malformed', /an object/],
    ['no message', undefined, 'malformed', /an object/],
    ['no values', { ttl: '10s' }, 'malformed', /"values"/],
    ['text as timestamp', { values, ts: 'now' }, 'malformed', /"ts" in Unix ms/],
    ['a timestamp in the future', { values, ts: now + 1001 }, 'future', /1001 ms in the future/],
    ['a timestamp older than the ttl', { values, ttl: '10s', ts: now - 10_000 }, 'over', /over before it came/],
    [
      'a timestamp in seconds',
      { values, ts: now / 1000 },
      'malformed',
      /"ts" .*1970-01-22: seconds\? multiply by 1000/,
    ],
  ])('refuses %s', (_name, message, why, problem) => {
    expect(readSignalMessage(message, now)).toEqual({ why, problem: expect.stringMatching(problem) as string });
  });
});
