// Matches events of an odds feed with games of the exchange. A price of the wrong game costs money, a missing
// price does not: both teams and the start must fit, ambiguous matches are refused, and every unmatched event
// is reported with its reason.
import type { Game } from '../domain/index.ts';
import { slipsBetween } from '../domain/index.ts';
import type { OddsEvent } from './odds-event.ts';
import type { StartWindow } from './start-window.ts';
import { isTwiceADay, MOST_WINDOW_MS, startWindow } from './start-window.ts';

/** The exchange's team names by the feed's team names. */
export type TeamTable = Readonly<Record<string, string>>;

export type MatchedEvent = {
  readonly event: OddsEvent;
  readonly game: Game;
  /** Whether the feed's home team is the exchange's away team. */
  readonly isTurned: boolean;
};
export type UnmatchedEvent = { readonly event: OddsEvent; readonly why: string };

/** Minimum for the sum of both teams' likenesses, each between 0 and 1 (certain). */
export const LEAST_LIKENESS = 1.75;

/**
 * Matches the events with the games.
 * @param rest awaited after each event to let other work run, since comparing many names takes a while
 * @param now Unix ms
 */
export async function matchEvents(
  events: readonly OddsEvent[],
  games: Iterable<Game>,
  table: TeamTable,
  rest: () => Promise<void>,
  now: number,
): Promise<{ readonly matched: readonly MatchedEvent[]; readonly unmatched: readonly UnmatchedEvent[] }> {
  const names = new Map(Object.entries(table).map(([from, to]) => [plainName(from), to]));
  const open = [...games]
    .filter(({ ended, futures, parentGameId }) => !ended && !futures && parentGameId === undefined)
    .map((game): OpenGame => ({
      game,
      home: namesOf(game.home),
      away: namesOf(game.away),
      sport: sportOf(game.sport.toLowerCase()),
      isWomens: WOMENS.test(game.league),
    }));
  const meetings = Map.groupBy(events, pairOf);
  const found: ({ readonly event: OddsEvent } & Candidates)[] = [];
  for (const event of events) {
    const others = (meetings.get(pairOf(event)) ?? []).filter((other) => other !== event);
    const query = { event, now, isTwice: others.some(({ start }) => isTwiceADay([start, event.start])) };
    const certain = candidatesOf(query, open, names, isOneOf);
    found.push({
      event,
      ...(certain.fitting.length > 0 ? certain : candidatesOf(query, open, names, likenessOf)),
    });
    await rest();
  }
  const claims = new Map<string, number>();
  for (const { fitting } of found) for (const { game } of fitting) claims.set(game.id, (claims.get(game.id) ?? 0) + 1);
  const matched: MatchedEvent[] = [];
  const unmatched: UnmatchedEvent[] = [];
  for (const { event, fitting, why } of found) {
    const [first, second] = fitting;
    if (first === undefined) unmatched.push({ event, why });
    else if (second !== undefined) unmatched.push({ event, why: 'it fits more than one game' });
    else if ((claims.get(first.game.id) ?? 0) > 1)
      unmatched.push({ event, why: `another event fits ${first.game.eventName} as well` });
    else matched.push({ event, ...first });
  }
  return { matched, unmatched };
}

/** A plain name, and the parts of it that must be equal in similar names. */
type Name = { readonly text: string; readonly marks: string; readonly digits: string };
type OpenGame = {
  readonly game: Game;
  readonly home: readonly Name[];
  readonly away: readonly Name[];
  readonly sport: string | undefined;
  readonly isWomens: boolean;
};

function nameOf(name: string): Name {
  const text = plainName(name);
  return { text, marks: marksOf(text), digits: text.replace(/\D+/g, ' ') };
}
const namesOf = ({ name, shortName }: Game['home']): readonly Name[] => [...new Set([name, shortName])].map(nameOf);

/** A key of the two teams, the same whichever is at home. */
const pairOf = ({ home, away }: OddsEvent): string => [home, away].map(plainName).sort().join('|');

type Query = {
  readonly event: OddsEvent;
  /** Whether the feed has another event of the two teams on that day. */
  readonly isTwice: boolean;
  /** Unix ms. */
  readonly now: number;
};
type Namesake = Omit<MatchedEvent, 'event'> & { readonly likeness: number; readonly apartMs: number };
type Candidates = {
  readonly fitting: readonly Omit<MatchedEvent, 'event'>[];
  readonly why: string;
};

/** The games that fit an event, and why the nearest one does not. */
function candidatesOf(
  { event, now, isTwice }: Query,
  games: readonly OpenGame[],
  table: ReadonlyMap<string, string>,
  compareNear: (name: Name, names: readonly Name[]) => number,
): Candidates {
  const known = (name: string): Name => nameOf(table.get(plainName(name)) ?? name);
  const [sport, isWomens] = [sportOf(event.sport), WOMENS.test(event.sport)];
  const [home, away] = [known(event.home), known(event.away)];
  const namesakes: Namesake[] = [];
  let nearest: { readonly likeness: number; readonly why: string } | undefined;
  const note = (likeness: number, why: string): void => {
    if (likeness > (nearest?.likeness ?? 0)) nearest = { likeness, why };
  };
  for (const { game, ...teams } of games) {
    if (isWomens !== teams.isWomens) continue;
    if (sport !== undefined && teams.sport !== undefined && sport !== teams.sport) continue;
    const apartMs = Math.abs(event.start - game.start);
    // outside the largest window only equal names are worth reporting
    const compare = apartMs <= MOST_WINDOW_MS ? compareNear : isOneOf;
    for (const isTurned of [false, true]) {
      const [first, second] = isTurned ? [teams.away, teams.home] : [teams.home, teams.away];
      const parts = [compare(home, first), compare(away, second)] as const;
      const likeness = parts[0] + parts[1];
      if (Math.min(...parts) > 0 && likeness >= LEAST_LIKENESS) namesakes.push({ game, isTurned, likeness, apartMs });
      else if (Math.max(...parts) > 0 && apartMs <= MOST_WINDOW_MS)
        note(likeness, `one team alone is in ${game.eventName}`);
    }
  }
  const isDouble = isTwice || isTwiceADay(namesakes.map(({ game }) => game.start));
  const fitting: Omit<MatchedEvent, 'event'>[] = [];
  for (const { game, isTurned, likeness, apartMs } of namesakes) {
    const window = startWindow(event, game, isDouble, likeness === 2);
    const why = apartMs > window.ms ? apartText(apartMs, window) : orderText(event, game, now);
    if (why === undefined) fitting.push({ game, isTurned });
    else note(likeness, `${game.eventName} ${why}`);
  }
  return { fitting, why: nearest?.why ?? 'no game has these teams' };
}

const apartText = (apartMs: number, { ms, isTight }: StartWindow): string =>
  `starts ${Math.round(apartMs / 60_000)} minutes apart${isTight ? `: its teams may meet twice a day, and at most ${ms / 60_000} are one game` : ''}`;

/**
 * Why an event does not fit a game by its state: a game in play never takes the price of an event that has
 * not begun.
 */
function orderText(event: OddsEvent, game: Game, now: number): string | undefined {
  const hasBegun = game.live || game.start <= now;
  return hasBegun && event.start > now ? 'has begun, and the event is still to come' : undefined;
}

/** How alike two names of a team are: 1 equal, 0 different; LEAST_LIKENESS holds for the sum of both teams. */
export const teamLikeness = (name: string, known: string): number => likenessOf(nameOf(name), [nameOf(known)]);

const isOneOf = ({ text }: Name, names: readonly Name[]): number =>
  names.some((known) => known.text === text) ? 1 : 0;

/**
 * How alike a name is to the best of these. 1: equal; 0.9: equal without the place before it; 0.85: a typing
 * error; 0: different.
 */
function likenessOf(name: Name, names: readonly Name[]): number {
  let best = isOneOf(name, names);
  for (const known of names) {
    if (best === 1 || name.marks !== known.marks) continue;
    if (isEndOf(name.text, known.text) || isEndOf(known.text, name.text)) best = 0.9;
    else if (best === 0 && name.digits === known.digits && isSlip(name.text, known.text)) best = 0.85;
  }
  return best;
}

/** Whether two names differ only by a typing error: one slip per eight letters at most. */
function isSlip(name: string, known: string): boolean {
  const most = Math.floor(Math.min(name.length, known.length) / 8);
  return Math.abs(name.length - known.length) <= most && most > 0 && slipsBetween(name, known) <= most;
}

/**
 * Whether the short name is the end of the long one, as `Lakers` of `Los Angeles Lakers`. `Carolina` is not
 * the end of `North Carolina`: with a direction before it, it is another place.
 */
function isEndOf(short: string, long: string): boolean {
  if (short.length < 4 || !long.endsWith(` ${short}`)) return false;
  const [before = ''] = long.slice(0, -short.length).trim().split(' ').slice(-1);
  return !DIRECTIONS.has(before);
}
const DIRECTIONS: ReadonlySet<string> = new Set(
  'north south east west northern southern eastern western central upper lower new old real inter atletico'.split(' '),
);

/** The marks of women's, reserve and youth teams, which share the names of the main teams. */
const marksOf = (text: string): string =>
  text
    .split(' ')
    .map((word) => MARKS.get(word) ?? (/^u\d\d$/.test(word) ? word : ''))
    .filter(Boolean)
    .sort()
    .join(' ');
const MARKS: ReadonlyMap<string, string> = new Map([
  ...['w', 'women', 'womens', 'ladies', 'femenino', 'feminine', 'frauen'].map((word) => [word, 'women'] as const),
  ...['ii', 'b', 'reserves', 'reserve', 'youth', 'academy'].map((word) => [word, 'reserves'] as const),
]);

/**
 * A name in lower case, without accents and punctuation. Two names with equal plain names are the same name.
 */
export const plainName = (name: string): string =>
  name
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/&/g, ' and ')
    .replace(/['’.]/g, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

/** Sports and their patterns. American football and soccer are one, because `football` means either. */
const SPORTS: readonly (readonly [sport: string, named: RegExp])[] = [
  ['basketball', /basketball/],
  ['hockey', /hockey/],
  ['baseball', /baseball/],
  ['tennis', /^tennis/],
  ['fighting', /mma|martial|boxing/],
  ['cricket', /cricket/],
  ['football', /football|soccer/],
];

/**
 * The sport in a vendor's key or in the exchange's text. Undefined when not listed; it then fits any sport.
 */
const sportOf = (text: string): string | undefined => SPORTS.find(([, named]) => named.test(text))?.[0];
const WOMENS = /women|wnba|wncaa|ncaaw|nwsl|wta/i;
