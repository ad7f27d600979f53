// An element that must be there: loops by index are where iterators are too slow.

/** @throws RangeError where nothing is: a bug, which says how long the list is */
export function elementAt<T>(list: ArrayLike<T>, index: number): T {
  const found = list[index];
  return found === undefined ? missing(list, index) : found;
}

// apart, so that the other is small enough to be inlined
function missing(list: ArrayLike<unknown>, index: number): never {
  throw new RangeError(`there is no element ${index} of ${list.length}`);
}
