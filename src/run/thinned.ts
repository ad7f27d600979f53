// Fewer points of a path, for pictures.

/** At most about `most` items, evenly spread, and the last. */
export function thinned<Item>(items: readonly Item[], most: number): readonly Item[] {
  const every = Math.max(1, Math.ceil(items.length / most));
  return every === 1 ? items : items.filter((_, index) => index % every === 0 || index === items.length - 1);
}
