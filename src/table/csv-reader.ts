// Reads CSV (RFC 4180) row by row: fields in quotes may hold commas, quotes and line ends.
import { messageOf, OddsmakerError, systemCodeOf } from '../domain/index.ts';
import { isId, textOfField } from './csv-cell.ts';
import { userChunks } from '../journal/index.ts';

const LONGEST_FIELD = 1 << 20;

/** The row of names, then each row, its text as it was before it was written. @throws OddsmakerError TABLE_INVALID, with file and line */
export async function* readCsv(file: string): AsyncGenerator<readonly string[], void, void> {
  let names: readonly string[] | undefined;
  for await (const row of rowsOf(file)) {
    yield names === undefined ? row : row.map((cell, index) => (isId(names?.[index] ?? '') ? cell : textOfField(cell)));
    names ??= row;
  }
}

async function* rowsOf(file: string): AsyncGenerator<readonly string[], void, void> {
  let row: string[] = [];
  let cell = '';
  let line = 1;
  let state: 'plain' | 'quoted' | 'closed' = 'plain';
  const fail = (problem: string): OddsmakerError => new OddsmakerError('TABLE_INVALID', `${file}:${line}: ${problem}`);
  try {
    for await (const chunk of pieces(file)) {
      for (const char of chunk) {
        if (char === '\n') line += 1;
        if (state === 'quoted') {
          if (char === '"') state = 'closed';
          else cell += char;
          if (cell.length > LONGEST_FIELD) throw fail('a field without an end');
        } else if (char === '"' && (state === 'closed' || cell === '')) {
          if (state === 'closed') cell += '"';
          state = 'quoted';
        } else if (char === ',') {
          row.push(cell);
          cell = '';
          state = 'plain';
        } else if (char === '\n') {
          row.push(cell);
          if (row.length > 1 || row[0] !== '') yield row;
          row = [];
          cell = '';
          state = 'plain';
        } else if (char !== '\r') cell += char;
      }
    }
  } catch (error) {
    if (error instanceof OddsmakerError) throw error;
    throw fail(systemCodeOf(error) === 'ENOENT' ? 'there is no such file' : messageOf(error));
  }
  if (state === 'quoted') throw fail('the file ends within a field');
  if (row.length > 0 || cell !== '') yield [...row, cell];
}

/** The text of the file; a character may lie in two chunks. */
async function* pieces(file: string): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for await (const chunk of userChunks(file)) yield decoder.decode(chunk, { stream: true });
  yield decoder.decode();
}
