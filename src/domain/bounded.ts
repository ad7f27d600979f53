// Long-lived maps and sets are bounded by their number of members.
type Remembered<K> = {
  readonly size: number;
  readonly keys: () => Iterable<K>;
  readonly delete: (key: K) => boolean;
};

/** Deletes the oldest members of a map or set until at most `most` remain. */
export function forgetOldest<K>(members: Remembered<K>, most: number): void {
  if (members.size <= most) return;
  for (const oldest of members.keys()) {
    members.delete(oldest);
    if (members.size <= most) return;
  }
}
