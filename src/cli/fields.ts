// Reads the answers of a running bot, which may be of another version: each field is checked before use.
import { moneyText } from '../domain/index.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** The text of a field; `–` where it has none. */
export const text = (value: unknown): string => (typeof value === 'string' ? value : '–');
export const listOf = (value: unknown): readonly Fields[] => (Array.isArray(value) ? (value as readonly Fields[]) : []);
export const partOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {};
export const signed = (value: unknown): string => (typeof value === 'number' ? moneyText(value) : '–');

/** Rows with a title each, in columns of equal width. */
export function columnsText(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = titles.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  return [titles, ...rows]
    .map(
      (row) =>
        row
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join('  ')
          .trimEnd() + '\n',
    )
    .join('');
}

/** The rows that have a text in one of these fields, in any case. */
export const like = (rows: unknown, part: string, names: readonly string[]): readonly Fields[] =>
  listOf(rows).filter((row) =>
    names
      .map((name) => text(row[name]))
      .join(' ')
      .toLowerCase()
      .includes(part.toLowerCase()),
  );
