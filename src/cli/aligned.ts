/** The first column to the left, the others to the right. */
export function aligned(rows: readonly (readonly string[])[], gap = '   '): readonly string[] {
  const widths =
    rows[0]?.map((_cell, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return rows.map((row) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join(gap)
      .trimEnd(),
  );
}
