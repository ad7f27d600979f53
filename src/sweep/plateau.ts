// Compares the best point with its neighbours: a plateau is more credible than a spike, since a point that is
// best by chance has worse neighbours.

/** A point with its position in each dimension (0 … 1, or indexes of a grid) and its figure. */
export type Placed = { readonly number: number; readonly places: readonly number[]; readonly figure: number };

export type Plateau = {
  /** Mean figure of the neighbours of the best point. */
  readonly neighbours: number;
  readonly count: number;
  /**
   * `neighbours` divided by the figure of the best point, or the inverse when less is better. Undefined when
   * the divisor is not above 0.
   */
  readonly share: number | undefined;
  /** Number of the point that is best when averaged with its neighbours. */
  readonly steadiest: number;
};

/**
 * Measures the plateau. `isLess`: less is better; `isGrid`: places are indexes of a grid. Undefined with
 * fewer than three points.
 */
export function plateauOf(
  points: readonly Placed[],
  { isLess = false, isGrid = false }: { readonly isLess?: boolean; readonly isGrid?: boolean } = {},
): Plateau | undefined {
  if (points.length < 3) return undefined;
  const together = points.map((point) => {
    const beside = isGrid || point.places.length === 1 ? neighboursOf(point, points) : [];
    const near = beside.length > 0 ? beside : nearestOf(point, points);
    const mean = near.reduce((sum, { figure }) => sum + figure, 0) / near.length;
    return { point, near, mean, all: (mean * near.length + point.figure) / (near.length + 1) };
  });
  const isBetter = (a: number, b: number): boolean => (isLess ? a < b : a > b);
  const best = together.reduce((a, b) => (isBetter(b.point.figure, a.point.figure) ? b : a));
  const steadiest = together.reduce((a, b) => (isBetter(b.all, a.all) ? b : a));
  const [part, base] = isLess ? [best.point.figure, best.mean] : [best.mean, best.point.figure];
  return {
    neighbours: best.mean,
    count: best.near.length,
    share: base > 0 ? part / base : undefined,
    steadiest: steadiest.point.number,
  };
}

/**
 * The next point in each direction of each dimension, among points that differ in that dimension only: fewer
 * at the end of a range.
 */
function neighboursOf(point: Placed, points: readonly Placed[]): readonly Placed[] {
  return point.places.flatMap((position, index) => {
    const placeOf = ({ places }: Placed): number => places[index] ?? 0;
    const line = points.filter(({ places }) =>
      places.every((place, other) => other === index || place === point.places[other]),
    );
    const below = line.filter((other) => placeOf(other) < position).sort((a, b) => placeOf(b) - placeOf(a));
    const above = line.filter((other) => placeOf(other) > position).sort((a, b) => placeOf(a) - placeOf(b));
    return [...below.slice(0, 1), ...above.slice(0, 1)];
  });
}

/** The nearest points: two for each dimension, and any others as near as the last of them. */
function nearestOf(point: Placed, points: readonly Placed[]): readonly Placed[] {
  const others = points
    .filter((other) => other !== point)
    .map((other) => ({ other, distance: distanceOf(point, other) }))
    .sort((a, b) => a.distance - b.distance || a.other.number - b.other.number);
  const farthest = others[Math.min(2 * point.places.length, others.length) - 1]?.distance ?? 0;
  return others.filter(({ distance }) => distance <= farthest + 1e-12).map(({ other }) => other);
}

const distanceOf = (a: Placed, b: Placed): number =>
  Math.hypot(...a.places.map((place, index) => place - (b.places[index] ?? 0)));
