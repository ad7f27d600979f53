// Lists that mostly have one element.

/**
 * The list with one element more; undefined counts as an empty one. A list made by `[]` and `push` has room for
 * 17 elements; this one has room for one until the second comes.
 */
export function withLast<T>(list: T[] | undefined, last: T): T[] {
  if (list === undefined) return [last];
  list.push(last);
  return list;
}
