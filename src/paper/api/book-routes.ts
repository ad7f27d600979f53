// Routes of the public book: one league's books by page, one game's book, the flat form of `v2`, and the most
// traded games.
import type { GameId } from '../../domain/index.ts';
import { readNumber, readText } from '../../wire/index.ts';
import type { VenueAccount, GameKind, VenueGame, Refusal, Venue } from '../../venue/index.ts';
import { isPublished, openInterestOf, refuse } from '../../venue/index.ts';
import { withCounts } from './book-json.ts';
import { allOf, gamesOf } from './discovery-routes.ts';
import { orderJson } from './record-json.ts';
import type { Answer, Call, Params, Route, RouteContext } from './route.ts';
import { READ } from './route.ts';

/** The number that the app's page shows. */
const MOST_TOP_TRADED = 10;

export const bookRoutes = (context: RouteContext): readonly Route[] => [
  {
    methods: READ,
    paths: ['/exchange/getOrderbook'],
    kind: 'read',
    handle: (call) => leagueBook(context, call),
  },
  {
    methods: READ,
    paths: ['/exchange/getSingleOrderbook'],
    kind: 'read',
    handle: (call) => gameBook(context, call),
  },
  {
    methods: READ,
    paths: ['/exchange/v2/getOrderbook'],
    kind: 'read',
    handle: (call) => flatBooks(context, call),
  },
  {
    methods: READ,
    paths: ['/session/getTopTraded'],
    kind: 'read',
    handle: ({ account }) => {
      const traded = allOf(context.venue).filter((game) => isPublished(game) && !isPart(game));
      const top = traded.sort((a, b) => b.matched - a.matched).slice(0, MOST_TOP_TRADED);
      return { json: `{"data":{"topTradedOrderbooks":${flatJson(context, top, account)}}}` };
    },
  },
];

function leagueBook({ venue, book }: RouteContext, { account, params }: Call): Answer {
  const league = readText(params['leagueRequested']) ?? readText(params['league']);
  if (league === undefined) return refuse(400, '"leagueRequested" is required');
  // period markets and player props are sent with their parent, unless they belong to another league
  const found = gamesOf(venue, league, readText(params['sportRequested'])).filter(
    (game) => isPublished(game) && !isBesideParent(venue, game),
  );
  const sortBy = params['sortBy'];
  if (sortBy === 'matchedVolume') found.sort((a, b) => b.matched - a.matched);
  if (sortBy === 'openInterest') sortByOpenInterest(found);
  const limit = pageNumber(params, 'limit', Math.min(1000, venue.profile.pageSize), 1000);
  const page = pageNumber(params, 'page', 1, 1e9);
  const totalPages = Math.max(1, Math.ceil(found.length / limit));
  // preset `family` allows it: games may end while a client pages
  if (page > totalPages && venue.profile.preset !== 'family') return refuse(400, beyondLast(page, totalPages));
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
    json: `{"data":{"market":${marketOf(shown)},"games":[${shown.map((game) => book.game(game, account)).join(',')}],"orderSummary":${summaryJson(account, shown)},"pagination":${JSON.stringify(pagination)}}}`,
  };
}

const beyondLast = (page: number, last: number): string =>
  `"page" ${page} is beyond the last: ${last === 1 ? 'there is one page' : `there are ${last} pages`}`;

const isPart = ({ details }: VenueGame): boolean => details.kind === 'child' || details.kind === 'prop';

/** Whether the game is a part of a game in the same league. */
function isBesideParent({ games }: Venue, game: VenueGame): boolean {
  if (!isPart(game)) return false;
  const { parentGameId, league } = game.header;
  const parent = parentGameId === undefined ? undefined : games.get(parentGameId);
  return parent?.header.league === league;
}

/** The market's name when all of these are futures of one market. */
function marketOf(games: readonly VenueGame[]): string {
  const name = games[0]?.details.marketName;
  return games.every(({ details }) => details.marketName === name) ? JSON.stringify(name ?? null) : 'null';
}

function sortByOpenInterest(games: VenueGame[]): void {
  const interest = new Map(games.map((game) => [game, openInterestOf(game)]));
  games.sort((a, b) => (interest.get(b) ?? 0) - (interest.get(a) ?? 0));
}

function gameBook({ venue, book }: RouteContext, { account, params }: Call): Answer {
  const game = gameIn(venue, params);
  if ('ok' in game) return game;
  const text = book.game(game, account, isPublished(game) ? undefined : 'marketClosed');
  const parts = allOf(venue).filter((part) => part.header.parentGameId === game.header.id && !part.header.ended);
  const partsOf = (kind: GameKind): string =>
    parts
      .filter(({ details }) => (details.kind === 'prop') === (kind === 'prop'))
      .map((part) => withCounts(book.game(part, account), part))
      .join(',');
  return {
    json: `{"data":{"market":${marketOf([game])},"game":${withCounts(text, game)},"orderSummary":${summaryJson(account, [game, ...parts])},"childGames":[${partsOf('child')}],"propGames":[${partsOf('prop')}]}}`,
  };
}

/** The books of a league or of one game, in the flat form. */
function flatBooks(context: RouteContext, { account, params }: Call): Answer {
  const { venue } = context;
  const league = readText(params['league']);
  if (league === undefined && params['gameID'] === undefined) return refuse(400, '"league" or "gameID" is required');
  const game = league === undefined ? gameIn(venue, params) : undefined;
  if (game !== undefined && 'ok' in game) return game;
  const shown =
    game === undefined
      ? gamesOf(venue, league, readText(params['sport'])).filter((listed) => isPublished(listed) && !isPart(listed))
      : [game];
  return { json: `{"data":{"games":${flatJson(context, shown, account)}}}` };
}

const flatJson = ({ book }: RouteContext, games: readonly VenueGame[], account: VenueAccount): string =>
  `[${games.map((game) => book.flatGame(game, account)).join(',')}]`;

export function gameIn({ games }: Venue, params: Params): VenueGame | Refusal {
  const id = params['gameID'];
  const game = typeof id === 'string' ? games.get(id as GameId) : undefined;
  return game ?? refuse(400, `Invalid gameID: ${typeof id === 'string' ? id.slice(0, 100) : ''}`);
}

/** The caller's own open orders in these games. */
function summaryJson({ open }: VenueAccount, games: readonly VenueGame[]): string {
  const shown = new Set(games);
  return JSON.stringify([...open.values()].filter(({ book }) => shown.has(book.game)).map(orderJson));
}

function pageNumber(params: Params, name: string, otherwise: number, most: number): number {
  const value = readNumber(params[name]);
  return value === undefined || value < 1 ? otherwise : Math.min(most, Math.floor(value));
}
