// The header of a game as a recording tells it, at the time of the venue.
import type { Game, GameMessage, GameParticipant, Participant, Teams } from '../domain/index.ts';
import { eventNameOf, partOf } from '../domain/index.ts';
import type { GameDetails } from '../venue/index.ts';
import type { TapeClock } from './tape-clock.ts';

/** `asLeague`: in the place of the recorded one. Undefined while the teams or the start are not told. */
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

/** What a game of a recording is beside its header. */
export const detailsOf = ({ kind }: Game, { periodName }: GameMessage): GameDetails => ({
  kind: kind === 'future' ? 'futures' : kind,
  periodName,
  marketName: undefined,
});

/** What a message tells of a game that is known; what it leaves out erases nothing. */
export function changeOf(message: GameMessage, before: Game, clock: TapeClock): Partial<Game> {
  const { start, live, ended, messageType, eventName, mainHomeSpread, mainTotal } = message;
  const teams = teamsOf(message);
  return {
    ...(teams === undefined || isAsTold(before, teams) ? {} : teams),
    ...(start === undefined ? {} : { start: clock.venueTime(start) }),
    ...(live === undefined ? {} : { live }),
    ...(ended === undefined ? {} : { ended }),
    open: messageType === undefined ? before.open && ended !== true : messageType === 'marketOpen',
    ...(eventName === undefined ? {} : { eventName }),
    ...(mainHomeSpread === undefined ? {} : { mainHomeSpread: mainHomeSpread ?? undefined }),
    ...(mainTotal === undefined ? {} : { mainTotal: mainTotal ?? undefined }),
  };
}

/** Undefined where not both are told. */
function teamsOf({ participants = [] }: GameMessage): Teams | undefined {
  // the wire's order is away, home; `homeAway` decides where it is told
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

const isAsTold = (before: Teams, { home, away }: Teams): boolean =>
  before.home.id === home.id &&
  before.home.name === home.name &&
  before.away.id === away.id &&
  before.away.name === away.name;
