// Which game of the exchange an event of an odds feed is. A price of another game costs money and a missing one none: so both
// teams and the start must fit, what fits twice is refused, and everything that did not match is told with the reason.
import type { Game } from '../domain/index.ts';
import { slipsBetween } from '../domain/index.ts';
import type { OddsEvent } from './odds-shape.ts';

/** Names in the feed, and what the exchange calls them. */
export type TeamTable = Readonly<Record<string, string>>;

export type MatchedEvent = {
  readonly event: OddsEvent;
  readonly game: Game;
  /** The feed's home team is the exchange's away team. */
  readonly isTurned: boolean;
};
export type UnmatchedEvent = { readonly event: OddsEvent; readonly why: string };

/** Both teams are certain: starts are told differently by hours when games are late, but a doubleheader is further apart. */
const CERTAIN_WITHIN_MS = 90 * 60_000;
/** A name is only alike. */
const ALIKE_WITHIN_MS = 30 * 60_000;
/** Of the two likenesses together; certain is 1. */
const LEAST_LIKENESS = 1.75;

export function matchEvents(
  events: readonly OddsEvent[],
  games: Iterable<Game>,
  table: TeamTable,
): { readonly matched: readonly MatchedEvent[]; readonly unmatched: readonly UnmatchedEvent[] } {
  const names = new Map(Object.entries(table).map(([from, to]) => [plain(from), to]));
  const open = [...games].filter(
    ({ ended, futures, parentGameId }) => !ended && !futures && parentGameId === undefined,
  );
  const found = events.map((event) => ({ event, ...candidatesOf(event, open, names) }));
  const claims = new Map<string, number>();
  for (const { fitting } of found)
    for (const { game } of fitting) claims.set(game.id, (claims.get(game.id) ?? 0) + 1);
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

type Candidates = {
  readonly fitting: readonly Omit<MatchedEvent, 'event'>[];
  readonly why: string;
};

function candidatesOf(
  event: OddsEvent,
  games: readonly Game[],
  names: ReadonlyMap<string, string>,
): Candidates {
  const [home, away] = [event.home, event.away].map((name) => names.get(plain(name)) ?? name) as [
    string,
    string,
  ];
  const fitting: Omit<MatchedEvent, 'event'>[] = [];
  let nearest: { readonly likeness: number; readonly why: string } | undefined;
  for (const game of games) {
    if (!areOfOneSport(event, game)) continue;
    for (const isTurned of [false, true]) {
      const [first, second] = isTurned ? [game.away, game.home] : [game.home, game.away];
      const parts = [likenessOf(home, first), likenessOf(away, second)] as const;
      const likeness = parts[0] + parts[1];
      if (Math.min(...parts) === 0 || likeness < LEAST_LIKENESS) {
        if (Math.max(...parts) > 0.8 && likeness > (nearest?.likeness ?? 0))
          nearest = { likeness, why: `one team alone is in ${game.eventName}` };
        continue;
      }
      const apartMs = Math.abs(event.start - game.start);
      if (apartMs <= (likeness === 2 ? CERTAIN_WITHIN_MS : ALIKE_WITHIN_MS)) fitting.push({ game, isTurned });
      else if (likeness >= (nearest?.likeness ?? 0))
        nearest = {
          likeness,
          why: `${game.eventName} starts ${Math.round(apartMs / 60_000)} minutes apart`,
        };
    }
  }
  return { fitting, why: nearest?.why ?? 'no game has these teams' };
}

/** 1: certain; 0.9: the same without the place before it; 0.85: a slip; 0: another. */
function likenessOf(name: string, team: Game['home']): number {
  const told = plain(name);
  let best = 0;
  for (const known of new Set([team.name, team.shortName].map(plain))) {
    if (told === known) return 1;
    if (marksOf(told) !== marksOf(known)) continue;
    if (isEndOf(told, known) || isEndOf(known, told)) best = Math.max(best, 0.9);
    const letters = Math.min(told.length, known.length);
    // numbers in names are never slips
    if (letters >= 8 && digitsOf(told) === digitsOf(known) && slipsBetween(told, known) <= letters / 8)
      best = Math.max(best, 0.85);
  }
  return best;
}

/** `Lakers` of `Los Angeles Lakers`, and not `Carolina` of `North Carolina`: what a direction goes before is another place. */
function isEndOf(short: string, long: string): boolean {
  if (short.length < 4 || !long.endsWith(` ${short}`)) return false;
  const [before = ''] = long.slice(0, -short.length).trim().split(' ').slice(-1);
  return !DIRECTIONS.has(before);
}
const DIRECTIONS: ReadonlySet<string> = new Set(
  'north south east west northern southern eastern western central upper lower new old real inter atletico'.split(
    ' ',
  ),
);

const digitsOf = (text: string): string => text.replace(/\D+/g, ' ');

/** Women, reserves and youth play under the names of others. */
const marksOf = (text: string): string =>
  text
    .split(' ')
    .map((word) => MARKS.get(word) ?? (/^u\d\d$/.test(word) ? word : ''))
    .filter(Boolean)
    .sort()
    .join(' ');
const MARKS: ReadonlyMap<string, string> = new Map([
  ...['w', 'women', 'womens', 'ladies', 'femenino', 'feminine', 'frauen'].map(
    (word) => [word, 'women'] as const,
  ),
  ...['ii', 'b', 'reserves', 'reserve', 'youth', 'academy'].map((word) => [word, 'reserves'] as const),
]);

/** In small letters, without accents and signs. */
const plain = (name: string): string =>
  name
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/&/g, ' and ')
    .replace(/['’.]/g, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

const SPORTS: readonly (readonly [key: RegExp, sport: RegExp])[] = [
  [/^basketball/, /basketball/],
  [/^icehockey/, /hockey/],
  [/^baseball/, /baseball/],
  [/^tennis/, /tennis/],
  [/^mma/, /mma|martial/],
  [/^boxing/, /boxing/],
  [/^cricket/, /cricket/],
  // what is football depends on where one is
  [/^(?:americanfootball|soccer)/, /football|soccer/],
];

function areOfOneSport({ sport }: OddsEvent, game: Game): boolean {
  if (WOMENS.test(sport) !== WOMENS.test(game.league)) return false;
  const [, known] = SPORTS.find(([key]) => key.test(sport)) ?? [];
  const own = game.sport.toLowerCase();
  const isKnown = SPORTS.some(([, of]) => of.test(own));
  return known === undefined || !isKnown || known.test(own);
}
const WOMENS = /women|wnba|wncaa|ncaaw|nwsl|wta/i;
