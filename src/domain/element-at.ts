// Access to an element that must exist: loops by index are used where iterators are too slow.

/**
 * The element at an index.
 * @throws RangeError when there is none: a bug; the message names the length of the list
 */
export function elementAt<T>(list: ArrayLike<T>, index: number): T {
  const found = list[index];
  return found === undefined ? missing(list, index) : found;
}

// a separate function, so that `elementAt` is small enough to be inlined
function missing(list: ArrayLike<unknown>, index: number): never {
  throw new RangeError(`there is no element ${index} of ${list.length}`);
}
