// Writes a table as Parquet: row groups of bounded size, times as millisecond timestamps, dictionary-encoded
// text, null for missing cells. A table without rows becomes a file with its schema alone.
import type { SchemaElement, Writer } from 'hyparquet-writer';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import type { Cell, Column, Row, TableWriter } from './columns.ts';
import type { DraftFile } from './draft-file.ts';
import { openDraft } from './draft-file.ts';

const ROWS_IN_GROUP = 50_000;

const TYPES: Readonly<Record<Column['kind'], Partial<SchemaElement>>> = {
  time: { type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' },
  number: { type: 'DOUBLE' },
  integer: { type: 'INT64' },
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  flag: { type: 'BOOLEAN' },
};

/**
 * Opens a Parquet file for writing. The file appears when `keep` is called.
 * @throws OddsmakerError OUT_UNWRITABLE
 */
export function parquetTable(file: string, columns: readonly Column[]): TableWriter {
  const draft = openDraft(file);
  const parquet = new ParquetWriter({
    writer: writerTo(draft),
    schema: [
      { name: 'root', num_children: columns.length },
      ...columns.map(({ name, kind }): SchemaElement => ({
        name,
        repetition_type: 'OPTIONAL',
        ...TYPES[kind],
      })),
    ],
    createdBy: 'oddsmaker',
  });
  let data: unknown[][] = columns.map(() => []);
  let held = 0;
  let rows = 0;
  const flush = (): void => {
    if (held === 0) return;
    try {
      void parquet.write({
        columnData: columns.map(({ name }, index) => ({ name, data: data[index] ?? [] })),
        rowGroupSize: held,
      });
    } catch (error) {
      draft.drop();
      throw draft.failed(error);
    }
    data = columns.map(() => []);
    held = 0;
  };
  return {
    write: (row: Row) => {
      columns.forEach(({ kind }, index) => data[index]?.push(valueOf(kind, row[index])));
      held += 1;
      rows += 1;
      if (held >= ROWS_IN_GROUP) flush();
      return undefined;
    },
    keep: async () => {
      flush();
      try {
        await parquet.finish();
      } catch (error) {
        draft.drop();
        throw draft.failed(error);
      }
      draft.keep();
      return rows;
    },
    drop: draft.drop,
  };
}

function valueOf(kind: Column['kind'], cell: Cell): unknown {
  if (cell === undefined || cell === null || cell === '') return null;
  if (kind === 'time') return new Date(Number(cell));
  if (kind === 'integer') return BigInt(Math.round(Number(cell)));
  return kind === 'number' ? Number(cell) : kind === 'text' ? String(cell) : cell;
}

/** Makes a writer that flushes to disk when a row group is complete. */
function writerTo(draft: DraftFile): Writer {
  const writer = new ByteWriter();
  const push = (): void => {
    draft.push(new Uint8Array(writer.buffer, 0, writer.index));
    writer.index = 0;
  };
  const ensure = writer.ensure.bind(writer);
  writer.ensure = (size) => {
    if (writer.index > PUSH_AT) push();
    ensure(size);
  };
  writer.finish = push;
  return writer;
}

const PUSH_AT = 1 << 20;
