// A table of CSV with the types of its columns, which are told by what is in them: read once for the types, once for the rows.
// What names things is text, also where it looks like a number.
import { OddsmakerError, parseTime } from '../domain/index.ts';
import type { Cell, Column, ColumnKind, Row } from './columns.ts';
import { readCsv } from './csv-reader.ts';

/** Names of things. */
const TEXT = new Set([
  ...['scenario', 'run', 'game', 'event', 'league', 'market', 'side', 'strategy', 'order', 'tx', 'ref', 'key'],
  ...['type', 'cause', 'reason', 'role', 'id', 'said', 'sport'],
]);
const isText = (name: string): boolean => TEXT.has(name) || /(?:^|_)(?:id|ref|as)$/.test(name);

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/;
const NUMBER = /^-?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

/** @throws OddsmakerError TABLE_INVALID */
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
const common = (one: ColumnKind | undefined, two: ColumnKind): ColumnKind =>
  one === undefined || one === two ? two : 'text';
/** Of a column without anything in it: what such columns hold elsewhere. */
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
