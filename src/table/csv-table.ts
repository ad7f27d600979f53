// Writes a table as CSV (RFC 4180): ISO times, empty missing cells, and no text that a spreadsheet would run
// as a formula.
import { isoTime } from '../domain/index.ts';
import { isId, plainField, textField } from './csv-cell.ts';
import type { Cell, Column, TableWriter } from './columns.ts';
import { lineTable } from './line-table.ts';

/**
 * Opens a CSV file for writing. The file appears when `keep` is called.
 * @throws OddsmakerError OUT_UNWRITABLE
 */
export const csvTable = (file: string, columns: readonly Column[]): TableWriter =>
  lineTable(file, `${columns.map(({ name }) => plainField(name)).join(',')}\n`, (row) =>
    columns.map((column, index) => shown(column, row[index])).join(','),
  );

function shown({ name, kind }: Column, cell: Cell): string {
  if (cell === undefined || cell === null) return '';
  if (kind === 'time') return isoTime(Number(cell));
  if (kind !== 'text') return String(cell);
  return (isId(name) ? plainField : textField)(String(cell));
}
