// Tables out of a backtest, its journal and its tape, read back by other programs: hyparquet, and DuckDB with the queries that
// docs/export.md shows.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { beforeAll, describe, expect, it } from 'vitest';
import { textOf } from '../docs/pages.ts';
import { command, folder, NO_JOURNAL, run, STRATEGIES, writeConfig } from '../support/children.ts';
import { writeGeneratedTape } from '../support/generated-tape.ts';
import { blocksOf } from '../support/typed.ts';

type Cells = Readonly<Record<string, unknown>>;

let results: string;
let tape: string;

beforeAll(async () => {
  const at = folder();
  tape = join(at, 'made.ndjson.gz');
  results = join(at, 'results');
  writeGeneratedTape(tape, 90);
  const config = writeConfig(`exchange: { embedded: {} }\n${STRATEGIES}${NO_JOURNAL}`);
  const flags = ['--fills', 'pessimistic', '--journal', '--out', results];
  const { code, stderr } = await run(['backtest', config, '--tape', tape, ...flags]);
  expect(code, stderr).toBe(0);
});

async function exported(source: string, what: string, ...flags: readonly string[]): Promise<Cells[]> {
  const out = join(folder(), `${what}.parquet`);
  const told = await command(['export', source, '--what', what, '--format', 'parquet', '--out', out, ...flags]);
  expect([told.code, told.stderr]).toEqual([0, '']);
  return parquetReadObjects({ file: await asyncBufferFromFile(out) });
}

/** To the cent, as the tables of a backtest have it. */
const shown = (cell: unknown): string => (typeof cell === 'number' ? cell.toFixed(2) : String(cell));

/** Rows of a query, numbers as numbers. */
async function asked(sql: string): Promise<Cells[]> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const reader = await connection.runAndReadAll(sql);
  const rows = reader.getRowObjectsJson() as Cells[];
  connection.closeSync();
  return rows;
}

describe('fills, orders and quotes', () => {
  it('of a backtest are its tables, with all their columns', async () => {
    const fills = await exported(results, 'fills');
    const [head = '', ...lines] = readFileSync(join(results, 'fills.csv'), 'utf8').trim().split('\n');
    expect(fills.length).toBe(lines.length);
    expect(fills.length).toBeGreaterThan(20);
    expect(Object.keys(fills[0] ?? {})).toEqual(head.split(','));
    expect(fills[0]?.['time']).toBeInstanceOf(Date);
    const [first] = await asked(`SELECT count(*) AS n, typeof(any_value(risk)) AS risk, typeof(any_value("time")) AS at
      FROM read_csv('${join(results, 'fills.csv')}')`);
    expect(first).toMatchObject({ n: String(fills.length), risk: 'DOUBLE' });
  });

  it('of its journal agree with them, and with each other', async () => {
    const journal = join(results, 'pessimistic.ndjson');
    const [fills, orders, quotes] = [
      await exported(journal, 'fills'),
      await exported(journal, 'orders'),
      await exported(results, 'quotes'),
    ];
    const table = await exported(results, 'fills');
    const of = (rows: readonly Cells[], ...names: readonly string[]) =>
      rows.map((row) => names.map((name) => shown(row[name])).join(' ')).sort();
    expect(of(fills, 'tx', 'side', 'odds', 'risk', 'order')).toEqual(of(table, 'tx', 'side', 'odds', 'risk', 'order'));
    const sum = (rows: readonly Cells[], name: string) => rows.reduce((all, row) => all + Number(row[name] ?? 0), 0);
    expect(sum(orders, 'filled')).toBeCloseTo(sum(fills, 'risk'), 4);
    expect(quotes.length).toBe(orders.filter(({ fate }) => fate === 'accepted').length);
    expect(sum(quotes, 'filled')).toBeCloseTo(sum(fills, 'risk'), 4);
    for (const { rested_from, rested_to } of quotes)
      if (rested_to !== null) expect(Number(rested_to)).toBeGreaterThanOrEqual(Number(rested_from));
    expect(quotes[0]).toMatchObject({ scenario: 'pessimistic', run: 'backtest', strategy: 'main' });
    expect(new Set(orders.map(({ kind }) => kind))).toEqual(new Set(['place', 'edit']));
  });

  it('of a folder of journals are those of all runs', async () => {
    const at = folder();
    const name = (time: string) => join(at, `2026-03-0${time}T00-00-00-000Z-${time.repeat(8)}.ndjson`);
    const text = readFileSync(join(results, 'pessimistic.ndjson'));
    for (const time of ['1', '2']) writeFileSync(name(time), text);
    expect((await exported(at, 'orders')).length).toBe(2 * (await exported(name('1'), 'orders')).length);
  });
});

describe('marks and books', () => {
  it('of a tape are prices and levels, of a journal with what was held', async () => {
    const marks = await exported(tape, 'marks');
    expect(marks.length).toBeGreaterThan(100);
    for (const { fair, marked } of marks) {
      if (fair !== null) expect(Number(fair)).toBeLessThan(1);
      expect(marked).toBeNull();
    }
    const held = (await exported(results, 'marks')).filter(({ marked }) => marked !== null);
    expect(held.length).toBeGreaterThan(3);
    expect(held.some(({ position_first, position_second }) => position_first !== position_second)).toBe(true);
    expect(held[0]).toMatchObject({ scenario: 'pessimistic', run: 'backtest' });
    const own = await exported(join(results, 'pessimistic.ndjson'), 'books');
    expect(new Set(own.map(({ run: name }) => name))).toEqual(new Set(['backtest']));
    const books = await exported(tape, 'books', '--levels', '2');
    expect(new Set(books.map(({ level }) => Number(level)))).toEqual(new Set([1, 2]));
    const types = new Set(books.map(({ type, side }) => `${type as string} ${side as string}`));
    expect(types).toEqual(
      new Set(['moneyline home', 'moneyline away', 'spread home', 'spread away', 'total over', 'total under']),
    );
  });

  it('are the same in CSV', async () => {
    const out = join(folder(), 'marks.csv');
    await command(['export', tape, '--what', 'marks', '--format', 'csv', '--out', out]);
    const [row] = await asked(`SELECT count(*)::INT AS n, avg(fair) AS fair FROM read_csv('${out}')`);
    const marks = await exported(tape, 'marks');
    const prices = marks.flatMap(({ fair }) => (fair === null ? [] : [Number(fair)]));
    expect(row?.['n']).toBe(marks.length);
    expect(Number(row?.['fair'])).toBeCloseTo(prices.reduce((all, one) => all + one, 0) / prices.length, 9);
  });
});

describe('the queries of docs/export.md', () => {
  it('are answered by DuckDB', async () => {
    const at = folder();
    for (const what of ['fills', 'quotes', 'marks']) {
      const out = join(at, `${what}.parquet`);
      await command(['export', results, '--what', what, '--format', 'parquet', '--out', out]);
    }
    const queries = blocksOf(textOf('docs/export.md'), 'sql');
    expect(queries).toHaveLength(2);
    const answers: Cells[][] = [];
    for (const sql of queries) answers.push(await asked(sql.replaceAll("'data/", `'${at}/`)));
    expect(answers[0]?.map(({ backed }) => backed)).toEqual(['favourite', 'underdog']);
    const fills = await exported(results, 'fills');
    expect(answers[0]?.reduce((sum, row) => sum + Number(row['fills']), 0)).toBe(fills.length);
    expect(answers[1]?.length).toBeGreaterThan(1);
    for (const { quotes, spread, from_fair: distance } of answers[1] ?? []) {
      expect(Number(quotes)).toBeGreaterThan(0);
      expect(Number(spread)).toBeGreaterThan(0);
      // the strategy asks for 2 points less than its price
      expect(Math.abs(Number(distance) - 0.02)).toBeLessThan(0.01);
    }
  });
});

describe('what a source does not have', () => {
  it('is said, with what has it', async () => {
    const at = join(folder(), 'without');
    mkdirSync(at);
    for (const name of ['result.json', 'fills.csv']) writeFileSync(join(at, name), readFileSync(join(results, name)));
    const out = join(folder(), 'x.parquet');
    const flags = (what: string) => ['--what', what, '--format', 'parquet', '--out', out];
    for (const [source, what, problem] of [
      [tape, 'fills', /a tape has no fills of a bot/],
      [at, 'quotes', /no quotes.csv and no journal is there: run the backtest with --journal/],
      [at, 'books', /keeps no books unless it has a journal/],
      [join(at, 'gone'), 'fills', /no such file or folder/],
      [folder(), 'fills', /no tape in this folder/],
    ] as const) {
      const { code, stderr } = await command(['export', source, ...flags(what)]);
      expect([code, stderr]).toEqual([65, expect.stringMatching(problem)]);
    }
    const notes = join(at, 'notes.txt');
    writeFileSync(notes, 'Dear diary\n');
    const text = await command(['export', notes, ...flags('books')]);
    expect([text.code, text.stdout, existsSync(out)]).toEqual([65, '', false]);
    expect((await command(['export', tape, '--what', 'trades', '--format', 'csv', '--out', out])).code).toBe(2);
    const where = await command(['export', tape, '--what', 'books', '--format', 'csv', '--out', at]);
    expect([where.code, where.stderr]).toEqual([78, expect.stringMatching(/this is a folder/)]);
  });

  it('is an empty table where there could have been some', async () => {
    const at = join(folder(), 'none');
    mkdirSync(at);
    writeFileSync(join(at, 'result.json'), '{}');
    writeFileSync(join(at, 'fills.csv'), 'scenario,time,game,risk\n');
    const out = join(at, 'fills.parquet');
    const { code, stdout } = await command(['export', at, '--what', 'fills', '--format', 'parquet', '--out', out]);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^0 rows .* there are no fills/)]);
    expect(await asked(`SELECT count(*)::INT AS n FROM '${out}'`)).toEqual([{ n: 0 }]);
    expect(await asked(`DESCRIBE SELECT * FROM '${out}'`)).toMatchObject([
      { column_name: 'scenario', column_type: 'VARCHAR' },
      { column_name: 'time', column_type: 'TIMESTAMP' },
      { column_name: 'game', column_type: 'VARCHAR' },
      { column_name: 'risk', column_type: 'DOUBLE' },
    ]);
  });

  it('is read up to where it breaks off, and the others go on', async () => {
    const at = folder();
    const text = readFileSync(join(results, 'pessimistic.ndjson'));
    writeFileSync(join(at, '2026-03-01T00-00-00-000Z-11111111.ndjson'), text.subarray(0, text.length / 2));
    writeFileSync(join(at, '2026-03-02T00-00-00-000Z-22222222.ndjson'), 'Dear diary\n');
    writeFileSync(join(at, '2026-03-03T00-00-00-000Z-33333333.ndjson'), text);
    const out = join(at, 'orders.csv');
    const { code, stderr } = await command(['export', at, '--what', 'orders', '--format', 'csv', '--out', out]);
    expect(code).toBe(65);
    expect(stderr).toMatch(/11111111.ndjson: it breaks off behind record/);
    expect(stderr).toMatch(/22222222.ndjson/);
    const whole = (await exported(join(results, 'pessimistic.ndjson'), 'orders')).length;
    const rows = readFileSync(out, 'utf8').trim().split('\n').length - 1;
    expect(rows).toBeGreaterThan(whole);
  });
});
