// Writes a table as CSV (RFC 4180): ISO times, empty missing cells, and no text that a spreadsheet would run
// as a formula.
import { closeSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { isoTime, messageOf, OddsmakerError } from '../domain/index.ts';
import { dropAtExit } from '../files/index.ts';
import { isId, plainField, textField } from './csv-cell.ts';
import type { Cell, Column, Row, TableWriter } from './columns.ts';

const CHUNK = 1 << 20;

/**
 * Opens a CSV file for writing. The file appears when `keep` is called.
 * @throws OddsmakerError OUT_UNWRITABLE
 */
export function csvTable(file: string, columns: readonly Column[]): TableWriter {
  const draft = `${file}.${process.pid}.draft`;
  const attempt = <T>(action: () => T): T => {
    try {
      return action();
    } catch (error) {
      throw new OddsmakerError('OUT_UNWRITABLE', `${file}: it cannot be written: ${messageOf(error)}`);
    }
  };
  const fd = attempt(() => openSync(draft, 'w'));
  let text = `${columns.map(({ name }) => plainField(name)).join(',')}\n`;
  let rows = 0;
  let isOpen = true;
  const forget = dropAtExit(() => rmSync(draft, { force: true }));
  const close = (): void => {
    if (isOpen) closeSync(fd);
    forget();
    isOpen = false;
  };
  const push = (): void => {
    const bytes = Buffer.from(text);
    text = '';
    attempt(() => {
      for (let offset = 0; offset < bytes.length; offset += writeSync(fd, bytes, offset));
    });
  };
  const drop = (): void => {
    if (!isOpen) return;
    close();
    rmSync(draft, { force: true });
  };
  return {
    write: (row: Row) => {
      text += `${columns.map((column, index) => shown(column, row[index])).join(',')}\n`;
      rows += 1;
      if (text.length >= CHUNK) push();
      return undefined;
    },
    keep: async () => {
      push();
      close();
      attempt(() => renameSync(draft, file));
      return rows;
    },
    drop,
  };
}

function shown({ name, kind }: Column, cell: Cell): string {
  if (cell === undefined || cell === null) return '';
  if (kind === 'time') return isoTime(Number(cell));
  if (kind !== 'text') return String(cell);
  return (isId(name) ? plainField : textField)(String(cell));
}
