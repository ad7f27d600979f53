// Names with a meaning in JavaScript itself: as a key in foreign data, one of them could change every object.
const UNSAFE: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

export const isUnsafeKey = (key: string): boolean => UNSAFE.has(key);

/** The path (keys and indices) of the first unsafe key; undefined when there is none. */
export function unsafeKeyIn(value: unknown, path: readonly string[] = []): readonly string[] | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, child] of Object.entries(value) as [string, unknown][]) {
    const childPath = [...path, key];
    const found = isUnsafeKey(key) ? childPath : unsafeKeyIn(child, childPath);
    if (found !== undefined) return found;
  }
  return undefined;
}
