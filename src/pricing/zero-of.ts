// The zero of a function, by bisection.

/** Returns the zero of a falling function, to the precision of a double. */
export function zeroOf(falling: (x: number) => number, from: number, to: number): number {
  let [low, high] = [from, to];
  for (;;) {
    const middle = (low + high) / 2;
    if (middle <= low || middle >= high) return middle;
    if (falling(middle) > 0) low = middle;
    else high = middle;
  }
}
