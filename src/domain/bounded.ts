// What is remembered for long is bounded by number.
type Remembered<K> = {
  readonly size: number;
  readonly keys: () => Iterable<K>;
  readonly delete: (key: K) => boolean;
};

/** Keeps at most as many members of a map or set, the newest. */
export function forgetOldest<K>(of: Remembered<K>, most: number): void {
  if (of.size <= most) return;
  for (const oldest of of.keys()) {
    of.delete(oldest);
    if (of.size <= most) return;
  }
}
