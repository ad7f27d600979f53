// What changed between two states of the page: its sections are objects of rows by id, or of fields. A row is told by the
// fields that changed; one that is gone by its id.

type Fields = Readonly<Record<string, unknown>>;
export type Rows = Readonly<Record<string, Fields | readonly unknown[]>>;

export type RowChanges = {
  readonly set?: Record<string, unknown>;
  readonly gone?: string[];
};

/** Undefined: nothing did. */
export function changedFields(before: Fields, after: Fields): Record<string, unknown> | undefined {
  let changed: Record<string, unknown> | undefined;
  for (const key of Object.keys(after))
    if (!isSame(before[key], after[key])) (changed ??= {})[key] = after[key] ?? null;
  return changed;
}

/** Rows that are lists are told whole. */
export function changedRows(before: Rows, after: Rows): RowChanges | undefined {
  let set: Record<string, unknown> | undefined;
  let gone: string[] | undefined;
  for (const id of Object.keys(after)) {
    const row = after[id];
    const former = before[id];
    if (row === former || row === undefined) continue;
    const isWhole = former === undefined || Array.isArray(row);
    const change = isWhole
      ? isSame(former, row)
        ? undefined
        : row
      : changedFields(former as Fields, row as Fields);
    if (change !== undefined) (set ??= {})[id] = change;
  }
  for (const id of Object.keys(before)) if (!(id in after)) (gone ??= []).push(id);
  if (set === undefined && gone === undefined) return undefined;
  return { ...(set && { set }), ...(gone && { gone }) };
}

/** Of what JSON can say. */
function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null)
    return (a ?? null) === (b ?? null);
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    for (let at = 0; at < a.length; at++) if (!isSame(a[at], b[at])) return false;
    return true;
  }
  const keys = Object.keys(b);
  if (Object.keys(a).length !== keys.length) return false;
  for (const key of keys) if (!isSame((a as Fields)[key], (b as Fields)[key])) return false;
  return true;
}
