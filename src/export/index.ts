// Exports runs and tapes as table rows.
export type { BookSource } from './export-books.ts';
export type { HeldMark } from './held-marks.ts';
export { heldMarks } from './held-marks.ts';
export { EVENT_COLUMNS, writeEvents } from './export-events.ts';
export type { FillRows } from './export-fills.ts';
export { FILL_TABLE, fillRows } from './export-fills.ts';
export { SERIES_TABLE, seriesOf } from './export-series.ts';
export { BOOK_COLUMNS, MARK_COLUMNS, bookRows, markRows } from './export-books.ts';
export type { RunLedger } from './export-orders.ts';
export { TABLES, ledgerOf } from './export-orders.ts';
export { restedRows } from './rested-orders.ts';
