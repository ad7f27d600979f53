// Commands that read a journal also take a folder of journals, and read the newest of them.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { journalAt } from '../../src/journal/journals-in.ts';
import { command, folder } from '../support/children.ts';

const NEWEST = '2030-01-02T00-00-00-000Z-bbbb.ndjson.zst';

it('the newest journal of a folder is that of the run that began last, with all its parts, whatever other files lie there', () => {
  const directory = folder();
  for (const name of [
    '2030-01-01T00-00-00-000Z-aaaa.ndjson',
    NEWEST,
    NEWEST.replace('.ndjson', '.part0002.ndjson'),
    '2030-01-03T00-00-00-000Z-cccc1234-1.ndjson.zst',
    'zz-tape.ndjson',
    'alice.lease',
  ])
    writeFileSync(join(directory, name), '');
  expect(journalAt(directory)).toBe(join(directory, NEWEST));
  expect(journalAt(join(directory, 'zz-tape.ndjson'))).toBe(join(directory, 'zz-tape.ndjson'));
});

it.each(['replay', 'conform', 'why'])('oddsmaker %s reports a folder without a journal', async (name) => {
  const directory = join(folder(), 'empty');
  mkdirSync(directory);
  const flags = name === 'replay' ? ['--verify'] : name === 'why' ? ['x'] : [];
  const { code, stderr } = await command([name, directory, ...flags]);
  expect([code, stderr]).toEqual([65, expect.stringContaining(`${directory} is a folder without a journal`)]);
});
