// Tables from a backtest, its journal and its tape, read back by other programs: hyparquet, and DuckDB with
// the queries in docs/export.md.
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
  const directory = folder();
  tape = join(directory, 'made.ndjson.gz');
  results = join(directory, 'results');
  writeGeneratedTape(tape, 90);
  const config = writeConfig(`exchange: { embedded: {} }\n${STRATEGIES}${NO_JOURNAL}`);
  const flags = ['--fills', 'pessimistic', '--journal', '--orders', '--out', results];
  const { code, stderr } = await run(['backtest', config, '--tape', tape, ...flags]);
  expect(code, stderr).toBe(0);
});

async function exported(source: string, what: string, ...flags: readonly string[]): Promise<Cells[]> {
  const out = join(folder(), `${what}.parquet`);
  const ended = await command(['export', source, '--what', what, '--format', 'parquet', '--out', out, ...flags]);
  expect([ended.code, ended.stderr]).toEqual([0, '']);
  return parquetReadObjects({ file: await asyncBufferFromFile(out) });
}

/** A cell with the two decimals of the tables of a backtest. */
const shown = (cell: unknown): string => (typeof cell === 'number' ? cell.toFixed(2) : String(cell));

/** The rows of a query, with numbers as numbers. */
async function query(sql: string): Promise<Cells[]> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const reader = await connection.runAndReadAll(sql);
  const rows = reader.getRowObjectsJson() as Cells[];
  connection.closeSync();
  return rows;
}

describe('oddsmaker export of fills, orders and quotes', () => {
  it('writes the tables of a backtest with all their columns', async () => {
    const fills = await exported(results, 'fills');
    const [head = '', ...lines] = readFileSync(join(results, 'fills.csv'), 'utf8').trim().split('\n');
    expect(fills.length).toBe(lines.length);
    expect(fills.length).toBeGreaterThan(20);
    expect(Object.keys(fills[0] ?? {})).toEqual(head.split(','));
    expect(fills[0]?.['time']).toBeInstanceOf(Date);
    const [first] = await query(`SELECT count(*) AS n, typeof(any_value(risk)) AS risk, typeof(any_value("time")) AS at
      FROM read_csv('${join(results, 'fills.csv')}')`);
    expect(first).toMatchObject({ n: String(fills.length), risk: 'DOUBLE' });
  });

  it('writes tables of a journal that agree with the backtest and with each other', async () => {
    const journal = join(results, 'pessimistic.ndjson');
    const [fills, orders, quotes] = [
      await exported(journal, 'fills'),
      await exported(journal, 'orders'),
      await exported(results, 'quotes'),
    ];
    const table = await exported(results, 'fills');
    const rowTexts = (rows: readonly Cells[], ...names: readonly string[]) =>
      rows.map((row) => names.map((name) => shown(row[name])).join(' ')).sort();
    expect(rowTexts(fills, 'tx', 'side', 'odds', 'risk', 'order')).toEqual(
      rowTexts(table, 'tx', 'side', 'odds', 'risk', 'order'),
    );
    const sum = (rows: readonly Cells[], name: string) => rows.reduce((all, row) => all + Number(row[name] ?? 0), 0);
    expect(sum(orders, 'filled')).toBeCloseTo(sum(fills, 'risk'), 4);
    expect(quotes.length).toBe(orders.filter(({ fate }) => fate === 'accepted').length);
    expect(sum(quotes, 'filled')).toBeCloseTo(sum(fills, 'risk'), 4);
    for (const { rested_from, rested_to } of quotes)
      if (rested_to !== null) expect(Number(rested_to)).toBeGreaterThanOrEqual(Number(rested_from));
    expect(quotes[0]).toMatchObject({ scenario: 'pessimistic', run: 'backtest', strategy: 'main' });
    expect(new Set(orders.map(({ kind }) => kind))).toEqual(new Set(['place', 'edit']));
  });

  it('has the same columns and orders for a backtest without journals', async () => {
    const directory = folder();
    for (const name of ['result.json', 'fills.csv', 'orders.csv'])
      writeFileSync(join(directory, name), readFileSync(join(results, name)));
    const journal = join(results, 'pessimistic.ndjson');
    for (const what of ['fills', 'orders', 'quotes']) {
      const rows = await exported(directory, what);
      expect(rows.length).toBeGreaterThan(20);
      expect(Object.keys(rows[0] ?? {}), what).toEqual(Object.keys((await exported(journal, what))[0] ?? {}));
    }
    const byOrder = (rows: readonly Cells[]) =>
      new Map(
        rows.map((row) => [
          row['order'],
          [row['ended_as'], row['type'], row['line'], row['side'], row['odds'], shown(row['filled'])].map(String),
        ]),
      );
    expect(byOrder(await exported(directory, 'quotes'))).toEqual(byOrder(await exported(journal, 'quotes')));
  });

  it('writes the rows of all runs of a folder of journals', async () => {
    const directory = folder();
    const name = (time: string) => join(directory, `2026-03-0${time}T00-00-00-000Z-${time.repeat(8)}.ndjson`);
    const text = readFileSync(join(results, 'pessimistic.ndjson'));
    for (const time of ['1', '2']) writeFileSync(name(time), text);
    expect((await exported(directory, 'orders')).length).toBe(2 * (await exported(name('1'), 'orders')).length);
  });
});

describe('oddsmaker export of marks and books', () => {
  it('writes prices and levels of a tape, and positions as well of a journal', async () => {
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

  it('writes the same marks as CSV', async () => {
    const out = join(folder(), 'marks.csv');
    await command(['export', tape, '--what', 'marks', '--format', 'csv', '--out', out]);
    const [row] = await query(`SELECT count(*)::INT AS n, avg(fair) AS fair FROM read_csv('${out}')`);
    const marks = await exported(tape, 'marks');
    const prices = marks.flatMap(({ fair }) => (fair === null ? [] : [Number(fair)]));
    expect(row?.['n']).toBe(marks.length);
    expect(Number(row?.['fair'])).toBeCloseTo(prices.reduce((all, price) => all + price, 0) / prices.length, 9);
  });
});

describe('the queries in docs/export.md', () => {
  it('run in DuckDB', async () => {
    const directory = folder();
    for (const what of ['fills', 'quotes', 'marks']) {
      const out = join(directory, `${what}.parquet`);
      await command(['export', results, '--what', what, '--format', 'parquet', '--out', out]);
    }
    const queries = blocksOf(textOf('docs/export.md'), 'sql');
    expect(queries).toHaveLength(2);
    const answers: Cells[][] = [];
    for (const sql of queries) answers.push(await query(sql.replaceAll("'data/", `'${directory}/`)));
    expect(answers[0]?.map(({ backed }) => backed)).toEqual(['favourite', 'underdog']);
    const fills = await exported(results, 'fills');
    expect(answers[0]?.reduce((sum, row) => sum + Number(row['fills']), 0)).toBe(fills.length);
    expect(answers[1]?.length).toBeGreaterThan(1);
    for (const { quotes, spread, from_fair: distance } of answers[1] ?? []) {
      expect(Number(quotes)).toBeGreaterThan(0);
      expect(Number(spread)).toBeGreaterThan(0);
      // the strategy quotes 2 points below its price
      expect(Math.abs(Number(distance) - 0.02)).toBeLessThan(0.01);
    }
  });
});

describe('oddsmaker export of a source without the data', () => {
  it('says what is missing and which source has it', async () => {
    const directory = join(folder(), 'without');
    mkdirSync(directory);
    for (const name of ['result.json', 'fills.csv'])
      writeFileSync(join(directory, name), readFileSync(join(results, name)));
    const out = join(folder(), 'x.parquet');
    const flags = (what: string) => ['--what', what, '--format', 'parquet', '--out', out];
    for (const [source, what, problem] of [
      [tape, 'fills', /a tape has no fills of a bot/],
      [directory, 'quotes', /no quotes.csv and no journal is there: run the backtest with --journal/],
      [directory, 'books', /keeps no books unless it has a journal/],
      [join(directory, 'gone'), 'fills', /no such file or folder/],
      [folder(), 'fills', /no tape in this folder/],
    ] as const) {
      const { code, stderr } = await command(['export', source, ...flags(what)]);
      expect([code, stderr]).toEqual([65, expect.stringMatching(problem)]);
    }
    const notes = join(directory, 'notes.txt');
    writeFileSync(notes, 'Dear diary\n');
    const text = await command(['export', notes, ...flags('books')]);
    expect([text.code, text.stdout, existsSync(out)]).toEqual([65, '', false]);
    expect((await command(['export', tape, '--what', 'trades', '--format', 'csv', '--out', out])).code).toBe(2);
    const where = await command(['export', tape, '--what', 'books', '--format', 'csv', '--out', directory]);
    expect([where.code, where.stderr]).toEqual([78, expect.stringMatching(/this is a folder/)]);
  });

  it('writes an empty table when the source could have had rows', async () => {
    const directory = join(folder(), 'none');
    mkdirSync(directory);
    writeFileSync(join(directory, 'result.json'), '{}');
    writeFileSync(join(directory, 'fills.csv'), 'scenario,time,game,risk\n');
    const out = join(directory, 'fills.parquet');
    const { code, stdout } = await command([
      'export',
      directory,
      '--what',
      'fills',
      '--format',
      'parquet',
      '--out',
      out,
    ]);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^0 rows .* there are no fills/)]);
    expect(await query(`SELECT count(*)::INT AS n FROM '${out}'`)).toEqual([{ n: 0 }]);
    expect(await query(`DESCRIBE SELECT * FROM '${out}'`)).toMatchObject([
      { column_name: 'scenario', column_type: 'VARCHAR' },
      { column_name: 'time', column_type: 'TIMESTAMP' },
      { column_name: 'game', column_type: 'VARCHAR' },
      { column_name: 'risk', column_type: 'DOUBLE' },
    ]);
  });

  it('reads a torn journal up to where it breaks off, and continues with the others', async () => {
    const directory = folder();
    const text = readFileSync(join(results, 'pessimistic.ndjson'));
    writeFileSync(join(directory, '2026-03-01T00-00-00-000Z-11111111.ndjson'), text.subarray(0, text.length / 2));
    writeFileSync(join(directory, '2026-03-02T00-00-00-000Z-22222222.ndjson'), 'Dear diary\n');
    writeFileSync(join(directory, '2026-03-03T00-00-00-000Z-33333333.ndjson'), text);
    const out = join(directory, 'orders.csv');
    const { code, stderr } = await command(['export', directory, '--what', 'orders', '--format', 'csv', '--out', out]);
    expect(code).toBe(65);
    expect(stderr).toMatch(/11111111.ndjson: it breaks off behind record/);
    expect(stderr).toMatch(/22222222.ndjson/);
    const whole = (await exported(join(results, 'pessimistic.ndjson'), 'orders')).length;
    const rows = readFileSync(out, 'utf8').trim().split('\n').length - 1;
    expect(rows).toBeGreaterThan(whole);
  });
});
