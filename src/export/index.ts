// Exports runs and tapes as table rows.
export type { BookSource, HeldMark } from './export-books.ts';
export { EVENT_COLUMNS, writeEvents } from './export-events.ts';
export { BOOK_COLUMNS, MARK_COLUMNS, bookRows, markRows } from './export-books.ts';
export type { RunLedger } from './export-orders.ts';
export { TABLES, ledgerOf } from './export-orders.ts';
