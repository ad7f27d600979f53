// How orders are cancelled: cancelMultiple as far as permits go, since it is done when it answers. What no permit is left
// for goes game by game, or league by league: such a request needs no permit and takes no lock, but cancels everything
// there, so it is only sent where nothing else of the account rests. An order that the lock of a cancel-all refused to
// cancel twice is not asked for again: its whole game goes, where no order of others may. Never an empty list.
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
  /** How many own orders may rest in a game; undefined when a bulk request may not be used there. */
  readonly restingIn: (game: GameId) => number | undefined;
  readonly leagueOf: (game: GameId) => string | undefined;
  /** Games of a league where own orders may rest. */
  readonly gamesOf: (league: string) => ReadonlySet<GameId>;
};

/** The spec lets a client wait once, and not loop on one order (Limits 4). */
const MOST_LOCKOUTS = 2;

export function planCancels(
  unwanted: readonly Unwanted[],
  context: CancelContext,
): { readonly batches: readonly (readonly Unwanted[])[]; readonly bulks: readonly Bulk[] } {
  const gameOf = ({ order }: Unwanted): GameId => order.market.gameId;
  const isLockedOut = (one: Unwanted): boolean =>
    one.order.lockedOut >= MOST_LOCKOUTS && context.restingIn(gameOf(one)) !== undefined;
  const lockedOut = new Set(unwanted.filter(isLockedOut).map(gameOf));
  const all = chunks(
    unwanted.filter((one) => !lockedOut.has(gameOf(one))),
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
      bulks.push({ scope: { league }, unwanted: games.flatMap(([, some]) => some) });
    else for (const [game, some] of games) bulks.push({ scope: { game }, unwanted: some });
  }
  return { batches, bulks };
}
