// Reads and writes tables for analysis: CSV, JSON lines and Parquet with the same columns.
export type { Column, ColumnKind, Row, TableWriter } from './columns.ts';
export { isId, plainField, textField } from './csv-cell.ts';
export { readCsv } from './csv-reader.ts';
export { csvTable } from './csv-table.ts';
export { jsonTable } from './json-table.ts';
export { parquetTable } from './parquet-table.ts';
export { typedCsv } from './typed-csv.ts';
export type { UserRow, UserTable } from './user-table.ts';
export { readUserTable } from './user-table.ts';
