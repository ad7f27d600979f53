// How far apart an odds feed and the exchange may report the start of one game. The same teams meet again: a season later, in a
// series day by day, in a doubleheader within hours, at table tennis within one. So the window goes by the league, and is
// narrower than the shortest way from one game to the next.
import type { Game } from '../domain/index.ts';
import type { OddsEvent } from './odds-event.ts';

const MINUTE_MS = 60_000;
/** Leagues in which two teams meet once a day at most: starts are reported hours apart when games are late. */
const USUAL_MS = 90 * MINUTE_MS;
/** Two games of a doubleheader are further apart; the second is often listed with a start that is a guess. */
const DOUBLEHEADER_MS = 30 * MINUTE_MS;
/** A name is only alike. */
const ALIKE_MS = 30 * MINUTE_MS;
/** Two games of a doubleheader start within this time; those of a series are a day apart. */
const ONE_DAY_MS = 12 * 60 * MINUTE_MS;

/** By sport or league, as the vendor and the exchange write them. */
const WINDOWS: readonly (readonly [named: RegExp, ms: number])[] = [
  // one pair plays several times a day
  [/table.?tennis|ping.?pong|e.?sports?\b|esoccer|ebasketball|cyber/i, 10 * MINUTE_MS],
  [/baseball|softball|\b(?:mlb|milb|npb|kbo|cpbl|lmb)\b/i, DOUBLEHEADER_MS],
];

export type StartWindow = {
  readonly ms: number;
  /** Its teams may meet again on the same day. */
  readonly isTight: boolean;
};

/** `isTwice`: the feed or the exchange has another game of the two teams on that day. `isCertain`: both names are the same. */
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

/** Two of these starts, Unix ms, are of one day. */
export const isTwiceADay = (starts: readonly number[]): boolean => {
  const sorted = [...starts].sort((a, b) => a - b);
  return sorted.some((start, index) => index > 0 && start - (sorted[index - 1] ?? start) < ONE_DAY_MS);
};

/** At another time only the very names are worth a word. */
export const MOST_WINDOW_MS = USUAL_MS;
