// Reads a CSV table and infers the types of its columns from their cells: one pass for the types, one for the
// rows. Columns that name things are text, even where the names look like numbers.
import { OddsmakerError, parseTime } from '../domain/index.ts';
import type { Cell, Column, ColumnKind, Row } from './columns.ts';
import { readCsv } from './csv-reader.ts';

/** Columns that name things. */
const TEXT = new Set([
  ...['scenario', 'run', 'game', 'event', 'league', 'market', 'side', 'strategy', 'order', 'tx', 'ref', 'key'],
  ...['type', 'cause', 'reason', 'role', 'id', 'said', 'sport', 'period', 'name'],
]);
const isText = (name: string): boolean => TEXT.has(name) || /(?:^|_)(?:id|ref|as)$/.test(name);

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/;
const NUMBER = /^-?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

/**
 * Infers the columns of a CSV file. `rows` reads the file again and yields its rows.
 * @throws OddsmakerError TABLE_INVALID
 */
export async function typedCsv(
  file: string,
): Promise<{ readonly columns: readonly Column[]; readonly rows: () => AsyncGenerator<Row, void, void> }> {
  let names: readonly string[] | undefined;
  const kinds: (ColumnKind | undefined)[] = [];
  for await (const row of readCsv(file)) {
    if (names === undefined) {
      names = row;
      if (new Set(names).size < names.length)
        throw new OddsmakerError('TABLE_INVALID', `${file}:1: two columns have one name`);
      continue;
    }
    row.forEach((cell, index) => {
      if (cell !== '') kinds[index] = common(kinds[index], kindOf(cell));
    });
  }
  if (names === undefined) throw new OddsmakerError('TABLE_INVALID', `${file}:1: the file is empty`);
  const columns = names.map((name, index): Column => {
    const kind = isText(name) ? 'text' : (kinds[index] ?? emptyKind(name));
    return { name, kind };
  });
  return { columns, rows: () => rowsOf(file, columns) };
}

const kindOf = (cell: string): ColumnKind =>
  ISO.test(cell) && parseTime(cell) !== undefined
    ? 'time'
    : NUMBER.test(cell)
      ? 'number'
      : cell === 'true' || cell === 'false'
        ? 'flag'
        : 'text';
const common = (first: ColumnKind | undefined, second: ColumnKind): ColumnKind =>
  first === undefined || first === second ? second : 'text';
/** Guesses the type of an empty column from its name. */
const emptyKind = (name: string): ColumnKind => (/(?:^|_)(?:time|at|from|to)$/.test(name) ? 'time' : 'number');

async function* rowsOf(file: string, columns: readonly Column[]): AsyncGenerator<Row, void, void> {
  let isHead = true;
  for await (const row of readCsv(file)) {
    if (!isHead) yield row.map((cell, index) => valueOf(columns[index]?.kind ?? 'text', cell));
    isHead = false;
  }
}

function valueOf(kind: ColumnKind, cell: string): Cell {
  if (cell === '') return undefined;
  if (kind === 'time') return parseTime(cell);
  return kind === 'number' ? Number(cell) : kind === 'flag' ? cell === 'true' : cell;
}
