// Tables for people.
import { printable } from '../domain/index.ts';

/** The first column to the left, the others to the right. */
export function aligned(rows: readonly (readonly string[])[], gap = '   '): readonly string[] {
  const shown = rows.map((row) => row.map(printable));
  const widths = shown[0]?.map((_cell, column) => Math.max(...shown.map((row) => row[column]?.length ?? 0))) ?? [];
  return shown.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join(gap)
      .trimEnd(),
  );
}
