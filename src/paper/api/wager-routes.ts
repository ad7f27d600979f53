// Routes for an account's risk and results: the liability of one game, graded wagers by day, and all orders
// and plays of one request.
import { dollarsOfMicros, negative, parseTime } from '../../domain/index.ts';
import { readText } from '../../wire/index.ts';
import { refuse } from '../../venue/index.ts';
import type { Refusal } from '../../venue/index.ts';
import { gameIn } from './book-routes.ts';
import { gradedRoutes } from './graded-routes.ts';
import { isoOf } from './order-json.ts';
import { gradedPlayJson, orderJson, playsJson, sumOf } from './record-json.ts';
import type { Answer, Call, Params, Route, RouteContext } from './route.ts';
import { READ } from './route.ts';

export const wagerRoutes = ({ venue }: RouteContext): readonly Route[] => [
  {
    methods: READ,
    paths: ['/user/getGameLiability'],
    kind: 'read',
    handle: ({ account, params }) => {
      const game = gameIn(venue, params);
      if ('ok' in game) return game;
      const loss = account.credit[account.mode].matchedLoss(game.header.id);
      return { data: { liability: dollarsOfMicros(negative(loss)) } };
    },
  },
  { methods: READ, paths: ['/user/getGradedWagers'], kind: 'read', handle: gradedWagers },
  ...gradedRoutes(),
  { methods: READ, paths: ['/session/getLastFilledOrder'], kind: 'read', handle: lastFilled },
  {
    methods: READ,
    paths: ['/exchange/getMatchedVolume'],
    kind: 'read',
    handle: ({ params }) => {
      const game = gameIn(venue, params);
      return 'ok' in game ? game : { data: { matchedVolume: dollarsOfMicros(game.matched) } };
    },
  },
  {
    methods: READ,
    paths: ['/user/getBetByWagerRequestID'],
    kind: 'read',
    handle: ({ account, params }) => {
      const requestId = readText(params['wagerRequestID']);
      if (requestId === undefined) return refuse(400, '"wagerRequestID" is required');
      const open = [...account.open.values()].filter((order) => order.requestId === requestId);
      const plays = [...account.plays.values()].filter((play) => play.order.requestId === requestId);
      return { data: { unmatched: open.map(orderJson), ...playsJson(plays) } };
    },
  },
];

/** Graded wagers by the UTC day on which their game was graded, both days included. */
function gradedWagers({ account, params }: Call): Answer {
  const first = dayIn(params, 'startDate');
  if (typeof first === 'object') return first;
  const last = dayIn(params, 'endDate');
  if (typeof last === 'object') return last;
  if (first !== undefined && last !== undefined && last < first) return refuse(400, '"endDate" is before "startDate"');
  const [fromMs, toMs] = [first ?? Number.NEGATIVE_INFINITY, (last ?? Number.POSITIVE_INFINITY) + DAY_MS];
  const plays = [...account.plays.values()].filter(({ profit, order }) => {
    const atMs = order.book.game.gradedAtMs;
    return profit !== undefined && atMs !== undefined && atMs >= fromMs && atMs < toMs;
  });
  const summary = {
    pnl: dollarsOfMicros(sumOf(plays, ({ profit }) => profit ?? 0)),
    volume: dollarsOfMicros(sumOf(plays, ({ risk }) => risk)),
  };
  return { data: { graded: plays.map(gradedPlayJson), summary } };
}

/** When an order of the account was last filled, in one game or of one type when given. */
function lastFilled({ account, params }: Call): Answer {
  const [gameId, type] = [readText(params['gameID']), readText(params['type'])];
  const times = [...account.plays.values()].flatMap(({ atMs, order: { book } }) =>
    (gameId === undefined || book.market.gameId === gameId) && (type === undefined || book.market.type === type)
      ? [atMs]
      : [],
  );
  return {
    data: {
      session: times.length === 0 ? null : { updatedAt: isoOf(times.reduce((a, b) => Math.max(a, b))) },
    },
  };
}

const DAY_MS = 24 * 3_600_000;

/** The start of a day given as `MM-DD-YYYY` or `YYYY-MM-DD`, Unix ms. Undefined when none is given. */
function dayIn(params: Params, name: string): number | undefined | Refusal {
  const given = params[name];
  if (given === undefined || given === null || given === '') return undefined;
  const text = readText(given) ?? '';
  const [, month = '', day = '', year = ''] = /^(\d\d)-(\d\d)-(\d{4})$/.exec(text) ?? [];
  const iso = /^\d{4}-\d\d-\d\d$/.test(text) ? text : `${year}-${month}-${day}`;
  return parseTime(iso) ?? refuse(400, `"${name}" must be a day as MM-DD-YYYY or YYYY-MM-DD`);
}
