// What a level score does to a moneyline (`sports:`), where it is not known: told once, before anything is lost by it, and
// no final score is guessed. Invariant: a worst case that counts both sides as lost is never silent.
import type { Game, GameId, KnownDraw } from '../domain/index.ts';
import type { Desk } from './desk.ts';

/** Said once for each league and sport. Futures are never quoted. */
export function sayDraw(desk: Desk, game: Game, { origin }: KnownDraw): void {
  if (origin !== 'unknown' || game.futures) return;
  const { league, sport } = game;
  const isPart = game.parentGameId !== undefined;
  desk.alertOnce(
    `draw ${isPart ? 'part' : 'game'} ${league} ${sport}`,
    'warn',
    'SPORT_UNKNOWN',
    isPart
      ? 'it is not known how a level score of a part of a game settles a moneyline: both sides count as lost'
      : 'it is not known how a level score settles a moneyline of this sport: both sides count as lost',
    { gameId: game.id, league, sport, set: setting(game) },
  );
}

/** Why a final score cannot settle a game; undefined when it can. */
export function drawProblem(
  gameId: GameId,
  game: Game | undefined,
  score: { readonly home: number; readonly away: number },
  { draw, origin }: KnownDraw,
): string | undefined {
  if (game === undefined || score.home !== score.away) return undefined;
  const what = `${score.home}-${score.away} of game ${gameId}`;
  if (draw === 'impossible')
    return `${what} cannot be a final score: a game of ${game.league || game.sport} does not end level (sports: …draw: impossible)`;
  if (origin === 'unknown')
    return `${what} is level, and it is not known how that settles a moneyline: set ${setting(game)} (or both-lose) and start again`;
  return undefined;
}

/** Why a game has no final score yet, as the exchange shows it; undefined when it may have one, or is shown no longer. */
export function notOver(game: Game | undefined, now: number): string | undefined {
  if (game === undefined || game.ended) return undefined;
  if (game.start > now)
    return `game ${game.id} (${game.eventName}) has not begun: it starts at ${new Date(game.start).toISOString()}`;
  return game.open
    ? `game ${game.id} (${game.eventName}) is open at the exchange: it is settled when its market is closed or it has ended`
    : undefined;
}

const setting = ({ league, sport }: Game): string =>
  `sports: { ${JSON.stringify(league || sport)}: { draw: push } }`;
