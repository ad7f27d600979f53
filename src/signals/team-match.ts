// Which game of the exchange an event of an odds feed is. A price of another game costs money and a missing one none: so both
// teams and the start must fit, what fits twice is refused, and everything that did not match is told with the reason.
import type { Game } from '../domain/index.ts';
import { slipsBetween } from '../domain/index.ts';
import type { OddsEvent } from './odds-event.ts';
import type { StartWindow } from './start-window.ts';
import { isTwiceADay, MOST_WINDOW_MS, startWindow } from './start-window.ts';

/** Names in the feed, and what the exchange calls them. */
export type TeamTable = Readonly<Record<string, string>>;

export type MatchedEvent = {
  readonly event: OddsEvent;
  readonly game: Game;
  /** The feed's home team is the exchange's away team. */
  readonly isTurned: boolean;
};
export type UnmatchedEvent = { readonly event: OddsEvent; readonly why: string };

/** Of the two likenesses together; certain is 1. */
const LEAST_LIKENESS = 1.75;

/** `rest`: called between events, since names of many games take a while to compare. `now`: Unix ms. */
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
    const others = (meetings.get(pairOf(event)) ?? []).filter((one) => one !== event);
    const asked = { event, now, isTwice: others.some(({ start }) => isTwiceADay([start, event.start])) };
    const certain = candidatesOf(asked, open, names, isOneOf);
    found.push({
      event,
      ...(certain.fitting.length > 0 ? certain : candidatesOf(asked, open, names, likenessOf)),
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

/** A name without accents and signs, and what of it must be the same. */
type Name = { readonly text: string; readonly marks: string; readonly digits: string };
type OpenGame = {
  readonly game: Game;
  readonly home: readonly Name[];
  readonly away: readonly Name[];
  readonly sport: string | undefined;
  readonly isWomens: boolean;
};

function nameOf(told: string): Name {
  const text = plainName(told);
  return { text, marks: marksOf(text), digits: text.replace(/\D+/g, ' ') };
}
const namesOf = ({ name, shortName }: Game['home']): readonly Name[] => [...new Set([name, shortName])].map(nameOf);

/** The same for all events between two teams, at home and away. */
const pairOf = ({ home, away }: OddsEvent): string => [home, away].map(plainName).sort().join('|');

type Asked = {
  readonly event: OddsEvent;
  /** The feed has another event of the two teams on that day. */
  readonly isTwice: boolean;
  /** Unix ms. */
  readonly now: number;
};
type Namesake = Omit<MatchedEvent, 'event'> & { readonly likeness: number; readonly apartMs: number };
type Candidates = {
  readonly fitting: readonly Omit<MatchedEvent, 'event'>[];
  readonly why: string;
};

function candidatesOf(
  { event, now, isTwice }: Asked,
  games: readonly OpenGame[],
  table: ReadonlyMap<string, string>,
  compareNear: (told: Name, names: readonly Name[]) => number,
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
    // at another time only the very names are worth a word
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

/** A game in play never takes the price of an event that has not begun. */
function orderText(event: OddsEvent, game: Game, now: number): string | undefined {
  const hasBegun = game.live || game.start <= now;
  return hasBegun && event.start > now ? 'has begun, and the event is still to come' : undefined;
}

const isOneOf = ({ text }: Name, names: readonly Name[]): number =>
  names.some((known) => known.text === text) ? 1 : 0;

/** 1: certain; 0.9: the same without the place before it; 0.85: a slip; 0: another. */
function likenessOf(told: Name, names: readonly Name[]): number {
  let best = isOneOf(told, names);
  for (const known of names) {
    if (best === 1 || told.marks !== known.marks) continue;
    if (isEndOf(told.text, known.text) || isEndOf(known.text, told.text)) best = 0.9;
    else if (best === 0 && told.digits === known.digits && isSlip(told.text, known.text)) best = 0.85;
  }
  return best;
}

function isSlip(told: string, known: string): boolean {
  const most = Math.floor(Math.min(told.length, known.length) / 8);
  return Math.abs(told.length - known.length) <= most && most > 0 && slipsBetween(told, known) <= most;
}

/** `Lakers` of `Los Angeles Lakers`, and not `Carolina` of `North Carolina`: what a direction goes before is another place. */
function isEndOf(short: string, long: string): boolean {
  if (short.length < 4 || !long.endsWith(` ${short}`)) return false;
  const [before = ''] = long.slice(0, -short.length).trim().split(' ').slice(-1);
  return !DIRECTIONS.has(before);
}
const DIRECTIONS: ReadonlySet<string> = new Set(
  'north south east west northern southern eastern western central upper lower new old real inter atletico'.split(' '),
);

/** Women, reserves and youth play under the names of others. */
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

/** In small letters, without accents and signs: names that are the same by it are the same. */
export const plainName = (name: string): string =>
  name
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/&/g, ' and ')
    .replace(/['’.]/g, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

/** What is football depends on where one is. */
const SPORTS: readonly (readonly [sport: string, named: RegExp])[] = [
  ['basketball', /basketball/],
  ['hockey', /hockey/],
  ['baseball', /baseball/],
  ['tennis', /^tennis/],
  ['fighting', /mma|martial|boxing/],
  ['cricket', /cricket/],
  ['football', /football|soccer/],
];

/** Of a vendor's key, or as the exchange says it; undefined: another one, which may be any. */
const sportOf = (told: string): string | undefined => SPORTS.find(([, named]) => named.test(told))?.[0];
const WOMENS = /women|wnba|wncaa|ncaaw|nwsl|wta/i;
