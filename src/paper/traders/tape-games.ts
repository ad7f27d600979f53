// The header of a game as a recording tells it, at the time of the venue.
import type { Game, GameMessage } from '../../domain/index.ts';
import type { TapeClock } from './tape-clock.ts';

/** `asLeague`: in the place of the recorded one. Undefined while the teams or the start are not told. */
export function headerOf(
  message: GameMessage,
  clock: TapeClock,
  asLeague: string | undefined,
): Game | undefined {
  const teams = message.participants ?? [];
  // the wire's order is away, home; `homeAway` decides where it is told
  const home =
    teams.find((team) => team.homeAway === 'home') ??
    teams.find((team, index) => index === 1 && team.homeAway === undefined);
  const away =
    teams.find((team) => team.homeAway === 'away') ??
    teams.find((team, index) => index === 0 && team.homeAway === undefined);
  if (home === undefined || away === undefined || message.start === undefined) return undefined;
  const named = (team: typeof home) => ({
    id: team.id,
    name: team.longName ?? team.id,
    shortName: team.shortName ?? team.longName ?? team.id,
  });
  return {
    id: message.gameId,
    parentGameId: message.parentGameId,
    league: asLeague ?? message.league ?? 'unknown',
    sport: message.sport ?? 'unknown',
    eventName: message.eventName ?? `${named(away).name} @ ${named(home).name}`,
    start: clock.venueTime(message.start),
    live: message.live ?? false,
    ended: message.ended ?? false,
    open: message.messageType !== 'marketClosed' && message.ended !== true,
    futures: message.futures ?? false,
    home: named(home),
    away: named(away),
    mainHomeSpread: message.mainHomeSpread ?? undefined,
    mainTotal: message.mainTotal ?? undefined,
  };
}

/** What a message tells of a game that is known; what it leaves out erases nothing. */
export function changeOf(message: GameMessage, before: Game, clock: TapeClock): Partial<Game> {
  const { start, live, ended, messageType, eventName, mainHomeSpread, mainTotal } = message;
  return {
    ...(start === undefined ? {} : { start: clock.venueTime(start) }),
    ...(live === undefined ? {} : { live }),
    ...(ended === undefined ? {} : { ended }),
    open: messageType === undefined ? before.open && ended !== true : messageType === 'marketOpen',
    ...(eventName === undefined ? {} : { eventName }),
    ...(mainHomeSpread === undefined ? {} : { mainHomeSpread: mainHomeSpread ?? undefined }),
    ...(mainTotal === undefined ? {} : { mainTotal: mainTotal ?? undefined }),
  };
}
