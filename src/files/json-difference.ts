// Where two JSON values differ, key by key: of commands, and of configurations.

export type JsonDifference = {
  /** Keys and indices, joined by dots; empty: the values themselves. */
  readonly path: string;
  /** Undefined: there is nothing. */
  readonly before: unknown;
  readonly after: unknown;
};

/** In the order of the keys of `before`; what only `after` has comes last. */
export function jsonDifferences(before: unknown, after: unknown, path = ''): readonly JsonDifference[] {
  const a = fieldsOf(before);
  const b = fieldsOf(after);
  if (a === undefined || b === undefined || Array.isArray(before) !== Array.isArray(after))
    return JSON.stringify(before) === JSON.stringify(after) ? [] : [{ path, before, after }];
  return [...new Set([...a.keys(), ...b.keys()])].flatMap((key) =>
    jsonDifferences(a.get(key), b.get(key), path === '' ? key : `${path}.${key}`),
  );
}

/** Undefined: it has no keys. */
function fieldsOf(value: unknown): ReadonlyMap<string, unknown> | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  return new Map(Object.entries(value));
}
