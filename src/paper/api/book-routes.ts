// Discovery and the public book: leagues, games, one league's books by page, one game's book.
import type { GameId } from '../../domain/index.ts';
import { dollarsOfMicros } from '../../domain/index.ts';
import { readNumber, readText } from '../../wire/index.ts';
import type { GameKind, VenueGame } from '../venue/market-book.ts';
import { isPublished, openInterestOf } from '../venue/market-book.ts';
import { refuse } from '../venue/refusal.ts';
import type { Answer, Call, Params, Route, RouteContext } from './route.ts';
import { READ } from './route.ts';

const same = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

export function bookRoutes(context: RouteContext): readonly Route[] {
  const { venue } = context;
  const games = (): VenueGame[] => [...venue.games.values()];
  return [
    {
      methods: READ,
      paths: ['/exchange/getLeagues'],
      kind: 'read',
      handle: ({ params }) => {
        const sport = readText(params['sport']);
        const told = games().filter(
          (game) => !game.header.ended && (sport === undefined || same(game.header.sport, sport)),
        );
        return { data: { availableLeagues: [...new Set(told.map((game) => game.header.league))] } };
      },
    },
    {
      methods: READ,
      paths: ['/exchange/v2/getGames', '/exchange/getGames'],
      kind: 'read',
      handle: ({ params }) => {
        const league = readText(params['league']);
        if (league === undefined) return refuse(400, '"league" is required');
        const told = games().filter(
          (game) =>
            !game.header.ended &&
            fits(game, league === 'upcoming' ? undefined : league, readText(params['sport'])),
        );
        return { json: `{"data":{"games":[${told.map((game) => context.book.header(game)).join(',')}]}}` };
      },
    },
    {
      methods: READ,
      paths: ['/exchange/getOrderbook'],
      kind: 'read',
      handle: (call) => leagueBook(context, games(), call),
    },
    {
      methods: READ,
      paths: ['/exchange/getSingleOrderbook'],
      kind: 'read',
      handle: (call) => gameBook(context, games(), call),
    },
  ];
}

const fits = (game: VenueGame, league: string | undefined, sport: string | undefined): boolean =>
  (league === undefined || same(game.header.league, league)) &&
  (sport === undefined || same(game.header.sport, sport));

function leagueBook(
  { venue, book }: RouteContext,
  games: readonly VenueGame[],
  { account, params }: Call,
): Answer {
  const league = readText(params['leagueRequested']) ?? readText(params['league']);
  if (league === undefined) return refuse(400, '"leagueRequested" is required');
  const sport = readText(params['sportRequested']);
  // period markets and player props are told with their parent
  const found = games.filter((game) => isPublished(game) && !isPart(game) && fits(game, league, sport));
  const sortBy = params['sortBy'];
  if (sortBy === 'matchedVolume') found.sort((a, b) => b.matched - a.matched);
  if (sortBy === 'openInterest') sortByOpenInterest(found);
  const limit = pageNumber(params, 'limit', Math.min(1000, venue.profile.pageSize), 1000);
  const page = pageNumber(params, 'page', 1, 1e9);
  const totalPages = Math.max(1, Math.ceil(found.length / limit));
  const shown = found.slice((page - 1) * limit, page * limit);
  const pagination = {
    totalDocs: found.length,
    limit,
    page,
    totalPages,
    hasPrevPage: page > 1,
    hasNextPage: page < totalPages,
  };
  return {
    json: `{"data":{"market":${marketOf(shown)},"games":[${shown.map((game) => book.game(game, account)).join(',')}],"orderSummary":${book.summary(shown)},"pagination":${JSON.stringify(pagination)}}}`,
  };
}

const isPart = ({ details }: VenueGame): boolean => details.kind === 'child' || details.kind === 'prop';

/** The market's name when all of these are futures of one market. */
function marketOf(games: readonly VenueGame[]): string {
  const name = games[0]?.details.marketName;
  return games.every(({ details }) => details.marketName === name) ? JSON.stringify(name ?? null) : 'null';
}

function sortByOpenInterest(games: VenueGame[]): void {
  const interest = new Map(games.map((game) => [game, openInterestOf(game)]));
  games.sort((a, b) => (interest.get(b) ?? 0) - (interest.get(a) ?? 0));
}

function gameBook(
  { venue, book }: RouteContext,
  games: readonly VenueGame[],
  { account, params }: Call,
): Answer {
  const id = params['gameID'];
  const game = typeof id === 'string' ? venue.games.get(id as GameId) : undefined;
  if (game === undefined)
    return refuse(400, `Invalid gameID: ${typeof id === 'string' ? id.slice(0, 100) : ''}`);
  const text = book.game(game, account, isPublished(game) ? undefined : 'marketClosed');
  const parts = games.filter((one) => one.header.parentGameId === game.header.id && !one.header.ended);
  const partsOf = (kind: GameKind): string =>
    parts
      .filter(({ details }) => (details.kind === 'prop') === (kind === 'prop'))
      .map((one) => book.game(one, account))
      .join(',');
  const entry = `${text.slice(0, -1)},"matchedVolume":${dollarsOfMicros(game.matched)}}`;
  return {
    json: `{"data":{"market":${marketOf([game])},"game":${entry},"orderSummary":${book.summary([game])},"childGames":[${partsOf('child')}],"propGames":[${partsOf('prop')}]}}`,
  };
}

function pageNumber(params: Params, name: string, otherwise: number, most: number): number {
  const value = readNumber(params[name]);
  return value === undefined || value < 1 ? otherwise : Math.min(most, Math.floor(value));
}
