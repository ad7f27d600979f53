import { describe, expect, it } from 'vitest';
import { Access } from '../../src/page/server/access.ts';
import { WrongTokens } from '../../src/page/server/wrong-tokens.ts';

const asking = (token: string, from = '192.0.2.1') => ({
  headers: { authorization: `Bearer ${token}` },
  from,
});
const access = () => new Access({ tokens: { control: 'right', view: 'look' }, host: '127.0.0.1', hosts: [] });

describe('whoever guesses tokens', () => {
  it('is not compared any more, the right one neither, and others are', () => {
    const door = access();
    const said = Array.from({ length: 300 }, (_, n) => door.roleOf(asking(`wrong-${n}`), ''));
    expect(said.filter((one) => one === undefined).length).toBeLessThanOrEqual(10);
    for (let n = 0; n < 5; n++) door.roleOf(asking('wrong'), '');
    expect(door.roleOf(asking('right'), '')).toBe('too-many');
    expect(door.roleOfToken('right', '192.0.2.1')).toBe('too-many');
    expect(door.roleOf(asking('right', '192.0.2.2'), '')).toBe('control');
  });

  it('locks nobody out who was let in from there before', () => {
    const door = access();
    expect(door.roleOf(asking('look'), '')).toBe('view');
    for (let n = 0; n < 20; n++) door.roleOf(asking('wrong'), '');
    expect(door.roleOf(asking('look'), '')).toBe('view');
    // who may look does not guess what commands
    expect(door.roleOf(asking('right'), '')).toBe('too-many');
    expect(door.roleOf(asking('right', '192.0.2.3'), '')).toBe('control');
    for (let n = 0; n < 20; n++) door.roleOf(asking('wrong', '192.0.2.3'), '');
    expect(door.roleOf(asking('right', '192.0.2.3'), '')).toBe('control');
  });

  it('waits for the next second, and has one network however many addresses', () => {
    const tries = new WrongTokens();
    for (let n = 0; n < 5; n++) tries.wrong(`2001:db8::${n}`, 1000);
    expect(tries.mayTry('control', '2001:db8:0:0:ffff::1', 1999)).toBe(false);
    expect(tries.mayTry('control', '2001:db8:0:1::1', 1999)).toBe(true);
    expect(tries.mayTry('control', '2001:db8::1', 2000)).toBe(true);
  });

  it('does not count who brings nothing', () => {
    const door = access();
    for (let n = 0; n < 20; n++) expect(door.roleOf({ headers: {}, from: '192.0.2.1' }, '')).toBeUndefined();
    expect(door.roleOf(asking('right'), '')).toBe('control');
  });
});
