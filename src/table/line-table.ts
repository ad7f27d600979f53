// Writes a table of lines into a file, which appears when it is complete.
import { closeSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { messageOf, OddsmakerError } from '../domain/index.ts';
import { dropAtExit } from '../files/index.ts';
import type { Row, TableWriter } from './columns.ts';

const CHUNK = 1 << 20;

/**
 * Opens a file for writing. It appears when `keep` is called.
 * @param head the first line, with its end; empty for none
 * @param lineOf the line of a row, without its end
 * @throws OddsmakerError OUT_UNWRITABLE
 */
export function lineTable(file: string, head: string, lineOf: (row: Row) => string): TableWriter {
  const draft = `${file}.${process.pid}.draft`;
  const attempt = <T>(action: () => T): T => {
    try {
      return action();
    } catch (error) {
      throw new OddsmakerError('OUT_UNWRITABLE', `${file}: it cannot be written: ${messageOf(error)}`);
    }
  };
  const fd = attempt(() => openSync(draft, 'w'));
  let text = head;
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
      text += `${lineOf(row)}\n`;
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
