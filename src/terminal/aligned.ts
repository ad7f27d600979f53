// Formats aligned tables for the terminal.
import { printable } from '../domain/index.ts';

/** Returns the rows as lines, with the first column aligned left and the others right. */
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
