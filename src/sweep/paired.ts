// Compares two points game by game. Games differ more from each other than settings do, so the difference
// within each game says most. A figure that is a sum divided by a sum, R = V / P, is taken apart into games by
// its linear expansion: game g stands for R + (v - R p) / (P / n), whose mean is R and whose spread is that of
// R (the delta method, as in W. G. Cochran, "Sampling Techniques", 1977, chapter 6).
import type { GameId } from '../domain/index.ts';
import { normalQuantile } from '../pricing/index.ts';
import { momentsOf } from './moments.ts';
import type { Objective, Share } from './objective.ts';
import { divisorOf, isUnknown, NO_SHARE, partsOf } from './objective.ts';
import type { Played } from './outcome.ts';

/** Fewest games for the spread of a difference. */
export const LEAST_PAIRED = 8;
/** The test of a difference: 5 % false alarms, and a chance of 80 % to see one that is there. */
const SIGNIFICANCE = 0.05;
const POWER = 0.8;
/** Standard errors by which a point must be worse to be clearly worse: 1 in 100 by chance with eight games. */
const CLEARLY = 3;

/** The difference of two points, a less b, more is better, in the unit of the objective. */
export type Difference = {
  readonly games: number;
  readonly mean: number;
  /** Standard deviation of the difference of one game. */
  readonly deviation: number;
};

/**
 * The difference of two runs over the same games. Undefined for an objective that is no sum over games, or
 * when fewer than eight games are known for both.
 */
export function differenceOf(
  objective: Objective,
  games: Iterable<GameId>,
  a: Played,
  b: Played,
): Difference | undefined {
  if (objective.parts === undefined) return undefined;
  const [ofA, ofB] = [a, b].map((run) => new Map<GameId, Share>(run.games.map((game) => [game.game, game])));
  const pairs = [...games]
    .map((game) => [ofA?.get(game) ?? NO_SHARE, ofB?.get(game) ?? NO_SHARE] as const)
    .filter((pair) => !pair.some(isUnknown));
  if (pairs.length < LEAST_PAIRED) return undefined;
  const first = valuesOf(
    objective,
    pairs.map(([share]) => share),
  );
  const second = valuesOf(
    objective,
    pairs.map(([, share]) => share),
  );
  if (first === undefined || second === undefined) return undefined;
  const sign = objective.isLess ? -1 : 1;
  const { mean, deviation } = momentsOf(first.map((value, index) => sign * (value - (second[index] ?? 0))));
  return { games: pairs.length, mean, deviation };
}

/** What each game adds to the figure. Undefined when a ratio is not known. */
function valuesOf(objective: Objective, shares: readonly Share[]): readonly number[] | undefined {
  const { isMoney, per } = partsOf(objective);
  const unit = isMoney ? 1e6 : 1;
  const values = shares.map(({ value }) => value / unit);
  if (per === undefined) return values;
  const divisors = shares.map((share) => divisorOf(objective, share));
  const [all, by] = [values, divisors].map((numbers) => numbers.reduce((sum, number) => sum + number, 0));
  // a point that places nothing earns nothing
  if (by === 0) return isMoney ? values.map(() => 0) : undefined;
  const ratio = (all ?? 0) / (by ?? 1);
  const mean = (by ?? 1) / shares.length;
  return values.map((value, index) => ratio + (value - ratio * (divisors[index] ?? 0)) / mean);
}

/** True when the upper bound of a difference, three standard errors above its mean, is below 0. */
export const isClearlyWorse = ({ games, mean, deviation }: Difference): boolean =>
  mean + (CLEARLY * deviation) / Math.sqrt(games) < 0;

/**
 * How many games would show a difference, if it is as large as it seems: a two-sided test at
 * 5 % with a power of 80 %, n = ((z.975 + z.80) deviation / mean)². Undefined when there is no difference.
 */
export function gamesNeeded({ mean, deviation }: Difference): number | undefined {
  if (mean === 0) return undefined;
  const z = normalQuantile(1 - SIGNIFICANCE / 2) + normalQuantile(POWER);
  const games = Math.ceil(((z * deviation) / mean) ** 2);
  return Number.isSafeInteger(games) ? Math.max(LEAST_PAIRED, games) : undefined;
}
