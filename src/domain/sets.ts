// Maps of sets by key; a set exists only while it has members.

/** The set of a key, created when there is none. */
export function setOf<Key, Value>(sets: Map<Key, Set<Value>>, key: Key): Set<Value> {
  let set = sets.get(key);
  if (set === undefined) sets.set(key, (set = new Set()));
  return set;
}

/** Removes a value from the set of a key, and the set with its last value. */
export function dropOf<Key, Value>(sets: Map<Key, Set<Value>>, key: Key, value: Value): void {
  const set = sets.get(key);
  set?.delete(value);
  if (set?.size === 0) sets.delete(key);
}
