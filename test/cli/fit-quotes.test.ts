// Tests `oddsmaker fit-quotes`: it fits backtests and journals alike, and its file is one that the package reads.
import { copyFileSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { QuoteTable } from 'oddsmaker/pricing';
import { readQuoteTable } from 'oddsmaker/pricing';
import { command, folder, NO_JOURNAL, run, TWO_SIDED, writeConfig } from '../support/children.ts';
import { writeGeneratedTape } from '../support/generated-tape.ts';

let results: string;
let tape: string;

/** Plays the generated tape into a folder. */
async function play(edge: number, ...flags: readonly string[]): Promise<string> {
  const out = join(folder(), 'results');
  const config = writeConfig(
    `exchange: { embedded: {} }\n${NO_JOURNAL}strategies:\n  - { use: ${TWO_SIDED}, id: main, params: { edge: ${edge}, risk: 20 } }\n`,
  );
  const { code, stderr } = await run(['backtest', config, '--tape', tape, '--out', out, ...flags]);
  expect(code, stderr).toBe(0);
  return out;
}

beforeAll(async () => {
  tape = join(folder(), 'made.ndjson.gz');
  writeGeneratedTape(tape, 120);
  results = await play(0.004, '--journal');
});

const tableIn = (file: string): QuoteTable => {
  const read = readQuoteTable(JSON.parse(readFileSync(file, 'utf8')));
  if (!read.ok) throw new Error(read.problem);
  return read.value;
};

describe('oddsmaker fit-quotes', () => {
  it('prints a table with errors, and writes a file that the package reads', async () => {
    const out = join(folder(), 'quotes.json');
    const fitted = await command(['fit-quotes', results, '--out', out]);
    expect([fitted.code, fitted.stderr]).toEqual([0, '']);
    const { groups, leagues, all } = tableIn(out);
    expect(all.fills).toBeGreaterThan(0);
    expect(groups.reduce((sum, { fills }) => sum + fills, 0)).toBe(all.fills);
    expect(leagues).toHaveLength(1);
    const [first] = groups;
    expect(fitted.stdout).toMatch(/^ +A +k +a +fills +hours +best +earns$/m);
    expect(fitted.stdout).toContain(`${first?.A.toFixed(2) ?? ''} ± ${first?.errors.A.toFixed(2) ?? ''}`);
    expect(fitted.stdout).toMatch(new RegExp(`^${all.fills} of \\d+ fills count`, 'm'));
    expect(fitted.stdout).toContain(`written to ${out}`);
  });

  it('prints one JSON object with the table and the best distances, the same each time', async () => {
    const out = join(folder(), 'quotes.json');
    const [fitted, again] = [
      await command(['fit-quotes', results, '--out', out, '--json']),
      await command(['fit-quotes', results, '--out', out, '--json']),
    ];
    expect(again.stdout).toBe(fitted.stdout);
    const { schema, table, best } = JSON.parse(fitted.stdout) as {
      readonly schema: number;
      readonly table: QuoteTable;
      readonly best: readonly { readonly distance: number; readonly value: number }[];
    };
    expect(schema).toBe(1);
    expect(table).toEqual(tableIn(out));
    expect(best).toHaveLength(table.groups.length);
    const [{ A, k, a } = { A: 0, k: 1, a: 0 }] = table.groups;
    expect(best[0]?.distance).toBeCloseTo(a + 1 / k, 3);
    // both sides, $100 a fill, 1/k points each
    expect(best[0]?.value).toBeCloseTo((2 * A * Math.exp(-k * (a + 1 / k)) * 100) / k / 100, 2);
  });

  it('fits the journal of a run as its backtest, and all journals of a folder', async () => {
    const [byJournal, byFacts] = [join(folder(), 'journal.json'), join(folder(), 'facts.json')];
    const journal = join(results, 'calibrated.ndjson');
    expect(await command(['fit-quotes', journal, '--out', byJournal])).toMatchObject({ code: 0, stderr: '' });
    expect(await command(['fit-quotes', results, '--out', byFacts])).toMatchObject({ code: 0 });
    const runs = folder();
    copyFileSync(journal, join(runs, '2030-03-01T18-00-00-000Z-alice-00000001.ndjson'));
    copyFileSync(journal, join(runs, '2030-03-02T18-00-00-000Z-alice-00000002.ndjson'));
    const byFolder = join(folder(), 'folder.json');
    expect(await command(['fit-quotes', runs, '--out', byFolder])).toMatchObject({ code: 0, stderr: '' });
    expect(tableIn(byFolder).all.hours).toBeCloseTo(2 * tableIn(byJournal).all.hours, 1);
    const [run, backtest] = [tableIn(byJournal), tableIn(byFacts)];
    expect(run.all.hours).toBeCloseTo(backtest.all.hours, 0);
    expect(Math.abs(run.all.k - backtest.all.k)).toBeLessThan(backtest.all.errors.k);
  });

  it('adds up several backtests, and takes the scenario that is named', async () => {
    const [single, both, pessimistic] = ['single', 'both', 'pessimistic'].map((name) => join(folder(), name));
    const wider = await play(0.02);
    const varied = folder();
    cpSync(results, join(varied, '1'), { recursive: true });
    cpSync(wider, join(varied, '2'), { recursive: true });
    const twice = join(folder(), 'twice');
    await command(['fit-quotes', results, '--out', single ?? '']);
    await command(['fit-quotes', results, results, '--out', twice]);
    await command(['fit-quotes', results, wider, '--out', both ?? '']);
    await command(['fit-quotes', results, '--fills', 'pessimistic', '--out', pessimistic ?? '']);
    expect(tableIn(both ?? '').all.hours).toBeGreaterThan(1.5 * tableIn(single ?? '').all.hours);
    const byFolder = join(folder(), 'varied');
    await command(['fit-quotes', varied, '--out', byFolder]);
    expect(tableIn(byFolder)).toEqual(tableIn(both ?? ''));
    // the same game once more says nothing new
    expect(tableIn(twice).all.fills).toBe(2 * tableIn(single ?? '').all.fills);
    expect(tableIn(twice).all.errors.k).toBeCloseTo(tableIn(single ?? '').all.errors.k, 3);
    expect(tableIn(pessimistic ?? '').all).not.toEqual(tableIn(single ?? '').all);
    const none = await command(['fit-quotes', results, '--fills', 'optimistic', '--out', single ?? '']);
    expect(none.code).toBe(65);
    expect(none.stderr).toContain('it has no scenario optimistic: backtest --fills all plays it');
  });
});

describe('oddsmaker fit-quotes refuses', () => {
  it.each([
    ['rested', 0.2, 'no quote rested'],
    ['filled', 0.1, 'no quote was filled'],
  ])('a backtest in which nothing %s', async (_name, edge, why) => {
    const { code, stderr } = await command(['fit-quotes', await play(edge), '--out', join(folder(), 'quotes.json')]);
    expect([code, stderr]).toEqual([65, expect.stringContaining(why)]);
  });

  it('a folder of a backtest without its facts', async () => {
    const plain = await play(0.02, '--report', 'none');
    const { code, stderr } = await command(['fit-quotes', plain, '--out', join(folder(), 'quotes.json')]);
    expect([code, stderr]).toEqual([65, expect.stringContaining('report-facts.bin is not there')]);
  });

  it('a journal whose quote times have no market types', async () => {
    const old = join(folder(), 'old.ndjson');
    const text = readFileSync(join(results, 'calibrated.ndjson'), 'utf8');
    writeFileSync(old, text.replaceAll('"byType":', '"formerly":'));
    const { code, stderr } = await command(['fit-quotes', old, '--out', join(folder(), 'quotes.json')]);
    expect([code, stderr]).toEqual([65, expect.stringContaining('its quote times are not by market type')]);
  });

  it.each([
    ['rubbish', 'no journal at all'],
    ['an empty file', ''],
    ['another JSON', '{"quotes":1}\n'],
  ])('%s', async (_name, text) => {
    const file = join(folder(), 'x.ndjson');
    writeFileSync(file, text);
    const ended = await command(['fit-quotes', file, '--out', join(folder(), 'quotes.json')]);
    expect(ended.code).toBe(65);
    expect(ended.stderr).toContain('x.ndjson');
  });

  it('facts that cannot be read, and a folder without a run', async () => {
    const broken = join(folder(), 'broken');
    mkdirSync(broken);
    const out = join(folder(), 'quotes.json');
    expect((await command(['fit-quotes', broken, '--out', out])).stderr).toContain('a folder without a journal');
    writeFileSync(join(broken, 'report-facts.bin'), 'rubbish');
    const ended = await command(['fit-quotes', broken, '--out', out]);
    expect([ended.code, ended.stderr]).toEqual([65, expect.stringContaining('no facts of this version')]);
  });

  it('a command line without --out, or with a scenario that does not exist', async () => {
    expect((await command(['fit-quotes', results])).code).toBe(2);
    expect((await command(['fit-quotes', results, '--fills', 'lucky', '--out', 'x'])).code).toBe(2);
  });

  it('a file that cannot be written, or that is an input', async () => {
    expect((await command(['fit-quotes', results, '--out', join(folder(), 'none', 'quotes.json')])).code).toBe(78);
    expect((await command(['fit-quotes', results, '--out', join(results, 'report-facts.bin')])).code).toBe(2);
  });
});
