// Warns once of each sport whose settlement rule is not known (`sports:`), before money depends on it; and
// explains why a game has no result yet. Invariant: a worst case that counts every bet as lost is always
// reported.
import type { Game, KnownSport } from '../domain/index.ts';
import { drawSetting } from '../domain/index.ts';
import type { CommandBuffer } from './command-buffer.ts';

/** Warns of a sport without a row, once per league and sport. A game that is not quoted needs no warning. */
export function reportUnknownSport(buffer: CommandBuffer, game: Game, { origin }: KnownSport, isQuoted: boolean): void {
  if (origin !== 'unknown' || !isQuoted) return;
  const { league, sport } = game;
  const isPart = game.parentGameId !== undefined || game.futures;
  buffer.alertOnce(
    `draw ${isPart ? 'part' : 'game'} ${league} ${sport}`,
    'warn',
    'SPORT_UNKNOWN',
    isPart
      ? 'it is not known how a level score of a part of a game settles a moneyline: both sides count as lost'
      : 'it is not known how a level score settles a moneyline of this sport: both sides count as lost',
    { gameId: game.id, league, sport, set: drawSetting(game) },
  );
}

/**
 * Why a game has no final score yet, by its header. Undefined when it may have one, or is no longer listed.
 * `now`: Unix ms.
 */
export function notOver(game: Game | undefined, now: number): string | undefined {
  if (game === undefined || game.ended) return undefined;
  if (game.start > now)
    return `game ${game.id} (${game.eventName}) has not begun: it starts at ${new Date(game.start).toISOString()}`;
  return game.open
    ? `game ${game.id} (${game.eventName}) is open at the exchange: it is settled when its market is closed or it has ended`
    : undefined;
}
