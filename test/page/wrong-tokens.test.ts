import { describe, expect, it } from 'vitest';
import { Access } from '../../src/page/server/access.ts';
import { WrongTokens } from '../../src/page/server/wrong-tokens.ts';

const asking = (token: string, from = '192.0.2.1') => ({
  headers: { authorization: `Bearer ${token}` },
  from,
});
const access = () => new Access({ tokens: { control: 'right', view: 'look' }, host: '127.0.0.1', hosts: [] });

describe('the limit of wrong tokens', () => {
  it('refuses even the right token from an address with too many wrong ones, but not from other addresses', () => {
    const door = access();
    const roles = Array.from({ length: 300 }, (_, n) => door.roleOf(asking(`wrong-${n}`), ''));
    expect(roles.filter((role) => role === undefined).length).toBeLessThanOrEqual(10);
    for (let n = 0; n < 5; n++) door.roleOf(asking('wrong'), '');
    expect(door.roleOf(asking('right'), '')).toBe('too-many');
    expect(door.roleOfToken('right', '192.0.2.1')).toBe('too-many');
    expect(door.roleOf(asking('right', '192.0.2.2'), '')).toBe('control');
  });

  it('does not lock a token out at an address that has used it before', () => {
    const door = access();
    expect(door.roleOf(asking('look'), '')).toBe('view');
    for (let n = 0; n < 20; n++) door.roleOf(asking('wrong'), '');
    expect(door.roleOf(asking('look'), '')).toBe('view');
    // the view token does not allow more guesses of the control token
    expect(door.roleOf(asking('right'), '')).toBe('too-many');
    expect(door.roleOf(asking('right', '192.0.2.3'), '')).toBe('control');
    for (let n = 0; n < 20; n++) door.roleOf(asking('wrong', '192.0.2.3'), '');
    expect(door.roleOf(asking('right', '192.0.2.3'), '')).toBe('control');
  });

  it('lasts until the next second, and counts all addresses of an IPv6 network together', () => {
    const tries = new WrongTokens();
    for (let n = 0; n < 5; n++) tries.wrong(`2001:db8::${n}`, 1000);
    expect(tries.mayTry('control', '2001:db8:0:0:ffff::1', 1999)).toBe(false);
    expect(tries.mayTry('control', '2001:db8:0:1::1', 1999)).toBe(true);
    expect(tries.mayTry('control', '2001:db8::1', 2000)).toBe(true);
  });

  it('does not count requests without a token', () => {
    const door = access();
    for (let n = 0; n < 20; n++) expect(door.roleOf({ headers: {}, from: '192.0.2.1' }, '')).toBeUndefined();
    expect(door.roleOf(asking('right'), '')).toBe('control');
  });
});
