// Successive halving over games: all points play a ninth of the games, the best third of them a third, and
// the best third of these all games. Each part of the games contains the one before. Every point counts as a
// trial, but only points that played all games are judged.
import type { GameId } from '../domain/index.ts';
import { hash32, mix32 } from '../domain/index.ts';

export const SHARES = [1 / 9, 1 / 3, 1] as const;
const KEPT = 1 / 3;
/** Fewest games for halving: a ninth of fewer is less than one game. */
export const LEAST_GAMES = 9;

/** Games in a random order, the same for a seed. */
export const inOrder = (games: readonly GameId[], seed: number): readonly GameId[] =>
  games
    .map((id) => ({ id, rank: mix32(hash32(`${id} ${seed}`)) }))
    .sort((a, b) => a.rank - b.rank || (a.id < b.id ? -1 : 1))
    .map(({ id }) => id);

/** The games of each round, sorted by id; undefined: all games. `games`: those that may choose. */
export function roundsOf(games: readonly GameId[], seed: number): readonly (readonly GameId[] | undefined)[] {
  const order = inOrder(games, seed);
  return SHARES.map((share) =>
    share === 1 ? undefined : order.slice(0, Math.max(1, Math.round(games.length * share))).sort(),
  );
}

/**
 * The best third of the points, at least one, sorted by number. `place`: 0 for the best; undefined when a
 * figure of the point is not known: it is dropped. When no point is known, the earlier ones are kept.
 */
export function keptOf<T extends { readonly number: number }>(
  points: readonly { readonly point: T; readonly place: number | undefined }[],
): readonly T[] {
  const known = points.filter(({ place }) => place !== undefined);
  const order = known.length === 0 ? points : [...known].sort((a, b) => (a.place ?? 0) - (b.place ?? 0));
  return order
    .slice(0, Math.max(1, Math.ceil(points.length * KEPT)))
    .map(({ point }) => point)
    .sort((a, b) => a.number - b.number);
}

/** Compares scores: below 0 when `a` is less, or unknown and `b` known. */
export function compare(a: number | undefined, b: number | undefined): number {
  if (a === undefined) return b === undefined ? 0 : -1;
  return b === undefined ? 1 : a - b;
}
