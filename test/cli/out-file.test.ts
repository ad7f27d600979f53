// A command never writes over a file that it reads, and writes its output whole or not at all.
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
    '--report',
    'json',
    '--journal',
    '--out',
    results,
  ]);
  expect(code, stderr).toBe(0);
});

describe('the flag --out', () => {
  it.each<[string, (file: string) => readonly string[], () => string]>([
    ['export of a tape', (file) => ['export', file, '--what', 'books', '--format', 'csv', '--out', file], () => tape],
    ['report of a journal', (file) => ['report', file, '--out', file], () => join(results, 'pessimistic.ndjson')],
    [
      'compare of a journal',
      (file) => ['compare', file, results, '--out', file],
      () => join(results, 'pessimistic.ndjson'),
    ],
    ['fit-fills of a tape', (file) => ['fit-fills', file, '--out', file], () => tape],
  ])('of %s is refused when it names the input file, and leaves the file as it was', async (_what, argsFor, source) => {
    const directory = folder();
    const file = join(directory, source().endsWith('.gz') ? 'a.ndjson.gz' : 'a.ndjson');
    copyFileSync(source(), file);
    const before = readFileSync(file);
    const { code, stderr } = await command(argsFor(file));
    expect([code, stderr]).toEqual([2, expect.stringContaining('is one of the files that are read')]);
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  it('is refused for another name of the input file, and for a result in the folder that is read', async () => {
    const other = join(folder(), 'linked.html');
    linkSync(join(results, 'pessimistic.ndjson'), other);
    const linked = await command(['report', join(results, 'pessimistic.ndjson'), '--out', other]);
    expect([linked.code, linked.stderr]).toEqual([2, expect.stringContaining('name another')]);
    const fills = join(results, 'fills.csv');
    const before = readFileSync(fills);
    const refused = await command(['export', results, '--what', 'fills', '--format', 'csv', '--out', fills]);
    expect(refused.code).toBe(2);
    expect(readFileSync(fills).equals(before)).toBe(true);
    // a page may lie next to the results and be written again
    for (let turn = 0; turn < 2; turn++)
      expect((await command(['report', results, '--out', join(results, 'page.html')])).code).toBe(0);
  });

  it('leaves no file behind when it cannot be written', async () => {
    const directory = join(folder(), 'taken');
    mkdirSync(directory);
    const { code } = await command(['report', results, '--out', directory]);
    expect(code).toBe(78);
    expect(readdirSync(directory)).toEqual([]);
    expect(readdirSync(join(directory, '..'))).toEqual(['taken']);
  });
});

describe('a report that was changed by hand', () => {
  it.each<[string, (text: string) => string]>([
    ['a text for a number', (text) => text.replace(/"twoSided":[^,]+/, '"twoSided":"<script>alert(1)</script>"')],
    ['nulls for pictures', (text) => text.replace(/"pictures":\{/, '"pictures":null,"was":{')],
    ['no scenarios', (text) => text.replace(/"scenarios":\{/, '"scenarios":null,"was":{')],
  ])('with %s is refused with its name, and makes no page', async (_what, change) => {
    const directory = folder();
    for (const name of ['result.json', 'report.json']) copyFileSync(join(results, name), join(directory, name));
    const file = join(directory, 'report.json');
    const text = readFileSync(file, 'utf8');
    expect(change(text)).not.toBe(text);
    writeFileSync(file, change(text));
    const { code, stderr } = await command(['report', directory, '--out', join(directory, 'r.html')]);
    expect([code, stderr]).toEqual([65, expect.stringContaining('no report of this version')]);
    expect(readdirSync(directory)).not.toContain('r.html');
  });

  it('without a figure, as an earlier version wrote it, shows that figure as unknown', async () => {
    const directory = folder();
    for (const name of ['result.json', 'report.json']) copyFileSync(join(results, name), join(directory, name));
    const file = join(directory, 'report.json');
    const text = readFileSync(file, 'utf8');
    const before = text.replaceAll(/"twoSided":[^,]+,/g, '');
    expect(before).not.toBe(text);
    writeFileSync(file, before);
    const { code, stdout } = await command(['report', directory, '--json', '--out', join(directory, 'r.html')]);
    expect(code).toBe(0);
    expect(stdout).toContain('"twoSided":null');
    expect(readFileSync(join(directory, 'r.html'), 'utf8')).not.toMatch(/>[^<]*(?:NaN|undefined)[^<]*<\/td>/);
  });

  it('shows its names as text', async () => {
    const directory = folder();
    for (const name of ['result.json', 'report.json']) copyFileSync(join(results, name), join(directory, name));
    const file = join(directory, 'report.json');
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll('"by":"', '"by":"<script>x</script>'));
    expect((await command(['report', directory, '--out', join(directory, 'r.html')])).code).toBe(0);
    expect(readFileSync(join(directory, 'r.html'), 'utf8')).not.toContain('<script>x');
  });
});
