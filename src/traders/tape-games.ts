// Game headers of a recording, with times of the venue.
import type { Game, GameMessage, GameParticipant, Participant, Teams } from '../domain/index.ts';
import { eventNameOf, partOf } from '../domain/index.ts';
import type { GameDetails } from '../venue/index.ts';
import type { TapeClock } from './tape-clock.ts';

/**
 * The header of a game. Undefined while a team or the start is unknown. @param asLeague replaces the recorded
 * league
 */
export function headerOf(message: GameMessage, clock: TapeClock, asLeague: string | undefined): Game | undefined {
  const teams = teamsOf(message);
  if (teams === undefined || message.start === undefined) return undefined;
  return {
    id: message.gameId,
    parentGameId: message.parentGameId,
    ...partOf(message, undefined),
    league: asLeague ?? message.league ?? 'unknown',
    sport: message.sport ?? 'unknown',
    eventName: message.eventName ?? eventNameOf(teams),
    start: clock.venueTime(message.start),
    live: message.live ?? false,
    ended: message.ended ?? false,
    open: message.messageType !== 'marketClosed' && message.ended !== true,
    futures: message.futures ?? false,
    ...teams,
    mainHomeSpread: message.mainHomeSpread ?? undefined,
    mainTotal: message.mainTotal ?? undefined,
  };
}

/** Details of a recorded game beside its header. */
export const detailsOf = ({ kind }: Game, { periodName }: GameMessage): GameDetails => ({
  kind: kind === 'future' ? 'futures' : kind,
  periodName,
  marketName: undefined,
});

/** The changes that a message makes to a known game. Missing fields erase nothing. */
export function changeOf(message: GameMessage, before: Game, clock: TapeClock): Partial<Game> {
  const { start, live, ended, messageType, eventName, mainHomeSpread, mainTotal } = message;
  const teams = teamsOf(message);
  return {
    ...(teams === undefined || areEqual(before, teams) ? {} : teams),
    ...(start === undefined ? {} : { start: clock.venueTime(start) }),
    ...(live === undefined ? {} : { live }),
    ...(ended === undefined ? {} : { ended }),
    open: messageType === undefined ? before.open && ended !== true : messageType === 'marketOpen',
    ...(eventName === undefined ? {} : { eventName }),
    ...(mainHomeSpread === undefined ? {} : { mainHomeSpread: mainHomeSpread ?? undefined }),
    ...(mainTotal === undefined ? {} : { mainTotal: mainTotal ?? undefined }),
  };
}

/** Both teams of a message, or undefined when one is missing. */
function teamsOf({ participants = [] }: GameMessage): Teams | undefined {
  // the wire's order is away, home, unless `homeAway` says otherwise
  const home =
    participants.find((team) => team.homeAway === 'home') ??
    participants.find((team, index) => index === 1 && team.homeAway === undefined);
  const away =
    participants.find((team) => team.homeAway === 'away') ??
    participants.find((team, index) => index === 0 && team.homeAway === undefined);
  if (home === undefined || away === undefined) return undefined;
  return { home: participantOf(home), away: participantOf(away) };
}

const participantOf = ({ id, longName, shortName }: GameParticipant): Participant => ({
  id,
  name: longName ?? id,
  shortName: shortName ?? longName ?? id,
});

const areEqual = (before: Teams, { home, away }: Teams): boolean =>
  before.home.id === home.id &&
  before.home.name === home.name &&
  before.away.id === away.id &&
  before.away.name === away.name;
