// Successive halving over games: all points play a ninth of the games, the best third of them a third, and
// the best third of these all games. Each part of the games contains the one before. Every point counts as a
// trial, but only points that played all games are judged.
import type { GameId } from '../domain/index.ts';
import { hash32, mix32 } from '../domain/index.ts';

export const SHARES = [1 / 9, 1 / 3, 1] as const;
const KEPT = 1 / 3;
/** Fewest games for halving: a ninth of fewer is less than one game. */
export const LEAST_GAMES = 9;

/** The games of each round, sorted by id; undefined: all games. `games`: those that may choose. */
export function roundsOf(games: readonly GameId[], seed: number): readonly (readonly GameId[] | undefined)[] {
  const order = games
    .map((id) => ({ id, rank: mix32(hash32(`${id} ${seed}`)) }))
    .sort((a, b) => a.rank - b.rank || (a.id < b.id ? -1 : 1));
  return SHARES.map((share) =>
    share === 1
      ? undefined
      : order
          .slice(0, Math.max(1, Math.round(games.length * share)))
          .map(({ id }) => id)
          .sort(),
  );
}

/**
 * The best third of the points, at least one, sorted by number. Of equal scores the earlier point is kept;
 * unknown scores come last.
 */
export function keptOf<T extends { readonly number: number }>(
  points: readonly { readonly point: T; readonly score: number | undefined }[],
): readonly T[] {
  const best = [...points].sort((a, b) => compare(b.score, a.score) || a.point.number - b.point.number);
  return best
    .slice(0, Math.max(1, Math.ceil(points.length * KEPT)))
    .map(({ point }) => point)
    .sort((a, b) => a.number - b.number);
}

/** Compares scores: below 0 when `a` is less, or unknown and `b` known. */
export function compare(a: number | undefined, b: number | undefined): number {
  if (a === undefined) return b === undefined ? 0 : -1;
  return b === undefined ? 1 : a - b;
}
