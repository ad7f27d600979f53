// Exports the events of journals as table rows: what happened, said once.
import type { RunEvent } from '../domain/index.ts';
import { headerOf } from '../journal/index.ts';
import { readEvents } from '../run/index.ts';
import type { Column, Row } from '../table/index.ts';
import { ORIGIN } from './export-books.ts';

export const EVENT_COLUMNS: readonly Column[] = [
  ...ORIGIN,
  { name: 'time', kind: 'time' },
  { name: 'seq', kind: 'integer' },
  { name: 'type', kind: 'text' },
  { name: 'fields', kind: 'text' },
];

/**
 * Reads the events of a journal. `fields` of a row is JSON, money in it as stored: micro-dollars, stakes of own orders in
 * cents.
 * @returns why the journal cannot be read to its end. Undefined: it was
 * @throws OddsmakerError when it cannot be read at all, and what `write` throws
 */
export async function writeEvents(
  journal: string,
  scenario: string,
  run: string | undefined,
  write: (row: Row) => void,
): Promise<string | undefined> {
  const header = await headerOf(journal);
  const { tear, invalid, difference } = await readEvents(journal, header, 'exporting', ({ seq, t }, events) => {
    for (const event of events) write([scenario, run, t, seq, event.type, fieldsOf(event)]);
  });
  return invalid ?? difference ?? (tear === undefined ? undefined : 'it breaks off');
}

function fieldsOf({ type: _type, ...fields }: RunEvent): string {
  return JSON.stringify(fields);
}
