// Finds the columns of a table by their names. Each program names them in its own way: the usual names are known, `--map`
// names any other.
import { didYouMean, OddsmakerError } from '../domain/index.ts';
import { wordsOf } from '../signals/index.ts';

/** Usual names of the column of each field, in lower case without punctuation. */
export type ColumnNames<Field extends string> = Readonly<Record<Field, readonly string[]>>;
/** Index of the column of each field that the table has. */
export type Columns<Field extends string> = Readonly<Partial<Record<Field, number>>>;

/** An error of a table. */
export const tableError = (file: string, problem: string): OddsmakerError =>
  new OddsmakerError('TABLE_INVALID', `${file}: ${problem}`);

/**
 * @param map columns by field, as `--map` gives them
 * @throws OddsmakerError TABLE_INVALID: a field or a column that does not exist
 */
export function columnsOf<Field extends string>(
  names: ColumnNames<Field>,
  columns: readonly string[],
  map: Readonly<Record<string, string>>,
  file: string,
): Columns<Field> {
  const fields: Field[] = [];
  for (const field in names) fields.push(field);
  const plain = columns.map(wordsOf);
  const found: Partial<Record<Field, number>> = {};
  const taken = new Set<number>();
  for (const [name, column] of Object.entries(map)) {
    const field = fields.find((known) => known === name);
    if (field === undefined)
      throw tableError(
        file,
        `--map ${name}=${column}: it is no field${didYouMean(name, fields)}; fields: ${fields.join(', ')}`,
      );
    const exact = columns.indexOf(column);
    const index = exact >= 0 ? exact : plain.indexOf(wordsOf(column));
    if (index < 0)
      throw tableError(
        file,
        `--map ${name}=${column}: there is no such column${didYouMean(column, columns)}; columns: ${columns.join(', ')}`,
      );
    found[field] = index;
    taken.add(index);
  }
  for (const field of fields) {
    if (found[field] !== undefined) continue;
    const index = names[field].map((name) => plain.indexOf(name)).find((place) => place >= 0 && !taken.has(place));
    if (index === undefined) continue;
    if (plain.includes(plain[index] ?? '', index + 1))
      throw tableError(
        file,
        `two columns are named ${JSON.stringify(columns[index])}: rename one, or name another with --map ${field}=COLUMN`,
      );
    found[field] = index;
    taken.add(index);
  }
  return found;
}

/** @throws OddsmakerError TABLE_INVALID: some columns are missing */
export function requireColumns(missing: readonly string[], columns: readonly string[], file: string): void {
  if (missing.length === 0) return;
  throw tableError(
    file,
    `no column for ${missing.join('; ')}: name it with --map ${(missing[0] ?? '').split(',')[0] ?? ''}=COLUMN; columns: ${columns.join(', ')}`,
  );
}
