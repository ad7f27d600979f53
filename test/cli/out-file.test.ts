// What a command writes is never what it reads, and is there whole or not at all.
import { copyFileSync, linkSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { command, folder, NO_JOURNAL, run, STRATEGIES, writeConfig } from '../support/children.ts';
import { writeGeneratedTape } from '../support/generated-tape.ts';

let home: string;
let results: string;
let tape: string;

beforeAll(async () => {
  home = folder();
  tape = join(home, 'made.ndjson.gz');
  results = join(home, 'results');
  writeGeneratedTape(tape, 20);
  const config = writeConfig(`exchange: { embedded: {} }\n${STRATEGIES}${NO_JOURNAL}`);
  const { code, stderr } = await run([
    'backtest',
    config,
    '--tape',
    tape,
    '--fills',
    'pessimistic',
    '--journal',
    '--out',
    results,
  ]);
  expect(code, stderr).toBe(0);
});

describe('--out', () => {
  it.each<[string, (file: string) => readonly string[], () => string]>([
    ['export of a tape', (file) => ['export', file, '--what', 'books', '--format', 'csv', '--out', file], () => tape],
    ['report of a journal', (file) => ['report', file, '--out', file], () => join(results, 'pessimistic.ndjson')],
    [
      'compare of a journal',
      (file) => ['compare', file, results, '--out', file],
      () => join(results, 'pessimistic.ndjson'),
    ],
    ['fit-fills of a tape', (file) => ['fit-fills', file, '--out', file], () => tape],
  ])('of %s is refused where it is the file that is read, which stays', async (_what, asked, of) => {
    const at = folder();
    const file = join(at, of().endsWith('.gz') ? 'a.ndjson.gz' : 'a.ndjson');
    copyFileSync(of(), file);
    const before = readFileSync(file);
    const { code, stderr } = await command(asked(file));
    expect([code, stderr]).toEqual([2, expect.stringContaining('is one of the files that are read')]);
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  it('is refused under another name of the same file, and where it is a result in the folder that is read', async () => {
    const other = join(folder(), 'linked.html');
    linkSync(join(results, 'pessimistic.ndjson'), other);
    const linked = await command(['report', join(results, 'pessimistic.ndjson'), '--out', other]);
    expect([linked.code, linked.stderr]).toEqual([2, expect.stringContaining('name another')]);
    const fills = join(results, 'fills.csv');
    const before = readFileSync(fills);
    const told = await command(['export', results, '--what', 'fills', '--format', 'csv', '--out', fills]);
    expect(told.code).toBe(2);
    expect(readFileSync(fills).equals(before)).toBe(true);
    // a page may lie beside the results, and be written again
    for (let turn = 0; turn < 2; turn++)
      expect((await command(['report', results, '--out', join(results, 'page.html')])).code).toBe(0);
  });

  it('leaves nothing behind where it cannot be written', async () => {
    const at = join(folder(), 'taken');
    mkdirSync(at);
    const { code } = await command(['report', results, '--out', at]);
    expect(code).toBe(78);
    expect(readdirSync(at)).toEqual([]);
    expect(readdirSync(join(at, '..'))).toEqual(['taken']);
  });
});

describe('a report that was changed by hand', () => {
  it.each<[string, (text: string) => string]>([
    ['a text for a number', (text) => text.replace(/"twoSided":[^,]+/, '"twoSided":"<script>alert(1)</script>"')],
    ['nulls for pictures', (text) => text.replace(/"pictures":\{/, '"pictures":null,"was":{')],
    ['no scenarios', (text) => text.replace(/"scenarios":\{/, '"scenarios":null,"was":{')],
  ])('with %s is named, and makes no page', async (_what, change) => {
    const at = folder();
    for (const name of ['result.json', 'report.json']) copyFileSync(join(results, name), join(at, name));
    const file = join(at, 'report.json');
    const text = readFileSync(file, 'utf8');
    expect(change(text)).not.toBe(text);
    writeFileSync(file, change(text));
    const { code, stderr } = await command(['report', at, '--out', join(at, 'r.html')]);
    expect([code, stderr]).toEqual([65, expect.stringContaining('no report of this version')]);
    expect(readdirSync(at)).not.toContain('r.html');
  });

  it('of a version that lacked a figure is read, and that figure is not known', async () => {
    const at = folder();
    for (const name of ['result.json', 'report.json']) copyFileSync(join(results, name), join(at, name));
    const file = join(at, 'report.json');
    const text = readFileSync(file, 'utf8');
    const before = text.replaceAll(/"twoSided":[^,]+,/g, '');
    expect(before).not.toBe(text);
    writeFileSync(file, before);
    const { code, stdout } = await command(['report', at, '--json', '--out', join(at, 'r.html')]);
    expect(code).toBe(0);
    expect(stdout).toContain('"twoSided":null');
    expect(readFileSync(join(at, 'r.html'), 'utf8')).not.toMatch(/>[^<]*(?:NaN|undefined)[^<]*<\/td>/);
  });

  it('tells its names as text', async () => {
    const at = folder();
    for (const name of ['result.json', 'report.json']) copyFileSync(join(results, name), join(at, name));
    const file = join(at, 'report.json');
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll('"by":"', '"by":"<script>x</script>'));
    expect((await command(['report', at, '--out', join(at, 'r.html')])).code).toBe(0);
    expect(readFileSync(join(at, 'r.html'), 'utf8')).not.toContain('<script>x');
  });
});
