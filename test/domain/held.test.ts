// The names of signals about positions on other exchanges.
import { describe, expect, it } from 'vitest';
import { heldNamed, readSignals } from '../../src/domain/index.ts';

describe('the name of a position elsewhere', () => {
  it.each([
    ['held:g1/moneyline:first', 'g1/moneyline', 0],
    ['held:g1/moneyline:second', 'g1/moneyline', 1],
    ['held:g1/spread/-3.5:second', 'g1/spread/-3.5', 1],
    ['held:g1/total/210.50:first', 'g1/total/210.5', 0],
    ['held:a:b/c/moneyline:first', 'a:b/c/moneyline', 0],
  ])('%s names the market %s and the side %i', (name, id, side) => {
    const named = heldNamed(name);
    expect([named?.market.id, named?.side]).toEqual([id, side]);
  });

  it.each([
    'held:g1/moneyline',
    'held:g1/moneyline:frist',
    'held:g1:first',
    'held:g1/spread:first',
    'held:g1/spread/2.5.0:first',
    `held:g1/spread/${'9'.repeat(150)}:first`,
    'held:g1/total/10001:first',
    'held::first',
    'fair:g1/moneyline:first',
  ])('%s names none', (name) => {
    expect(heldNamed(name)).toBeUndefined();
  });
});

describe('the value of a position elsewhere', () => {
  it('may be any dollars, and null', () => {
    const values = { 'held:g/moneyline:first': -1e9, 'held:g/moneyline:second': 0, 'held:x/moneyline:first': null };
    expect(readSignals(values, undefined)).toMatchObject({ update: { values }, slips: [] });
  });

  it.each([
    ['held:g/moneyline:frist', 5, /the name held:<market>:first or held:<market>:second/],
    ['held:g/moneyline:first', 1.1e9, /dollars, from -1000000000 to 1000000000, received 1100000000/],
    ['held:g/moneyline:first', Number.NaN, /a finite number, or null to withdraw it, received NaN/],
    ['held:g/moneyline:first', -Infinity, /a finite number, or null to withdraw it, received -Infinity/],
  ])('is left out and named: %s %d', (name, value, slip) => {
    const read = readSignals({ [name]: value, other: 1 }, undefined);
    expect(read).toMatchObject({ update: { values: { other: 1 } }, slips: [expect.stringMatching(slip)] });
  });
});
