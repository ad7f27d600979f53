// Writes a table as JSON lines: an object for each row, ISO times, null for missing cells.
import { isoTime } from '../domain/index.ts';
import type { Cell, Column, TableWriter } from './columns.ts';
import { lineTable } from './line-table.ts';

/**
 * Opens a file of JSON lines for writing. The file appears when `keep` is called.
 * @throws OddsmakerError OUT_UNWRITABLE
 */
export const jsonTable = (file: string, columns: readonly Column[]): TableWriter =>
  lineTable(file, '', (row) =>
    JSON.stringify(Object.fromEntries(columns.map(({ name, kind }, index) => [name, shown(kind, row[index])]))),
  );

function shown(kind: Column['kind'], cell: Cell): Cell {
  if (cell === undefined || cell === null || Number.isNaN(cell)) return null;
  return kind === 'time' ? isoTime(Number(cell)) : cell;
}
