import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csvOf } from '../../src/backtest/csv.ts';
import type { Column, Row } from '../../src/table/columns.ts';
import { csvTable } from '../../src/table/csv-table.ts';
import { readCsv } from '../../src/table/csv-reader.ts';
import { parquetTable } from '../../src/table/parquet-table.ts';
import { typedCsv } from '../../src/table/typed-csv.ts';
import { folder } from '../support/children.ts';

const COLUMNS: readonly Column[] = [
  { name: 'time', kind: 'time' },
  { name: 'event', kind: 'text' },
  { name: 'risk', kind: 'number' },
  { name: 'orders', kind: 'integer' },
  { name: 'live', kind: 'flag' },
];
const T = Date.parse('2026-03-01T18:00:00.123Z');
const ROWS: readonly Row[] = [
  [T, 'Ash "Foxes", @ Birch', 12.5, 3, true],
  [T + 1, '=HYPERLINK("x")', 0.1 + 0.2, 2 ** 40, false],
  [undefined, undefined, null, undefined, undefined],
];

const fileOf = (name: string, text: string): string => {
  const file = join(folder(), name);
  writeFileSync(file, text);
  return file;
};
async function all<T>(rows: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const row of rows) found.push(row);
  return found;
}

describe('a Parquet table', () => {
  it('has the given column types, row groups of bounded size, and nulls', async () => {
    const file = join(folder(), 'a.parquet');
    const table = parquetTable(file, COLUMNS);
    for (let count = 0; count < 40_000; count++) for (const row of ROWS) void table.write(row);
    expect(existsSync(file)).toBe(false);
    expect(await table.keep()).toBe(120_000);
    const buffer = await asyncBufferFromFile(file);
    const { row_groups, schema } = await parquetMetadataAsync(buffer);
    expect(row_groups.map(({ num_rows }) => Number(num_rows))).toEqual([50_000, 50_000, 20_000]);
    expect(schema.slice(1).map(({ type, converted_type }) => [type, converted_type])).toEqual([
      ['INT64', 'TIMESTAMP_MILLIS'],
      ['BYTE_ARRAY', 'UTF8'],
      ['DOUBLE', undefined],
      ['INT64', undefined],
      ['BOOLEAN', undefined],
    ]);
    const encodings = row_groups[0]?.columns[1]?.meta_data?.encodings;
    expect(encodings).toContain('RLE_DICTIONARY');
    const rows = (await parquetReadObjects({ file: buffer, rowEnd: 3 })) as Record<string, unknown>[];
    expect(rows.map((row) => Object.values(row))).toEqual([
      [new Date(T), 'Ash "Foxes", @ Birch', 12.5, 3n, true],
      [new Date(T + 1), '=HYPERLINK("x")', 0.1 + 0.2, BigInt(2 ** 40), false],
      [null, null, null, null, null],
    ]);
  });

  it('without rows has its columns', async () => {
    const file = join(folder(), 'empty.parquet');
    expect(await parquetTable(file, COLUMNS).keep()).toBe(0);
    const buffer = await asyncBufferFromFile(file);
    const { num_rows, schema } = await parquetMetadataAsync(buffer);
    expect([Number(num_rows), schema.slice(1).map(({ name }) => name)]).toEqual([0, COLUMNS.map(({ name }) => name)]);
    expect(await parquetReadObjects({ file: buffer })).toEqual([]);
  });

  it('leaves no file when it is dropped, and fails to open without its folder', () => {
    const home = folder();
    const table = parquetTable(join(home, 'a.parquet'), COLUMNS);
    void table.write(ROWS[0] ?? []);
    table.drop();
    expect(readdirSync(home)).toEqual([]);
    for (const make of [parquetTable, csvTable])
      expect(() => make(join(home, 'none/a.csv'), COLUMNS)).toThrow(
        expect.objectContaining({ code: 'OUT_UNWRITABLE' }),
      );
  });
});

describe('a CSV table', () => {
  it('is read back as it was written, and its text cells are no formulas', async () => {
    const file = join(folder(), 'a.csv');
    const table = csvTable(file, COLUMNS);
    for (const row of ROWS) void table.write(row);
    expect(await table.keep()).toBe(3);
    expect(readFileSync(file, 'utf8').split('\n')[1]).toBe(
      '2026-03-01T18:00:00.123Z,"Ash ""Foxes"", @ Birch",12.5,3,true',
    );
    expect(readFileSync(file, 'utf8').split('\n')[2]).toContain(`,"'=HYPERLINK(""x"")",`);
    const [, , formula] = await all(readCsv(file));
    expect(formula?.[1]).toBe('=HYPERLINK("x")');
    const { columns, rows } = await typedCsv(file);
    expect(columns.map(({ kind }) => kind)).toEqual(['time', 'text', 'number', 'number', 'flag']);
    expect((await all(rows()))[0]).toEqual([T, 'Ash "Foxes", @ Birch', 12.5, 3, true]);
  });

  it('returns any text and id as they were, and no line of the file begins like a formula', async () => {
    const begins = fc.constantFrom('=', '+', '-', '@', '\t', '\r', "'", "'=", "''-", '', 'a', '"', '\n', ',');
    const texts = fc.array(
      fc.tuple(begins, fc.string()).map((parts) => parts.join('')),
      { minLength: 1 },
    );
    const columns: readonly Column[] = [
      { name: 'reason', kind: 'text' },
      { name: 'order_id', kind: 'text' },
      { name: 'profit', kind: 'number' },
    ];
    await fc.assert(
      fc.asyncProperty(texts, async (reasons) => {
        const file = join(folder(), 'a.csv');
        const table = csvTable(file, columns);
        for (const reason of reasons) void table.write([reason, reason, -1.5]);
        await table.keep();
        const [, ...rows] = await all(readCsv(file));
        expect(rows).toEqual(reasons.map((reason) => [reason, reason, '-1.5']));
        const made = csvOf(
          ['reason', 'order', 'profit'],
          reasons.map((reason) => [reason, reason, '-1.50']),
        );
        const again = fileOf('b.csv', made);
        expect((await all(readCsv(again))).slice(1)).toEqual(reasons.map((reason) => [reason, reason, '-1.50']));
        if (reasons.every((reason) => !/[\r\n]/.test(reason)))
          for (const line of readFileSync(file, 'utf8').split('\n').slice(1)) expect(line).not.toMatch(/^"?[=+\-@\t]/);
      }),
      { numRuns: 50 },
    );
  });

  it('keeps ids and unknown columns as text when they look like numbers', async () => {
    const file = fileOf('fills.csv', 'time,tx,markout_1s,novel,empty\n2026-03-01T18:00:00Z,123,-1.5,x,\n,124,,7,\n');
    const { columns } = await typedCsv(file);
    expect(columns.map(({ name, kind }) => `${name} ${kind}`)).toEqual([
      ...['time time', 'tx text', 'markout_1s number', 'novel text', 'empty number'],
    ]);
  });

  it.each([
    ['that is not there', undefined, /no such file/],
    ['that is empty', '', /:1: the file is empty/],
    ['with a short row', 'a,b\n1,2\n3\n', /:3: Invalid Record Length: expect 2, got 1/],
    ['that ends within a field', 'a,b\n1,"2', /:2: Quote Not Closed/],
    ['with text behind a quote', 'a,b\n1,"2"\u001b[31m\n', /:2: Invalid Closing Quote: got "\ufffd"/],
    ['with two columns of one name', 'a,a\n', /two columns have one name/],
  ])('is refused when it is one %s', async (_name, text, problem) => {
    const file = text === undefined ? join(folder(), 'gone.csv') : fileOf('a.csv', text);
    await expect(typedCsv(file)).rejects.toMatchObject({
      code: 'TABLE_INVALID',
      message: expect.stringMatching(problem) as string,
    });
  });
});
