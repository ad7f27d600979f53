// Parameters of a sweep with their values, and the points that a grid or a random search makes of them.
import { createRandom } from '../domain/index.ts';
import { partOfWay, stepFrom, stepsBetween } from './decimal.ts';
import type { Point, Setting, Value } from './point.ts';
import { sobol } from './sobol.ts';

export type Dimension =
  /** Values in this order; adjacent numbers are neighbours of each other. */
  | { readonly kind: 'list'; readonly name: string; readonly values: readonly Value[] }
  /** Any number between, both ends included. */
  | {
      readonly kind: 'range';
      readonly name: string;
      readonly from: number;
      readonly to: number;
      readonly isWhole: boolean;
    };

/** Most points of a sweep. More would take too long to play and to read. */
export const MOST_POINTS = 100_000;
/** Number of values of a range in a grid when no step is given. */
const LEVELS = 5;
/** Digits of a drawn number: it is rounded to about a millionth of its range. */
const DIGITS = 6;
const MOST_PLACES = 100;

function tidied(value: number, from: number, to: number): number {
  const places = DIGITS - Math.floor(Math.log10(to - from));
  const tidy = Number(value.toFixed(Math.min(MOST_PLACES, Math.max(0, places)))) + 0;
  return Math.min(to, Math.max(from, tidy));
}

export const valueOf = (value: number): Value => ({ text: String(value), value });

/** Values of FROM:TO:STEP; the last value is not above `to`. */
export function steps(from: number, to: number, step: number): readonly Value[] {
  const count = Number(stepsBetween(from, to, step)) + 1;
  return Array.from({ length: count }, (_, index) => valueOf(stepFrom(from, step, index)));
}

/** The values of a dimension in a grid. */
export function levelsOf(dimension: Dimension): readonly Value[] {
  if (dimension.kind === 'list') return dimension.values;
  const { from, to, isWhole } = dimension;
  const count = isWhole ? Math.min(LEVELS, to - from + 1) : LEVELS;
  return Array.from({ length: count }, (_, index) => partOfWay(from, to, index, Math.max(1, count - 1)))
    .map((value) => (isWhole ? Math.round(value) : value))
    .map(valueOf);
}

/** How many points a grid has. */
export const gridSize = (dimensions: readonly Dimension[]): number =>
  dimensions.reduce((product, dimension) => product * levelsOf(dimension).length, 1);

/** Every combination of values; the parameter that was named last varies fastest. */
export function gridOf(dimensions: readonly Dimension[]): readonly Point[] {
  const all = dimensions.reduce<readonly (readonly Setting[])[]>(
    (before, dimension) =>
      before.flatMap((settings) =>
        levelsOf(dimension).map((value) => [...settings, { name: dimension.name, ...value }]),
      ),
    [[]],
  );
  return all.map((settings, index) => ({ number: index + 1, settings }));
}

/** Draws per point: with few values the same point is drawn many times. */
const MOST_DRAWS_A_POINT = 50;

/**
 * Draws `count` different points, spread evenly (Sobol), or all points when there are fewer. A seed always
 * gives the same points.
 */
export function sampleOf(dimensions: readonly Dimension[], count: number, seed: number): readonly Point[] {
  const random = createRandom(seed, 'sweep');
  const shift = dimensions.map(() => Math.floor(random.next() * 2 ** 32));
  const points = new Map<string, readonly Setting[]>();
  let draws = 0;
  for (const coordinates of sobol(dimensions.length, shift)) {
    if (points.size >= count || draws >= count * MOST_DRAWS_A_POINT) break;
    draws += 1;
    const settings = dimensions.map((dimension, index) => ({
      name: dimension.name,
      ...drawn(dimension, coordinates[index] ?? 0),
    }));
    points.set(JSON.stringify(settings.map(({ value }) => value)), settings);
  }
  return [...points.values()].map((settings, index) => ({ number: index + 1, settings }));
}

function drawn(dimension: Dimension, u: number): Value {
  if (dimension.kind === 'list')
    return dimension.values[Math.floor(u * dimension.values.length)] ?? { text: '', value: undefined };
  const { from, to, isWhole } = dimension;
  return valueOf(isWhole ? from + Math.floor(u * (to - from + 1)) : tidied(from + u * (to - from), from, to));
}

/**
 * Where a point lies in each dimension: in a grid the index of the value, else 0 … 1, numbers by their size
 * and other values by their index in the list.
 */
export function placesOf(dimensions: readonly Dimension[], { settings }: Point, isGrid: boolean): readonly number[] {
  return dimensions.map((dimension, index) => {
    const { value, text } = settings[index] ?? { value: undefined, text: '' };
    if (dimension.kind === 'range' && !isGrid) {
      const { from, to } = dimension;
      return to === from ? 0 : (Number(value) - from) / (to - from);
    }
    const levels = levelsOf(dimension);
    const position = levels.findIndex((level) => level.text === text);
    return isGrid || levels.length < 2 ? position : position / (levels.length - 1);
  });
}
