// The tree-structured Parzen estimator: J. Bergstra, R. Bardenet, Y. Bengio and B. Kégl, "Algorithms for
// hyper-parameter optimization", NIPS 24 (2011). The points so far are divided into a few good ones and all
// others. For each parameter a density is estimated over the good ones and over the others, and of 24 values
// drawn from the first, that with the highest ratio of the first to the second density is taken.
import { createRandom } from '../domain/index.ts';
import { settingsAt, settingsKey } from './dimensions.ts';
import { Choices, Kernels } from './parzen.ts';
import type { Point, Setting } from './point.ts';
import type { Dimension } from './scale.ts';
import { countOf, isOrdered, valueAt } from './scale.ts';
import { sobol } from './sobol.ts';
import type { Standing } from './standing.ts';
import { orderOf } from './standing.ts';

/** Values drawn for each parameter of a new point. */
const CANDIDATES = 24;
/** The share of the points that counts as good, and the most good points. */
const GOOD_SHARE = 0.1;
const MOST_GOOD = 25;
/** Fewest points before the first estimate. */
export const LEAST_STARTUP = 10;
/** How often an equal point is drawn again before a point is taken from the Sobol sequence. */
const MOST_REPEATS = 20;
const MOST_SOBOL_DRAWS = 20_000;

/** The number of points that count as good. */
export const goodCount = (points: number): number => Math.min(Math.ceil(GOOD_SHARE * points), MOST_GOOD);

/** A point so far; without a standing it is compared with no other, and is never among the good ones. */
export type Seen = { readonly point: Point; readonly standing: Standing | undefined };

/**
 * The next points of a search, `count` of them, or fewer when all points were played. The points of a batch do
 * not know each other's results: each counts as not good for those after it, so that they differ.
 * @param seen the points so far, in the order of their numbers
 */
export function nextPoints(
  dimensions: readonly Dimension[],
  seen: readonly Seen[],
  count: number,
  seed: number,
): readonly Point[] {
  const known = new Set(seen.map(({ point }) => settingsKey(point.settings)));
  const most = dimensions.reduce((product, dimension) => product * countOf(dimension), 1);
  const good = new Set(
    orderOf(
      seen.flatMap(({ standing }) => standing ?? []),
      goodCount(seen.length),
    ).map(({ number }) => number),
  );
  const goodSettings = seen.flatMap(({ point }) => (good.has(point.number) ? [point.settings] : []));
  const otherSettings = seen.flatMap(({ point }) => (good.has(point.number) ? [] : [point.settings]));
  const points: Point[] = [];
  while (points.length < count && known.size < most) {
    const number = seen.length + points.length + 1;
    const random = createRandom(seed, `tpe ${number}`);
    const next = (): number => random.next();
    const estimates = dimensions.map((dimension, index) => estimateOf(dimension, index, goodSettings, otherSettings));
    const draw = (): readonly Setting[] =>
      dimensions.map((dimension, index) => drawn(dimension, estimates[index], next));
    let settings = draw();
    for (let repeat = 0; repeat < MOST_REPEATS && known.has(settingsKey(settings)); repeat++) settings = draw();
    const fresh = known.has(settingsKey(settings)) ? unplayed(dimensions, known, next) : settings;
    if (fresh === undefined) break;
    known.add(settingsKey(fresh));
    otherSettings.push(fresh);
    points.push({ number, settings: fresh });
  }
  return points;
}

/** Two densities over the values of a parameter: those of good points, and those of all others. */
type Estimate = { readonly good: Kernels | Choices; readonly others: Kernels | Choices };

function estimateOf(
  dimension: Dimension,
  index: number,
  good: readonly (readonly Setting[])[],
  others: readonly (readonly Setting[])[],
): Estimate {
  const make = (points: readonly (readonly Setting[])[]): Kernels | Choices => {
    const settings = points.flatMap((point) => point[index] ?? []);
    return isOrdered(dimension) ? new Kernels(dimension, settings) : new Choices(dimension, settings);
  };
  return { good: make(good), others: make(others) };
}

function drawn(dimension: Dimension, estimate: Estimate | undefined, next: () => number): Setting {
  let best: Setting = { name: dimension.name, ...valueAt(dimension, next()) };
  let most = Number.NEGATIVE_INFINITY;
  for (let candidate = 0; candidate < CANDIDATES && estimate !== undefined; candidate++) {
    const value = estimate.good.draw(next);
    const ratio = estimate.good.logDensityOf(value) - estimate.others.logDensityOf(value);
    if (ratio <= most) continue;
    most = ratio;
    best = { name: dimension.name, ...value };
  }
  return best;
}

/** A point that was not played yet, from a shifted Sobol sequence. Undefined when none is found. */
function unplayed(
  dimensions: readonly Dimension[],
  known: ReadonlySet<string>,
  next: () => number,
): readonly Setting[] | undefined {
  const shift = dimensions.map(() => Math.floor(next() * 2 ** 32));
  let draws = 0;
  for (const places of sobol(dimensions.length, shift)) {
    const settings = settingsAt(dimensions, places);
    if (!known.has(settingsKey(settings))) return settings;
    if ((draws += 1) >= MOST_SOBOL_DRAWS) return undefined;
  }
  return undefined;
}
