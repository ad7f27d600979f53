// Commands that read a journal take the folder of a run's journals as well: the newest is meant.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { journalAt } from '../../src/journal/journals-in.ts';
import { command, folder } from '../support/children.ts';

const NEWEST = '2030-01-02T00-00-00-000Z-bbbb.ndjson.zst';

it('is the one that began last, from its first part on, whatever else lies there, such as tapes of runs', () => {
  const at = folder();
  for (const name of [
    '2030-01-01T00-00-00-000Z-aaaa.ndjson',
    NEWEST,
    NEWEST.replace('.ndjson', '.part0002.ndjson'),
    '2030-01-03T00-00-00-000Z-cccc1234-1.ndjson.zst',
    'zz-tape.ndjson',
    'alice.lease',
  ])
    writeFileSync(join(at, name), '');
  expect(journalAt(at)).toBe(join(at, NEWEST));
  expect(journalAt(join(at, 'zz-tape.ndjson'))).toBe(join(at, 'zz-tape.ndjson'));
});

it.each(['replay', 'conform', 'why'])('%s says so when there is none', async (name) => {
  const at = join(folder(), 'empty');
  mkdirSync(at);
  const more = name === 'replay' ? ['--verify'] : name === 'why' ? ['x'] : [];
  const { code, stderr } = await command([name, at, ...more]);
  expect([code, stderr]).toEqual([65, expect.stringContaining(`${at} is a folder without a journal`)]);
});
