// Plans cancels: cancelMultiple as far as permits go, because its cancels are done when it answers. The rest
// is cancelled by game or by league: that needs no permit and takes no lock, but cancels everything there, so
// it is used only where no other order of the account rests. Never sends an empty list.
import type { GameId } from '../domain/index.ts';
import { chunks } from './chunks.ts';
import type { Cancel, Move } from './needs.ts';

type Unwanted = Cancel | Move;

export type Bulk = {
  readonly scope: { readonly game: GameId } | { readonly league: string };
  readonly unwanted: readonly Unwanted[];
};

export type CancelContext = {
  readonly permits: number;
  readonly maxIdsPerCancel: number;
  /** The own orders that may rest in a game. Undefined where a bulk cancel must not be used. */
  readonly restingIn: (game: GameId) => number | undefined;
  readonly leagueOf: (game: GameId) => string | undefined;
  /** The games of a league in which own orders may rest. */
  readonly gamesOf: (league: string) => ReadonlySet<GameId>;
};

/**
 * The most 423 refusals of one order: the spec lets a client wait once, and not loop on one order (Limits 4).
 * After that the whole game is cancelled, where that is allowed.
 */
const MOST_LOCKOUTS = 2;

export function planCancels(
  unwanted: readonly Unwanted[],
  context: CancelContext,
): { readonly batches: readonly (readonly Unwanted[])[]; readonly bulks: readonly Bulk[] } {
  const gameOf = ({ order }: Unwanted): GameId => order.market.gameId;
  const isLockedOut = (need: Unwanted): boolean =>
    need.order.lockedOut >= MOST_LOCKOUTS && context.restingIn(gameOf(need)) !== undefined;
  const lockedOut = new Set(unwanted.filter(isLockedOut).map(gameOf));
  const all = chunks(
    unwanted.filter((need) => !lockedOut.has(gameOf(need))),
    context.maxIdsPerCancel,
  );
  const batches = all.slice(0, context.permits);
  const left = all.slice(context.permits).flat();
  if (left.length === 0 && lockedOut.size === 0) return { batches, bulks: [] };

  const inGame = Map.groupBy(unwanted, gameOf);
  const bulks = [...lockedOut].map((game): Bulk => ({ scope: { game }, unwanted: inGame.get(game) ?? [] }));
  const whole = [...Map.groupBy(left, gameOf)].filter(([game]) => context.restingIn(game) === inGame.get(game)?.length);
  const byLeague = new Map<string, (readonly [GameId, readonly Unwanted[]])[]>();
  for (const entry of whole) {
    const league = context.leagueOf(entry[0]);
    if (league === undefined) bulks.push({ scope: { game: entry[0] }, unwanted: entry[1] });
    else byLeague.set(league, [...(byLeague.get(league) ?? []), entry]);
  }
  for (const [league, games] of byLeague) {
    if (games.length > 1 && games.length === context.gamesOf(league).size)
      bulks.push({ scope: { league }, unwanted: games.flatMap(([, needs]) => needs) });
    else for (const [game, needs] of games) bulks.push({ scope: { game }, unwanted: needs });
  }
  return { batches, bulks };
}
