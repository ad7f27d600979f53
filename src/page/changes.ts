// Computes the difference between two states of the page. A section is an object of rows by id, or of fields.
// A changed row is sent as its changed fields, a removed row as its id.

import type { Parts } from './parts.ts';
import { ROWS_IN_PART, wholeOf } from './parts.ts';

type Fields = Readonly<Record<string, unknown>>;
export type Rows = Readonly<Record<string, Fields | readonly unknown[]>>;

export type RowChanges = {
  readonly set?: Readonly<Record<string, unknown>>;
  readonly gone?: readonly string[];
};

/** Returns the changed fields, or undefined when nothing changed. */
export function changedFields(before: Fields, after: Fields): Record<string, unknown> | undefined {
  let changed: Record<string, unknown> | undefined;
  for (const key of Object.keys(after))
    if (!isSame(before[key], after[key])) (changed ??= {})[key] = after[key] ?? null;
  return changed;
}

/** Returns the changed rows, or undefined when nothing changed. Rows that are lists are sent whole. */
export const changedRows = (before: Rows, after: Rows): RowChanges | undefined =>
  wholeOf(changedRowsInParts(before, after));

export function* changedRowsInParts(before: Rows, after: Rows): Parts<RowChanges | undefined> {
  if (before === after) return undefined;
  let set: Record<string, unknown> | undefined;
  let gone: string[] | undefined;
  let compared = 0;
  for (const id of Object.keys(after)) {
    if ((compared += 1) % ROWS_IN_PART === 0) yield;
    const row = after[id];
    const former = before[id];
    if (row === former || row === undefined) continue;
    const isWhole = former === undefined || Array.isArray(row);
    const change = isWhole ? (isSame(former, row) ? undefined : row) : changedFields(former as Fields, row as Fields);
    if (change !== undefined) (set ??= {})[id] = change;
  }
  for (const id of Object.keys(before)) if (!(id in after)) (gone ??= []).push(id);
  if (set === undefined && gone === undefined) return undefined;
  return { ...(set && { set }), ...(gone && { gone }) };
}

/** Applies changes to a section. */
export function withChanges<Row>(
  before: Readonly<Record<string, Row>>,
  { set = {}, gone = [] }: RowChanges,
): Readonly<Record<string, Row>> {
  const rows = new Map<string, unknown>(Object.entries(before));
  for (const id of gone) rows.delete(id);
  for (const [id, row] of Object.entries(set)) {
    const former = rows.get(id);
    const isWhole = Array.isArray(row) || former === undefined;
    rows.set(id, isWhole ? row : { ...(former as object), ...(row as object) });
  }
  return Object.fromEntries(rows) as Readonly<Record<string, Row>>;
}

/** Compares two JSON values. */
function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return (a ?? null) === (b ?? null);
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    for (let index = 0; index < a.length; index++) if (!isSame(a[index], b[index])) return false;
    return true;
  }
  const keys = Object.keys(b);
  if (Object.keys(a).length !== keys.length) return false;
  for (const key of keys) if (!isSame((a as Fields)[key], (b as Fields)[key])) return false;
  return true;
}
