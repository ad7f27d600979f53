// Writes a table of lines into a file, which appears when it is complete.
import type { Row, TableWriter } from './columns.ts';
import { openDraft } from './draft-file.ts';

const CHUNK = 1 << 20;

/**
 * Opens a file for writing. It appears when `keep` is called.
 * @param head the first line, with its end; empty for none
 * @param lineOf the line of a row, without its end
 * @throws OddsmakerError OUT_UNWRITABLE
 */
export function lineTable(file: string, head: string, lineOf: (row: Row) => string): TableWriter {
  const draft = openDraft(file);
  let text = head;
  let rows = 0;
  const push = (): void => {
    draft.push(Buffer.from(text));
    text = '';
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
      draft.keep();
      return rows;
    },
    drop: draft.drop,
  };
}
