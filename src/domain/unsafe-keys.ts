// Names that mean something to JavaScript itself: as a key of what others write, one of them would change what every object is.
const UNSAFE: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

export const isUnsafeKey = (key: string): boolean => UNSAFE.has(key);

/** Where the first of them stands, keys and indices; undefined: nowhere. */
export function unsafeKeyIn(value: unknown, path: readonly string[] = []): readonly string[] | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, one] of Object.entries(value) as [string, unknown][]) {
    const at = [...path, key];
    const found = isUnsafeKey(key) ? at : unsafeKeyIn(one, at);
    if (found !== undefined) return found;
  }
  return undefined;
}
