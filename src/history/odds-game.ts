// A game that only odds documents know: its id, its league and its sport, by the names of the vendor.
import type { Game, GameId, ParticipantId } from '../domain/index.ts';
import type { OddsEvent } from '../signals/index.ts';
import { isoTime } from '../domain/index.ts';
import { eventText } from '../signals/index.ts';

/** `<home>|<away>|<start>`: blanks become `_`, since no name of a signal has any. */
export function oddsGameId({ home, away, start }: Pick<OddsEvent, 'home' | 'away' | 'start'>): GameId {
  const startText = isoTime(start).replace('.000Z', 'Z');
  return [home, away, startText].map((part) => part.replace(/\s+/g, '_')).join('|') as GameId;
}

/** The league in a vendor's key: `basketball_nba` is NBA. */
export function leagueOf(key: string): string {
  const [, ...rest] = key.split('_');
  return rest.length === 0 ? key : rest.join(' ').toUpperCase();
}

/** The sport in a vendor's key: `icehockey_nhl` is hockey. */
export const sportOf = (key: string): string => (key.split('_')[0] ?? '').replace(/^(?:american|ice)(?=[a-z])/, '');

/** The event as a game that has not begun. @param start of the event as last announced, Unix ms */
export function oddsGame(event: OddsEvent, start: number): Game {
  const team = (name: string) => ({ id: name as ParticipantId, name, shortName: name });
  return {
    id: oddsGameId({ ...event, start }),
    parentGameId: undefined,
    kind: 'game',
    period: 'full',
    league: leagueOf(event.sport),
    sport: sportOf(event.sport),
    eventName: eventText(event),
    start,
    live: false,
    ended: false,
    open: true,
    futures: false,
    home: team(event.home),
    away: team(event.away),
    mainHomeSpread: undefined,
    mainTotal: undefined,
  };
}
