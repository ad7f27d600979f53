// The Sobol sequence, points that fill a cube evenly for any number of points, in Gray code order, with the
// direction numbers of S. Joe and F. Y. Kuo, "Constructing Sobol sequences with better two-dimensional
// projections", SIAM J. Sci. Comput. 30 (2008), 2635–2654 (their table new-joe-kuo-6).

/**
 * For each dimension but the first: the coefficients of its primitive polynomial as a number, and the initial
 * m_i.
 */
const JOE_KUO: readonly { readonly a: number; readonly m: readonly number[] }[] = [
  { a: 0, m: [1] },
  { a: 1, m: [1, 3] },
  { a: 1, m: [1, 3, 1] },
  { a: 2, m: [1, 1, 1] },
  { a: 1, m: [1, 1, 3, 3] },
  { a: 4, m: [1, 3, 5, 13] },
  { a: 2, m: [1, 1, 5, 5, 17] },
  { a: 4, m: [1, 1, 5, 5, 5] },
  { a: 7, m: [1, 1, 7, 11, 19] },
  { a: 11, m: [1, 1, 5, 1, 1] },
  { a: 13, m: [1, 1, 1, 3, 11] },
  { a: 14, m: [1, 3, 5, 5, 31] },
  { a: 1, m: [1, 3, 3, 9, 7, 49] },
  { a: 13, m: [1, 1, 1, 15, 21, 21] },
  { a: 16, m: [1, 3, 1, 13, 27, 49] },
  { a: 19, m: [1, 1, 1, 15, 7, 5] },
  { a: 22, m: [1, 3, 1, 15, 13, 25] },
  { a: 25, m: [1, 1, 5, 5, 19, 61] },
  { a: 1, m: [1, 3, 7, 11, 23, 15, 103] },
  { a: 4, m: [1, 3, 7, 13, 13, 15, 69] },
];

/** Most dimensions of the sequence here. */
export const MOST_DIMENSIONS = JOE_KUO.length + 1;
const BITS = 32;
const SCALE = 2 ** BITS;

/** Direction numbers of one dimension, as 32-bit integers. */
function directionsOf(dimension: number): Uint32Array {
  const v = new Uint32Array(BITS);
  const row = JOE_KUO[dimension - 1];
  for (let i = 0; i < BITS; i++) {
    const degree = row?.m.length ?? 0;
    if (row === undefined) v[i] = 2 ** (BITS - 1 - i);
    else if (i < degree) v[i] = (row.m[i] ?? 1) * 2 ** (BITS - 1 - i);
    else {
      const before = v[i - degree] ?? 0;
      let next = before ^ (before >>> degree);
      for (let k = 1; k < degree; k++) if (((row.a >>> (degree - 1 - k)) & 1) === 1) next ^= v[i - k] ?? 0;
      v[i] = next;
    }
  }
  return v;
}

/**
 * The endless sequence of points, each a number in [0, 1) for each dimension. `shift`: numbers that are XORed
 * into every point (a digital shift keeps the sequence even); without a shift the first point is all zeros.
 */
export function* sobol(dimensions: number, shift: readonly number[] = []): Generator<readonly number[]> {
  if (dimensions < 1 || dimensions > MOST_DIMENSIONS)
    throw new RangeError(`the Sobol sequence has 1 to ${MOST_DIMENSIONS} dimensions here`);
  const directions = Array.from({ length: dimensions }, (_, index) => directionsOf(index));
  const x = Uint32Array.from({ length: dimensions }, (_, index) => shift[index] ?? 0);
  for (let n = 0; n < SCALE; n++) {
    yield Array.from(x, (bits) => bits / SCALE);
    // the lowest zero bit of n
    const bit = 31 - Math.clz32(~n & (n + 1));
    for (let d = 0; d < dimensions; d++) x[d] = (x[d] ?? 0) ^ (directions[d]?.[bit] ?? 0);
  }
}
