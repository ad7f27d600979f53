// One text for each value, and nothing that JSON would change in silence.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../src/domain/index.ts';

describe('canonical JSON', () => {
  it('is JSON of the same value, with sorted keys and without undefined properties', () => {
    expect(canonicalJson({ b: [1, null, 'x'], a: { d: true, c: undefined }, é: -0.5 })).toBe(
      '{"a":{"d":true},"b":[1,null,"x"],"é":-0.5}',
    );
    expect(canonicalJson(Object.assign(Object.create(null) as object, { a: 1 }))).toBe('{"a":1}');
  });

  it('reads back as the value, and is its own canonical form', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = canonicalJson(value);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(canonicalJson(JSON.parse(text))).toBe(text);
      }),
    );
  });

  it.each([
    ['a function', { a: [() => 1] }, 'a.0: a function is not JSON'],
    ['no value', undefined, 'undefined is not JSON'],
    ['a hole', { a: [undefined] }, 'a.0: undefined is not JSON'],
    ['not a number', { edge: Number.NaN }, 'edge: NaN is not JSON'],
    ['infinite', [Number.NEGATIVE_INFINITY], '0: -Infinity is not JSON'],
    ['a big integer', 1n, 'a bigint is not JSON'],
    ['a map', { seen: new Map() }, 'seen: a Map is not JSON'],
    ['a date', new Date(0), 'a Date is not JSON'],
  ])('refuses %s and names its place', (_name, value, message) => {
    expect(() => canonicalJson(value)).toThrow(new TypeError(message));
  });

  it('refuses what contains itself', () => {
    const loop: { self?: unknown } = {};
    loop.self = loop;
    expect(() => canonicalJson(loop)).toThrow('nested more than 100 levels deep, or contains itself');
  });
});
