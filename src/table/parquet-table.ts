// Writes a table as Parquet: row groups of bounded size, times as millisecond timestamps, dictionary-encoded
// text, null for missing cells. A table without rows becomes a file with its schema alone.
import { closeSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import type { SchemaElement, Writer } from 'hyparquet-writer';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { messageOf, OddsmakerError } from '../domain/index.ts';
import { dropAtExit } from '../files/index.ts';
import type { Cell, Column, Row, TableWriter } from './columns.ts';

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
  const draft = `${file}.${process.pid}.draft`;
  const failed = (error: unknown): OddsmakerError =>
    new OddsmakerError('OUT_UNWRITABLE', `${file}: it cannot be written: ${messageOf(error)}`);
  let fd: number;
  try {
    fd = openSync(draft, 'w');
  } catch (error) {
    throw failed(error);
  }
  let isOpen = true;
  const forget = dropAtExit(() => rmSync(draft, { force: true }));
  const close = (): void => {
    if (isOpen) closeSync(fd);
    forget();
    isOpen = false;
  };
  const drop = (): void => {
    if (!isOpen) return;
    close();
    rmSync(draft, { force: true });
  };
  const parquet = new ParquetWriter({
    writer: writerTo(fd),
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
      drop();
      throw failed(error);
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
        close();
        renameSync(draft, file);
      } catch (error) {
        drop();
        rmSync(draft, { force: true });
        throw failed(error);
      }
      return rows;
    },
    drop,
  };
}

function valueOf(kind: Column['kind'], cell: Cell): unknown {
  if (cell === undefined || cell === null || cell === '') return null;
  if (kind === 'time') return new Date(Number(cell));
  if (kind === 'integer') return BigInt(Math.round(Number(cell)));
  return kind === 'number' ? Number(cell) : kind === 'text' ? String(cell) : cell;
}

/** Makes a writer that flushes to disk when a row group is complete. @throws the error of the file system */
function writerTo(fd: number): Writer {
  const writer = new ByteWriter();
  const push = (): void => {
    const bytes = new Uint8Array(writer.buffer, 0, writer.index);
    for (let offset = 0; offset < bytes.length; offset += writeSync(fd, bytes, offset));
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
