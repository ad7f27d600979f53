// Reads CSV (RFC 4180) row by row. All rows must be as long as the first.
import { pipeline, Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { messageOf, OddsmakerError, printable, systemCodeOf } from '../domain/index.ts';
import { isId, textOfField } from './csv-cell.ts';
import { userChunks } from '../journal/index.ts';

const LONGEST_ROW = 1 << 20;

/**
 * Yields the row of column names, then each row with its texts decoded.
 * @throws OddsmakerError TABLE_INVALID, with file and line
 */
export async function* readCsv(file: string): AsyncGenerator<readonly string[], void, void> {
  const rows = parse({
    record_delimiter: ['\n', '\r\n'],
    skip_empty_lines: true,
    max_record_size: LONGEST_ROW,
  });
  // an error of the file or of the parser is thrown in the loop below
  pipeline(Readable.from(userChunks(file)), rows, () => undefined);
  let names: readonly string[] | undefined;
  try {
    for await (const row of rows as AsyncIterable<readonly string[]>) {
      yield names === undefined
        ? row
        : row.map((cell, index) => (isId(names?.[index] ?? '') ? cell : textOfField(cell)));
      names ??= row;
    }
  } catch (error) {
    if (error instanceof OddsmakerError) throw error;
    const line = error instanceof CsvError ? Number(error['lines']) : rows.info.lines;
    const problem = systemCodeOf(error) === 'ENOENT' ? 'there is no such file' : printable(messageOf(error));
    throw new OddsmakerError('TABLE_INVALID', `${file}:${line}: ${problem}`);
  }
}
