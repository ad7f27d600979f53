import { describe, expect, it } from 'vitest';
import { runFiles } from '../../src/ops/index.ts';
import { fileNameOf } from '../../src/ops/run-files.ts';

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

  it('keep long names apart and short enough', () => {
    const [one, two] = [fileNameOf(`${'x'.repeat(400)}1`), fileNameOf(`${'x'.repeat(400)}2`)];
    expect(one).not.toBe(two);
    expect(one.length).toBeLessThan(120);
  });

  it('have the control socket beside the journal, or by a hash elsewhere when that path is too long', () => {
    expect(runFiles('/data/run', 'alice').socket).toBe('/data/run/alice.sock');
    const deep = runFiles(`/data/${'deep/'.repeat(30)}`, 'alice');
    expect(deep.socket).toBe(deep.spareSocket);
    expect(deep.socket.length).toBeLessThan(100);
    expect(deep.socket).toBe(runFiles(`/data/${'deep/'.repeat(30)}`, 'alice').socket);
  });
});
