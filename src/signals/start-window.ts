// How far apart an odds feed and the exchange may report the start of one game. The same teams meet again: a
// season later, daily in a series, within hours in a doubleheader, within one hour in table tennis. So the
// window depends on the league and is shorter than the shortest time between two games.
import type { Game } from '../domain/index.ts';
import type { OddsEvent } from './odds-event.ts';

const MINUTE_MS = 60_000;
/**
 * Window of leagues in which two teams meet at most once a day. The reported starts of a late game may differ
 * widely.
 */
const USUAL_MS = 90 * MINUTE_MS;
/**
 * Window of a doubleheader. Its two games are further apart; the listed start of the second is often a guess.
 */
const DOUBLEHEADER_MS = 30 * MINUTE_MS;
/** Window when a team name is only similar. */
const ALIKE_MS = 30 * MINUTE_MS;
/** Two games of a doubleheader start within this time; those of a series are a day apart. */
const ONE_DAY_MS = 12 * 60 * MINUTE_MS;

/** Windows by sport or league, as the vendor or the exchange writes them. */
const WINDOWS: readonly (readonly [named: RegExp, ms: number])[] = [
  // one pair plays several times a day
  [/table.?tennis|ping.?pong|e.?sports?\b|esoccer|ebasketball|cyber/i, 10 * MINUTE_MS],
  [/baseball|softball|\b(?:mlb|milb|npb|kbo|cpbl|lmb)\b/i, DOUBLEHEADER_MS],
];

export type StartWindow = {
  /** Largest difference between the two starts, ms. */
  readonly ms: number;
  /** Whether its teams may meet again on the same day. */
  readonly isTight: boolean;
};

/**
 * The window for an event and a game.
 * @param isTwice whether the feed or the exchange has another game of the two teams on that day
 * @param isCertain whether both team names are equal
 */
export function startWindow(
  { sport }: OddsEvent,
  game: Pick<Game, 'league' | 'sport'>,
  isTwice: boolean,
  isCertain: boolean,
): StartWindow {
  const names = [sport, game.sport, game.league];
  const ofLeague = WINDOWS.find(([named]) => names.some((name) => named.test(name)))?.[1] ?? USUAL_MS;
  const ms = isTwice ? Math.min(ofLeague, DOUBLEHEADER_MS) : ofLeague;
  return { ms: isCertain ? ms : Math.min(ms, ALIKE_MS), isTight: ms < USUAL_MS };
}

/** Whether two of these starts, Unix ms, are less than 12 hours apart. */
export const isTwiceADay = (starts: readonly number[]): boolean => {
  const sorted = [...starts].sort((a, b) => a - b);
  return sorted.some((start, index) => index > 0 && start - (sorted[index - 1] ?? start) < ONE_DAY_MS);
};

/** The largest window. Games outside it are reported as near misses only when the team names are equal. */
export const MOST_WINDOW_MS = USUAL_MS;
