// Merges game headers: fields of a message replace the known ones, missing fields keep them.
import type { Game, GameMessage, GameParticipant, Participant } from '../domain/index.ts';
import { eventNameOf, partOf, withTeams } from '../domain/index.ts';

/**
 * The merged header. Undefined when a new game lacks what trading needs: two participants (home and away) and
 * a start.
 */
export function mergeGame(known: Game | undefined, message: GameMessage): Game | undefined {
  const home = participant(message.participants, 'home') ?? known?.home;
  const away = participant(message.participants, 'away') ?? known?.away;
  const start = message.start ?? known?.start;
  if (home === undefined || away === undefined || start === undefined) return undefined;
  const before = known === undefined ? undefined : withTeams(known, { home, away });
  const parentGameId = message.parentGameId ?? before?.parentGameId;
  const futures = message.futures ?? before?.futures ?? false;
  const { gameId, periodName, part } = message;
  const league = message.league ?? before?.league ?? '';
  const { kind, period } = partOf({ gameId, parentGameId, futures, league, periodName, part }, before);
  const merged: Game = {
    id: message.gameId,
    parentGameId,
    kind,
    period,
    league,
    sport: message.sport ?? before?.sport ?? '',
    eventName: message.eventName ?? before?.eventName ?? eventNameOf({ home, away }),
    start,
    live: message.live ?? before?.live ?? false,
    ended: message.ended ?? before?.ended ?? false,
    open: message.messageType === undefined ? (before?.open ?? true) : message.messageType === 'marketOpen',
    futures,
    home,
    away,
    mainHomeSpread:
      message.mainHomeSpread === undefined ? before?.mainHomeSpread : (message.mainHomeSpread ?? undefined),
    mainTotal: message.mainTotal === undefined ? before?.mainTotal : (message.mainTotal ?? undefined),
  };
  return known !== undefined && sameGame(known, merged) ? known : Object.freeze(merged);
}

function participant(list: readonly GameParticipant[] | undefined, homeAway: 'home' | 'away'): Participant | undefined {
  const found = list?.length === 2 ? list.find((listed) => listed.homeAway === homeAway) : undefined;
  if (found === undefined) return undefined;
  const name = found.longName ?? found.shortName ?? found.id;
  return Object.freeze({ id: found.id, name, shortName: found.shortName ?? name });
}

const sameGame = (a: Game, b: Game): boolean =>
  (Object.keys(b) as (keyof Game)[]).every((key) =>
    key === 'home' || key === 'away' ? a[key].id === b[key].id && a[key].name === b[key].name : a[key] === b[key],
  );
