// A journal of format 1 has no events: what is told of it is that of the same journal with them.
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

/** As a version before 0.3 wrote it, with its chain. */
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

const told = async (...args: readonly string[]): Promise<unknown> => {
  const { code, out, err } = await cli(...args);
  expect([code, err], args.join(' ')).toEqual([0, '']);
  return JSON.parse(out.replaceAll(old, made.journal));
};

it('its events, and the story of each order, are those of the other', async () => {
  expect(readFileSync(old, 'utf8')).not.toContain('"ev":');
  const [now, then] = [await cli('events', made.journal, '--json'), await cli('events', old, '--json')];
  expect(now.out.length).toBeGreaterThan(10_000);
  expect(then).toEqual(now);
  const { ref } = JSON.parse(now.out.split('\n').find((line) => line.includes('"Fill"')) ?? '{}') as { ref: string };
  expect(await told('why', old, ref, '--json')).toEqual(await told('why', made.journal, ref, '--json'));
});

it('its report and its activity are those of the other', async () => {
  const [now, then] = [await told('report', made.journal, '--json'), await told('report', old, '--json')];
  const { scenarios } = now as { scenarios: Readonly<Record<string, unknown>> };
  expect(Object.keys(scenarios)).toEqual(['live']);
  expect(then).toMatchObject({ scenarios });
  const activity = await told('report', '--activity', made.journal, '--json');
  expect(await told('report', '--activity', old, '--json')).toEqual(activity);
});

it('a command that reads events says what is wrong with a record that no version writes', async () => {
  const broken = join(folder, 'broken.ndjson');
  const lines = readFileSync(made.journal, 'utf8').split('\n');
  const at = lines.findIndex((line) => line.includes('"type":"OrderSubmitted"'));
  const { out, ...record } = JSON.parse(lines[at] ?? '') as { readonly out: readonly object[] };
  lines[at] = JSON.stringify({ ...record, out: out.map((command) => ({ ...command, orders: 7 })) });
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
