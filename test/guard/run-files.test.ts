import { writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readFence, runFiles, StandingFile, uniteSpellings } from '../../src/ops/index.ts';
import { fileNameOf } from '../../src/ops/run-files.ts';
import { DEAD, ownFiles } from './fixtures.ts';

describe('the files of a run', () => {
  it.each([
    ['alice', 'alice'],
    ['a.b@c-d_e', 'a.b%40c-d_e'],
    ['../../etc/passwd', '%2e.%2F..%2Fetc%2Fpasswd'],
    ['.hidden', '%2ehidden'],
    ['zwei Wörter', 'zwei%20W%C3%B6rter'],
    ["~'*()!", '%7e%27%2a%28%29%21'],
  ])('are named by the account: %s', (account, name) => {
    expect(fileNameOf(account)).toBe(name);
  });

  it('have short and distinct names for long accounts', () => {
    const [first, second] = [fileNameOf(`${'x'.repeat(400)}1`), fileNameOf(`${'x'.repeat(400)}2`)];
    expect(first).not.toBe(second);
    expect(first.length).toBeLessThan(120);
  });

  it('are found in any spelling of the account, and are in lower case when there are none', () => {
    const files = ownFiles('Alice');
    expect(files.lease).toBe(join(files.folder, 'alice.lease'));
    writeFileSync(join(files.folder, 'Alice.standing'), '{}');
    for (const spelling of ['alice', 'ALICE', 'Alice'])
      expect(runFiles(files.folder, spelling).lease).toBe(join(files.folder, 'Alice.lease'));
    expect(runFiles(files.folder, 'alice2').lease).toBe(join(files.folder, 'alice2.lease'));
    writeFileSync(join(files.folder, 'W%C3%96LF.standing'), '{}');
    expect(runFiles(files.folder, 'wölf').fence).toBe(join(files.folder, 'W%C3%96LF.fence'));
  });

  it('in two spellings are merged, with the stricter of both records, and never while a bot of another spelling lives', () => {
    const { folder } = ownFiles();
    const pathOf = (name: string): string => join(folder, name);
    const write = (name: string, value: unknown): void => writeFileSync(pathOf(name), JSON.stringify(value));
    const halt = { state: 'halted', reason: 'an operator asked for it', paused: false };
    write('alice.standing', { crashes: [], standing: { state: 'active', reason: 'paused', paused: true } });
    write('Alice.standing', { crashes: [], standing: halt });
    write('Alice.fence', { id: 'x', when: 'then', why: 'it hung', by: 1, hung: true });
    write('Alice.lease', { ...DEAD, account: 'Alice' });
    uniteSpellings(runFiles(folder, 'ALICE'));
    const files = runFiles(folder, 'ALICE');
    expect(files.others).toEqual([]);
    expect(new StandingFile(files.standing).state.standing).toEqual({ ...halt, paused: true });
    expect(readFence(pathOf('alice.fence'))).toMatchObject({ why: 'it hung', hung: true });

    write('ALICE.lease', { pid: process.pid, host: hostname(), ticks: null, account: 'ALICE' });
    expect(() => uniteSpellings(runFiles(folder, 'alice'))).toThrow(/in another spelling, is running/);
  });

  it('have the control socket beside the journal, or under a hash elsewhere when that path is too long', () => {
    expect(runFiles('/data/run', 'alice').socket).toBe('/data/run/alice.sock');
    const deep = runFiles(`/data/${'deep/'.repeat(30)}`, 'alice');
    expect(deep.socket).toBe(deep.spareSocket);
    expect(deep.socket.length).toBeLessThan(100);
    expect(deep.socket).toBe(runFiles(`/data/${'deep/'.repeat(30)}`, 'alice').socket);
  });
});
