// The points that a grid or a random search makes of the parameters of a sweep.
import { createRandom } from '../domain/index.ts';
import { stepFrom, stepsBetween } from './decimal.ts';
import type { Point, Setting, Value } from './point.ts';
import type { Dimension } from './scale.ts';
import { levelsOf, partOfRange, valueAt, valueOf } from './scale.ts';
import { sobol } from './sobol.ts';

export type { Dimension } from './scale.ts';
export { levelsOf, valueOf } from './scale.ts';

/** Most points of a sweep. More would take too long to play and to read. */
export const MOST_POINTS = 100_000;

/** Values of FROM:TO:STEP; the last value is not above `to`. */
export function steps(from: number, to: number, step: number): readonly Value[] {
  const count = Number(stepsBetween(from, to, step)) + 1;
  return Array.from({ length: count }, (_, index) => valueOf(stepFrom(from, step, index)));
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

/** Identifies the settings of a point among those of the same parameters. */
export const settingsKey = (settings: readonly Setting[]): string => JSON.stringify(settings.map(({ value }) => value));

/** The settings at a place of the cube, one coordinate for each parameter. */
export const settingsAt = (dimensions: readonly Dimension[], places: readonly number[]): readonly Setting[] =>
  dimensions.map((dimension, index) => ({ name: dimension.name, ...valueAt(dimension, places[index] ?? 0) }));

/**
 * Draws `count` different points, spread evenly (Sobol), or all points when there are fewer. A seed always
 * gives the same points.
 */
export function sampleOf(dimensions: readonly Dimension[], count: number, seed: number): readonly Point[] {
  const points = new Map<string, readonly Setting[]>();
  let draws = 0;
  for (const coordinates of sobol(dimensions.length, shiftOf(dimensions, seed))) {
    if (points.size >= count || draws >= count * MOST_DRAWS_A_POINT) break;
    draws += 1;
    const settings = settingsAt(dimensions, coordinates);
    points.set(settingsKey(settings), settings);
  }
  return [...points.values()].map((settings, index) => ({ number: index + 1, settings }));
}

function shiftOf(dimensions: readonly Dimension[], seed: number): readonly number[] {
  const random = createRandom(seed, 'sweep');
  return dimensions.map(() => Math.floor(random.next() * 2 ** 32));
}

/**
 * Where a point lies in each dimension: in a grid the index of the value, else 0 … 1, numbers by their size
 * (by their logarithm on a log scale) and other values by their index in the list.
 */
export function placesOf(dimensions: readonly Dimension[], { settings }: Point, isGrid: boolean): readonly number[] {
  return dimensions.map((dimension, index) => {
    const setting = settings[index] ?? { value: undefined, text: '' };
    if (dimension.kind === 'range' && !isGrid) return partOfRange(dimension, Number(setting.value));
    const levels = levelsOf(dimension);
    const position = levels.findIndex((level) => level.text === setting.text);
    return isGrid || levels.length < 2 ? position : position / (levels.length - 1);
  });
}
