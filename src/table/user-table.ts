// Reads a table that another program or a person wrote: CSV with commas, semicolons or tabs, with or without a byte
// order mark, with either end of line. Empty rows and cells beyond the last column are skipped.
import { CsvError, parse } from 'csv-parse/sync';
import { messageOf, OddsmakerError, printable, systemCodeOf } from '../domain/index.ts';
import { userFileText } from '../journal/index.ts';

export type UserRow = {
  /** Its last line in the file, from 1. */
  readonly line: number;
  /** As many as there are columns, without blanks around them; empty where the row is shorter. */
  readonly cells: readonly string[];
};

export type UserTable = {
  readonly columns: readonly string[];
  readonly rows: readonly UserRow[];
};

const DELIMITERS = [',', ';', '\t'] as const;

/** @throws OddsmakerError TABLE_INVALID, with the file, and the line where there is one */
export async function readUserTable(file: string): Promise<UserTable> {
  const fail = (where: string, problem: string): OddsmakerError =>
    new OddsmakerError('TABLE_INVALID', `${file}${where}: ${problem}`);
  let text: string;
  try {
    text = await userFileText(file);
  } catch (error) {
    const code = systemCodeOf(error);
    const known = code === 'ENOENT' ? 'there is no such file' : code === 'EISDIR' ? 'it is a folder' : undefined;
    throw fail('', known ?? printable(messageOf(error)));
  }
  const [head = ''] = text.split(/\r?\n/, 1);
  try {
    const read = parse(text, {
      delimiter: delimiterOf(head),
      record_delimiter: ['\n', '\r\n', '\r'],
      relax_column_count: true,
      skip_empty_lines: true,
      trim: true,
      info: true,
    }) as unknown as readonly { readonly record: readonly string[]; readonly info: { readonly lines: number } }[];
    const [first, ...others] = read;
    if (first === undefined) throw fail('', 'it is empty');
    const columns = first.record.map((name) => name.trim());
    const rows = others.flatMap(({ record, info: { lines } }): readonly UserRow[] => {
      if (record.every((cell) => cell === '')) return [];
      return [{ line: lines, cells: columns.map((_, index) => record[index] ?? '') }];
    });
    if (rows.length === 0) throw fail('', 'it has columns, and no rows');
    return { columns, rows };
  } catch (error) {
    if (error instanceof OddsmakerError) throw error;
    const line = error instanceof CsvError ? `:${Number(error['lines'])}` : '';
    throw fail(line, printable(messageOf(error)));
  }
}

/** The delimiter that the first row has most of, outside quotes. */
function delimiterOf(head: string): string {
  const bare = head.replace(/"[^"]*"/g, '');
  const count = (delimiter: string): number => bare.split(delimiter).length;
  return [...DELIMITERS].sort((a, b) => count(b) - count(a))[0] ?? ',';
}
