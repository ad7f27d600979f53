// A journal of format 1 has no events. Commands print the same for it as for the same journal with events.
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { FaultyJournal } from '../support/journals.ts';
import { cli, writeFaultyJournal } from '../support/journals.ts';

let folder = '';
let made: FaultyJournal;
let old = '';
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'oddsmaker-format-1-'));
  made = await writeFaultyJournal(folder, { seed: 20 });
  old = join(folder, 'old.ndjson');
  writeFileSync(old, asFormatOne(readFileSync(made.journal, 'utf8')));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** The journal as a version before 0.3 wrote it, with its chain. */
function asFormatOne(journal: string): string {
  const hash = createHash('sha256');
  const lines: string[] = [];
  for (const line of journal.split('\n')) {
    if (line === '') continue;
    const { ev: _events, ...record } = JSON.parse(line) as Record<string, unknown>;
    const isEmpty = Object.keys(record).length === 1 && 'seq' in record;
    if (isEmpty) continue;
    if ('journal' in record) record['journal'] = 1;
    if ('chain' in record) record['chain'] = hash.copy().digest('hex');
    const text = `${JSON.stringify(record)}\n`;
    hash.update(text);
    lines.push(text);
  }
  return lines.join('');
}

const printed = async (...args: readonly string[]): Promise<unknown> => {
  const { code, out, err } = await cli(...args);
  expect([code, err], args.join(' ')).toEqual([0, '']);
  return JSON.parse(out.replaceAll(old, made.journal));
};

it('a journal of format 1 has the same events and order stories as its copy of format 2', async () => {
  expect(readFileSync(old, 'utf8')).not.toContain('"ev":');
  const [now, then] = [await cli('events', made.journal, '--json'), await cli('events', old, '--json')];
  expect(now.out.length).toBeGreaterThan(10_000);
  expect(then).toEqual(now);
  const { ref } = JSON.parse(now.out.split('\n').find((line) => line.includes('"Fill"')) ?? '{}') as { ref: string };
  expect(await printed('why', old, ref, '--json')).toEqual(await printed('why', made.journal, ref, '--json'));
});

it('a journal of format 1 has the same report and activity as its copy of format 2', async () => {
  const [now, then] = [await printed('report', made.journal, '--json'), await printed('report', old, '--json')];
  const { scenarios } = now as { scenarios: Readonly<Record<string, unknown>> };
  expect(Object.keys(scenarios)).toEqual(['live']);
  expect(then).toMatchObject({ scenarios });
  const activity = await printed('report', '--activity', made.journal, '--json');
  expect(await printed('report', '--activity', old, '--json')).toEqual(activity);
});

it('commands that read events refuse a record that no version writes', async () => {
  const broken = join(folder, 'broken.ndjson');
  const lines = readFileSync(made.journal, 'utf8').split('\n');
  const index = lines.findIndex((line) => line.includes('"type":"OrderSubmitted"'));
  const { out, ...record } = JSON.parse(lines[index] ?? '') as { readonly out: readonly object[] };
  lines[index] = JSON.stringify({ ...record, out: out.map((command) => ({ ...command, orders: 7 })) });
  writeFileSync(broken, resigned(lines.join('\n')));
  for (const args of [
    ['report', broken, '--json'],
    ['why', broken, 'x'],
    ['events', broken],
  ]) {
    const { code, err } = await cli(...args);
    expect(code, args.join(' ')).toBe(65);
    expect(err).toMatch(/record \d+ is none that this version writes/);
  }
});

function resigned(journal: string): string {
  const hash = createHash('sha256');
  return journal
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const text = line.includes('"chain":"')
        ? `${line.replace(/"chain":"[0-9a-f]+"/, `"chain":"${hash.copy().digest('hex')}"`)}\n`
        : `${line}\n`;
      hash.update(text);
      return text;
    })
    .join('');
}
