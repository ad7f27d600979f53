// Tables for analysis: what columns they have, and what a cell may be. The same in every format.

/** `time`: Unix ms; `flag`: true or false; `text`: few different ones, kept once. */
export type ColumnKind = 'time' | 'number' | 'integer' | 'text' | 'flag';
export type Column = { readonly name: string; readonly kind: ColumnKind };
/** Undefined or null: not known, or there is none. */
export type Cell = number | string | boolean | null | undefined;
export type Row = readonly Cell[];

/** Writes a table row by row; what it holds is bounded, however many rows come. */
export type TableWriter = {
  /** Waits where the disk is slower. @throws OddsmakerError OUT_UNWRITABLE */
  readonly write: (row: Row) => Promise<void> | undefined;
  /** It is there from now on; how many rows it has. @throws OddsmakerError OUT_UNWRITABLE */
  readonly keep: () => Promise<number>;
  /** It will never be complete. */
  readonly drop: () => void;
};
