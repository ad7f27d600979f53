// The fills and series of a run are one table each, whether the backtest wrote it or its journal is exported.
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { FILL_COLUMNS } from '../../src/run/index.ts';
import { readCsv } from '../../src/table/index.ts';
import { command, folder, NO_JOURNAL, run, writeConfig } from '../support/children.ts';
import { writeGeneratedTape } from '../support/generated-tape.ts';

/** Quotes around the consensus, and sends it as its own fair price. */
const STRATEGY = `
import { consensusOf, defineStrategy, dollars } from 'oddsmaker/strategy';
import { map } from 'rxjs';
import { z } from 'zod';
export default defineStrategy({
  name: 'middle',
  params: z.object({ risk: dollars }),
  create: ({ params, log }) => (views$) => views$.pipe(map(({ market, sides, position }) => {
    const fair = consensusOf(sides[0].offers, sides[1].offers)?.p;
    if (fair === undefined) return { market: market.id, quotes: [] };
    log.series('fair', fair);
    log.series('held (dollars)', (position.first - position.second) / 1e6);
    log.series('bad', NaN);
    const quote = (side, p) => ({ side, risk: params.risk, probability: p - 0.02 });
    const [home, away] = market.sides;
    return { market: market.id, quotes: [quote(home, fair), quote(away, 1 - fair)], fair, reason: '=middle' };
  })),
});
`;

type Row = Readonly<Record<string, string>>;
let results = '';
let journal = '';
let bare = '';

async function rowsOf(file: string): Promise<readonly Row[]> {
  const all: (readonly string[])[] = [];
  for await (const row of readCsv(file)) all.push(row);
  const [names = [], ...rows] = all;
  return rows.map((row) => Object.fromEntries(names.map((name, index) => [name, row[index] ?? ''])));
}

async function exported(source: string): Promise<readonly Row[]> {
  const out = join(folder(), 'fills.csv');
  const ended = await command(['export', source, '--what', 'fills', '--format', 'csv', '--out', out]);
  expect([ended.code, ended.stderr]).toEqual([0, '']);
  return rowsOf(out);
}

beforeAll(async () => {
  const directory = folder();
  const [generated, tape] = [join(directory, 'generated.ndjson.gz'), join(directory, 'tape.ndjson')];
  writeGeneratedTape(generated, 60, { startsAfter: 30_000 });
  const lines = gunzipSync(readFileSync(generated)).toString('utf8').trim().split('\n');
  const [, header = '', last = ''] = [lines[0], lines[1], lines.at(-1)];
  // the same header twice more: the game is in play, and over
  const { data, ...frame } = JSON.parse(header) as { readonly data: string };
  const timeOf = (line: string): number => (JSON.parse(line) as { readonly ts?: number }).ts ?? 0;
  const again = (ts: number, changes: object): string =>
    JSON.stringify({ ...frame, ts, data: JSON.stringify({ ...(JSON.parse(data) as object), ...changes }) });
  const startsAt = timeOf(header) + 30_000;
  const sides = lines.map((line) =>
    timeOf(line) > startsAt ? line.replaceAll(String.raw`\"live\":false`, String.raw`\"live\":true`) : line,
  );
  const start = lines.findIndex((line) => timeOf(line) > startsAt);
  sides.splice(start, 0, again(startsAt, { live: true }));
  sides.push(again(timeOf(last) + 1000, { ended: true }), again(timeOf(last) + 2000, { ended: true }));
  writeFileSync(tape, `${sides.join('\n')}\n`);
  writeFileSync(join(directory, 'middle.ts'), STRATEGY);
  writeFileSync(join(directory, 'scores.json'), JSON.stringify({ 'tape-game': { home: 108, away: 103 } }));
  const config = writeConfig(
    `exchange: { embedded: {} }\nmarkets: { live: true, stopBefore: 0s }\n${NO_JOURNAL}strategies: [{ use: ./middle.ts, id: main, params: { risk: 40 } }]\n`,
    directory,
  );
  results = join(directory, 'results');
  const { code, stderr } = await run([
    ...['backtest', config, '--tape', tape, '--results', join(directory, 'scores.json')],
    ...['--fills', 'pessimistic', '--latency', '0ms', '--journal', '--out', results],
  ]);
  expect(code, stderr).toBe(0);
  journal = join(results, 'pessimistic.ndjson');
  // the same backtest without its tables: they come from the journal
  bare = join(directory, 'bare');
  mkdirSync(bare);
  for (const name of ['result.json', 'pessimistic.ndjson']) copyFileSync(join(results, name), join(bare, name));
});

describe('the fills of a backtest and those of its journal', () => {
  it('have the same columns, and the same values of all that both know', async () => {
    const [table, rows] = [await rowsOf(join(results, 'fills.csv')), await exported(bare)];
    expect(table.length).toBeGreaterThan(20);
    expect(rows).toHaveLength(table.length);
    const names = FILL_COLUMNS.map(({ name }) => name);
    for (const row of [...table, ...rows]) expect(Object.keys(row)).toEqual(names);
    // only the exchange knows these: prices to the moment, the queue at the fill, the price a minute later
    const apart = new Set([
      'fair',
      'fair_60s',
      'queue_filled',
      'f0',
      'fc',
      ...names.filter((name) => /^markout/.test(name)),
    ]);
    const sorted = (all: readonly Row[]) => all.toSorted((a, b) => ((a['tx'] ?? '') < (b['tx'] ?? '') ? -1 : 1));
    const [shown, recorded] = [sorted(table), sorted(rows)];
    for (const [index, row] of shown.entries())
      for (const { name, kind } of FILL_COLUMNS.filter(({ name: column }) => !apart.has(column))) {
        const [cell = '', other = ''] = [row[name], recorded[index]?.[name]];
        const isRounded = kind === 'money' || kind === 'price';
        if (isRounded && cell !== '') expect(Math.abs(Number(cell) - Number(other)), name).toBeLessThan(0.011);
        else expect([name, other]).toEqual([name, cell]);
      }
  });

  it('have phase, market, result and own price of each fill', async () => {
    const table = await rowsOf(join(results, 'fills.csv'));
    const values = (name: string) => new Set(table.map((row) => row[name]));
    expect(values('in_play')).toEqual(new Set(['true', 'false']));
    expect(values('type')).toEqual(new Set(['moneyline', 'spread', 'total']));
    expect([values('league'), values('period'), values('run')]).toEqual([
      new Set(['NBA']),
      new Set(['full']),
      new Set(['backtest']),
    ]);
    for (const row of table) {
      const { type, side, line, settled, risk, win, own_fair: fair } = row;
      expect(line).toBe(type === 'spread' ? '-3.5' : type === 'total' ? '210.5' : '');
      // 108 : 103: home wins by 5, and the total is 211
      expect(Number(settled)).toBe(side === 'home' || side === 'over' ? Number(win) : -Number(risk));
      expect(Number(fair)).toBeGreaterThan(0.3);
      expect(Number(row['price'])).toBeCloseTo(Number(risk) / (Number(risk) + Number(win)), 2);
      expect(row['reason']).toBe('=middle');
    }
  });

  it('are the same through the folder of the backtest', async () => {
    const table = await rowsOf(join(results, 'fills.csv'));
    const rows = await exported(results);
    expect(rows.map(({ tx, in_play: phase, settled }) => [tx, phase, Number(settled)])).toEqual(
      table.map(({ tx, in_play: phase, settled }) => [tx, phase, Number(settled)]),
    );
  });
});

describe('the series that a strategy logged', () => {
  it('are series.csv of the backtest, and the same rows in the export of its journal', async () => {
    const table = await rowsOf(join(results, 'series.csv'));
    const out = join(folder(), 'series.csv');
    const ended = await command(['export', bare, '--what', 'series', '--format', 'csv', '--out', out]);
    expect([ended.code, ended.stderr]).toEqual([0, '']);
    const texts = (rows: readonly Row[]): readonly string[] => rows.map((row) => JSON.stringify(row)).sort();
    expect(table.length).toBeGreaterThan(60);
    expect(texts(await rowsOf(out))).toEqual(texts(table));
    expect(Object.keys(table[0] ?? {})).toEqual([
      'scenario',
      'time',
      'strategy',
      'game',
      'market',
      'name',
      'value',
      'run',
    ]);
    expect(new Set(table.map(({ name }) => name))).toEqual(new Set(['fair', 'held (dollars)']));
    expect(new Set(table.map(({ market }) => market)).size).toBe(3);
    // one value a second at most
    const first = table.filter(({ market, name }) => market === table[0]?.['market'] && name === 'fair');
    for (const [index, { time = '' }] of first.entries())
      if (index > 0)
        expect(Date.parse(time) - Date.parse(first[index - 1]?.['time'] ?? '')).toBeGreaterThanOrEqual(1000);
  });

  it('replay from the journal, and a value that is no number is one warning', async () => {
    expect(await command(['replay', '--verify', journal])).toMatchObject({ code: 0 });
    const { scenarios } = JSON.parse(readFileSync(join(results, 'result.json'), 'utf8')) as {
      readonly scenarios: { readonly pessimistic: { readonly alerts: Readonly<Record<string, number>> } };
    };
    expect(scenarios.pessimistic.alerts).toMatchObject({ SERIES_DROPPED: 1 });
  });

  it('are not in a source that has none', async () => {
    const empty = join(folder(), 'empty');
    mkdirSync(empty);
    writeFileSync(join(empty, 'result.json'), '{}');
    const out = join(folder(), 'x.csv');
    const { code, stderr } = await command(['export', empty, '--what', 'series', '--format', 'csv', '--out', out]);
    expect([code, stderr]).toEqual([65, expect.stringMatching(/no series\.csv is there: no strategy logged a series/)]);
  });
});
