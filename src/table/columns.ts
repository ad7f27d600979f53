// The columns and cells of tables for analysis, the same for CSV and Parquet.

/**
 * The type of a column. `time`: Unix ms; `flag`: true or false; `text`: a few distinct texts, stored once
 * each.
 */
export type ColumnKind = 'time' | 'number' | 'integer' | 'text' | 'flag';
export type Column = { readonly name: string; readonly kind: ColumnKind };
/** A value of a table. Undefined or null when the value is unknown or does not exist. */
export type Cell = number | string | boolean | null | undefined;
export type Row = readonly Cell[];

/** Writes a table row by row. Its memory is bounded, however many rows it writes. */
export type TableWriter = {
  /**
   * Writes a row. Returns a promise when the caller should wait for the disk.
   * @throws OddsmakerError OUT_UNWRITABLE
   */
  readonly write: (row: Row) => Promise<void> | undefined;
  /**
   * Finishes the file under its final name and returns the number of rows.
   * @throws OddsmakerError OUT_UNWRITABLE
   */
  readonly keep: () => Promise<number>;
  /** Deletes the unfinished file. */
  readonly drop: () => void;
};
