// Finds where two JSON values differ, key by key. Used for commands and configurations.

export type JsonDifference = {
  /** The keys and indices of the place, joined by dots. Empty when the values themselves differ. */
  readonly path: string;
  /** The value before. Undefined when there was none. */
  readonly before: unknown;
  /** The value after. Undefined when there is none. */
  readonly after: unknown;
};

/** Returns the differences in the order of the keys of `before`, then those of keys that only `after` has. */
export function jsonDifferences(before: unknown, after: unknown, path = ''): readonly JsonDifference[] {
  const a = fieldsOf(before);
  const b = fieldsOf(after);
  if (a === undefined || b === undefined || Array.isArray(before) !== Array.isArray(after))
    return JSON.stringify(before) === JSON.stringify(after) ? [] : [{ path, before, after }];
  return [...new Set([...a.keys(), ...b.keys()])].flatMap((key) =>
    jsonDifferences(a.get(key), b.get(key), path === '' ? key : `${path}.${key}`),
  );
}

/** Returns the fields of an object or array, or undefined for other values. */
function fieldsOf(value: unknown): ReadonlyMap<string, unknown> | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  return new Map(Object.entries(value));
}
