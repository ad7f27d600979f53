// What the fits of all sports share: log losses with their errors, cross-validation by season, reliability.
import { fixed } from './markdown.ts';

export const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
export const mean = (values: readonly number[]): number => sum(values) / values.length;
export const rms = (values: readonly number[]): number => Math.sqrt(mean(values.map((value) => value * value)));
export const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

/** The slope of a line through the origin. */
export const slopeOf = (y: readonly number[], x: readonly number[]): number =>
  sum(y.map((value, index) => value * (x[index] ?? 0))) / sum(x.map((value) => value * value));

/** The slopes of y = a · x + b · z. */
export function slopesOf(y: readonly number[], x: readonly number[], z: readonly number[]): readonly [number, number] {
  const dot = (a: readonly number[], b: readonly number[]): number =>
    sum(a.map((value, index) => value * (b[index] ?? 0)));
  const [xx, zz, xz, xy, zy] = [dot(x, x), dot(z, z), dot(x, z), dot(x, y), dot(z, y)];
  const all = xx * zz - xz * xz;
  return [(xy * zz - zy * xz) / all, (zy * xx - xy * xz) / all];
}

/** The log loss of an event that had this probability. */
export const lossOf = (p: number): number => -Math.log(Math.max(p, 1e-9));
/** The log loss of a probability of an event that did (1), did not (0), or half did (0.5) occur. */
export const lossOfEither = (p: number, occurred: number): number =>
  occurred * lossOf(p) + (1 - occurred) * lossOf(1 - p);

/** How much lower the first losses are than the second on the same games: the mean and its standard error. */
export function gainOf(losses: readonly number[], baseline: readonly number[]): { readonly by: number; error: number } {
  const gains = baseline.map((loss, index) => loss - (losses[index] ?? 0));
  const by = mean(gains);
  return { by, error: rms(gains.map((gain) => gain - by)) / Math.sqrt(gains.length) };
}

/** A gain as a text, in thousandths. */
export function gainText(losses: readonly number[], baseline: readonly number[]): string {
  const { by, error } = gainOf(losses, baseline);
  return `${fixed(1000 * by, 1)} ± ${fixed(1000 * error, 1)}`;
}

type Seasonal = { readonly season: number };
export const seasonsOf = (games: readonly Seasonal[]): readonly number[] =>
  [...new Set(games.map(({ season }) => season))].sort((a, b) => a - b);

/** The losses of all games, in their order, each under the constant that all other seasons fit. */
export function heldOut<Game extends Seasonal, Constant>(
  games: readonly Game[],
  fit: (others: readonly Game[]) => Constant,
  loss: (game: Game, constant: Constant) => number,
): readonly number[] {
  const fits = new Map(seasonsOf(games).map((season) => [season, fit(games.filter((game) => game.season !== season))]));
  return games.map((game) => loss(game, fits.get(game.season) as Constant));
}

/** A constant fitted on each season alone. */
export const bySeason = <Game extends Seasonal, Constant>(
  games: readonly Game[],
  fit: (season: readonly Game[]) => Constant,
): readonly { readonly season: number; readonly value: Constant }[] =>
  seasonsOf(games).map((season) => ({ season, value: fit(games.filter((game) => game.season === season)) }));

/** The smallest and the largest value as a text. */
export const rangeText = (values: readonly number[], digits: number): string =>
  `${fixed(Math.min(...values), digits)} to ${fixed(Math.max(...values), digits)}`;

/** The x between two bounds where a function with a single valley is lowest, by golden sections. */
export function lowest(f: (x: number) => number, from: number, to: number, within: number): number {
  const ratio = (Math.sqrt(5) - 1) / 2;
  let [low, high] = [from, to];
  let [left, right] = [high - ratio * (high - low), low + ratio * (high - low)];
  let [atLeft, atRight] = [f(left), f(right)];
  while (high - low > within)
    if (atLeft < atRight) {
      [high, right, atRight] = [right, left, atLeft];
      left = high - ratio * (high - low);
      atLeft = f(left);
    } else {
      [low, left, atLeft] = [left, right, atRight];
      right = low + ratio * (high - low);
      atRight = f(right);
    }
  return (low + high) / 2;
}

/** The lowest point of a curve known at evenly spaced points: of the parabola through the lowest and its neighbours. */
export function lowestBetween(points: readonly { readonly x: number; readonly y: number }[]): number {
  const index = points.reduce((best, { y }, other) => (y < (points[best]?.y ?? Infinity) ? other : best), 0);
  const [before, best, after] = [points[index - 1], points[index], points[index + 1]];
  if (best === undefined) return Number.NaN;
  if (before === undefined || after === undefined) return best.x;
  const bend = before.y - 2 * best.y + after.y;
  return best.x + ((after.x - before.x) / 4) * ((before.y - after.y) / bend);
}

/** An event with its probability. */
export type Said = { readonly p: number; readonly occurred: boolean };
/** Events whose probabilities are near each other. */
export type Bin = {
  readonly count: number;
  /** The mean probability. */
  readonly said: number;
  /** The share that occurred, and the 95 % interval of E. B. Wilson (1927). */
  readonly share: number;
  readonly low: number;
  readonly high: number;
};

const Z = 1.96;
/** Bins with fewer events are left out. */
const FEWEST = 20;

export function reliability(events: readonly Said[], bins = 10): readonly Bin[] {
  const groups = Array.from({ length: bins }, (): Said[] => []);
  for (const event of events) groups[Math.min(Math.floor(event.p * bins), bins - 1)]?.push(event);
  return groups.filter(({ length }) => length >= FEWEST).map(binOf);
}

export function binOf(events: readonly Said[]): Bin {
  const count = events.length;
  const share = events.filter(({ occurred }) => occurred).length / count;
  const middle = (share + (Z * Z) / (2 * count)) / (1 + (Z * Z) / count);
  const half = (Z / (1 + (Z * Z) / count)) * Math.sqrt((share * (1 - share)) / count + (Z * Z) / (4 * count * count));
  return { count, said: mean(events.map(({ p }) => p)), share, low: middle - half, high: middle + half };
}

/** How far what was said is from what occurred. */
export const differenceOf = ({ said, share }: Bin): number => Math.abs(said - share);

/** Whether what was said is within the interval. */
export const holds = ({ said, low, high }: Bin): boolean => said >= low && said <= high;
