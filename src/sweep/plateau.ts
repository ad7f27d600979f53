// Whether the best point stands on a plateau or is a spike: what its neighbours reach. What is right by chance is wrong a step
// beside it.

/** Of a point in a cube: where it lies in each dimension (0 … 1), and its figure. */
export type Placed = { readonly number: number; readonly places: readonly number[]; readonly figure: number };

export type Plateau = {
  /** Mean of the neighbours of the best point. */
  readonly neighbours: number;
  readonly count: number;
  /** `neighbours` as a share of what the best reaches, or, of a figure of which less is better, its as one of theirs; undefined:
      there is nothing to divide by. */
  readonly share: number | undefined;
  /** The point that is best together with its neighbours. */
  readonly steadiest: number;
};

/** `isLess`: less is better; `isGrid`: places are steps of a grid. Undefined: fewer than three points. */
export function plateauOf(
  points: readonly Placed[],
  { isLess = false, isGrid = false }: { readonly isLess?: boolean; readonly isGrid?: boolean } = {},
): Plateau | undefined {
  if (points.length < 3) return undefined;
  const together = points.map((point) => {
    const beside = isGrid || point.places.length === 1 ? besideOf(point, points) : [];
    const near = beside.length > 0 ? beside : nearestOf(point, points);
    const mean = near.reduce((sum, { figure }) => sum + figure, 0) / near.length;
    return { point, near, mean, all: (mean * near.length + point.figure) / (near.length + 1) };
  });
  const isBetter = (a: number, b: number): boolean => (isLess ? a < b : a > b);
  const best = together.reduce((a, b) => (isBetter(b.point.figure, a.point.figure) ? b : a));
  const steadiest = together.reduce((a, b) => (isBetter(b.all, a.all) ? b : a));
  const [part, of] = isLess ? [best.point.figure, best.mean] : [best.mean, best.point.figure];
  return {
    neighbours: best.mean,
    count: best.near.length,
    share: of > 0 ? part / of : undefined,
    steadiest: steadiest.point.number,
  };
}

/** One step each way in each dimension, of points that differ in that alone: fewer at the end of a range. */
function besideOf(point: Placed, points: readonly Placed[]): readonly Placed[] {
  return point.places.flatMap((at, index) => {
    const placeOf = ({ places }: Placed): number => places[index] ?? 0;
    const line = points.filter(({ places }) =>
      places.every((place, other) => other === index || place === point.places[other]),
    );
    const below = line.filter((one) => placeOf(one) < at).sort((a, b) => placeOf(b) - placeOf(a));
    const above = line.filter((one) => placeOf(one) > at).sort((a, b) => placeOf(a) - placeOf(b));
    return [...below.slice(0, 1), ...above.slice(0, 1)];
  });
}

/** The nearest ones: two for each dimension, and others just as near as the last of them. */
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
