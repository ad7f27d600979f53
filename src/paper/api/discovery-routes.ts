// Routes that list what can be traded: leagues, games, events of a sport, participants, and the lists of the
// app's pages. The league name `upcoming`, in any case, means every league.
import { plainName } from '../../domain/index.ts';
import { readText } from '../../wire/index.ts';
import type { Json } from '../../wire/index.ts';
import type { VenueGame, Venue } from '../../venue/index.ts';
import { isPublished, refuse } from '../../venue/index.ts';
import { participantsOf } from './book-json.ts';
import type { Answer, Route, RouteContext } from './route.ts';
import { READ } from './route.ts';

const EVERY_LEAGUE = 'upcoming';
/** The number that the app's page shows. */
const MOST_UPCOMING = 20;

export function discoveryRoutes({ venue, book }: RouteContext): readonly Route[] {
  const current = (league: string | undefined, sport: string | undefined): VenueGame[] =>
    gamesOf(venue, league, sport).filter((game) => !game.header.ended);
  const headers = (name: string, games: readonly VenueGame[]): Answer => ({
    json: `{"data":{"${name}":[${games.map((game) => book.countedHeader(game)).join(',')}]}}`,
  });
  return [
    {
      methods: READ,
      paths: ['/exchange/getLeagues'],
      kind: 'read',
      handle: ({ params }) => ({
        data: { availableLeagues: leaguesOf(current(undefined, readText(params['sport']))) },
      }),
    },
    {
      methods: READ,
      paths: ['/exchange/getSportLeagues'],
      kind: 'read',
      handle: () => {
        const bySport = Map.groupBy(current(undefined, undefined), ({ header }) => header.sport);
        const sports = [...bySport].map(([sport, games]) => [sport, leaguesOf(games)] as const);
        return { data: { sportsAvailable: Object.fromEntries(sports) } };
      },
    },
    {
      methods: READ,
      paths: ['/exchange/v2/getGames', '/exchange/getGames'],
      kind: 'read',
      handle: ({ params }) => {
        const league = readText(params['league']);
        if (league === undefined) return refuse(400, '"league" is required');
        return headers('games', current(league, readText(params['sport'])));
      },
    },
    {
      methods: READ,
      paths: ['/exchange/getEvents'],
      kind: 'read',
      handle: ({ params }) => {
        const sport = readText(params['sport']);
        if (sport === undefined) return refuse(400, '"sport" is required');
        return headers('availableEvents', current(undefined, sport));
      },
    },
    {
      methods: READ,
      paths: ['/exchange/getUpcomingEvent'],
      kind: 'read',
      handle: ({ nowMs }) => {
        const ahead = current(undefined, undefined).filter(
          (game) => isPublished(game) && !game.header.live && game.header.start > nowMs,
        );
        ahead.sort((a, b) => a.header.start - b.header.start);
        return headers('games', ahead.slice(0, MOST_UPCOMING));
      },
    },
    {
      methods: READ,
      paths: ['/exchange/getParticipants'],
      kind: 'read',
      handle: ({ params }) => {
        const isActive = params['active'] === true || params['active'] === 'true';
        const games = allOf(venue).filter((game) => !isActive || !game.header.ended);
        return { data: { participants: participantsIn(games) } };
      },
    },
  ];
}

export const allOf = ({ games }: Venue): VenueGame[] => [...games.values()];

export function gamesOf(venue: Venue, league: string | undefined, sport: string | undefined): VenueGame[] {
  const wanted = league !== undefined && same(league, EVERY_LEAGUE) ? undefined : league;
  return allOf(venue).filter(
    ({ header }) =>
      (wanted === undefined || same(header.league, wanted)) && (sport === undefined || same(header.sport, sport)),
  );
}

const same = (a: string, b: string): boolean => a === b || plainName(a) === plainName(b);

const leaguesOf = (games: readonly VenueGame[]): readonly string[] => [
  ...new Set(games.map((game) => game.header.league)),
];

/** The participants of these games, each once, with the league of its first game. */
function participantsIn(games: readonly VenueGame[]): readonly Json[] {
  const byId = new Map<string, Json>();
  for (const game of games) {
    const { league, sport } = game.header;
    for (const { id, longName, shortName } of participantsOf(game))
      if (!byId.has(id)) byId.set(id, { participantID: id, longName, shortName, league, sport });
  }
  return [...byId.values()];
}
