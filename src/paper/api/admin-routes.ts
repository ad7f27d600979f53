// The operator's routes, on their own port: the venue's view of an account, changes of accounts and games,
// grading, and the fault plan. Handlers are independent of HTTP.
import { z } from 'zod';
import type { Game, GameId, Participant, ParticipantId } from '../../domain/index.ts';
import { dollarsOfMicros, openTypes, parseTime, partOf, readResult, resultProblem } from '../../domain/index.ts';
import { faultPlanSchema } from '../faults/plan.ts';
import type { VenueAccount, GameKind, VenueGame, Refusal } from '../../venue/index.ts';
import { refuse } from '../../venue/index.ts';
import type { Exchange } from './exchange.ts';
import { orderJson } from './record-json.ts';

export type AdminRequest = { readonly method: string; readonly path: string; readonly body: unknown };
export type AdminAnswer = { readonly ok: true; readonly body: unknown } | Refusal;
type Handler = (exchange: Exchange, id: string, body: unknown) => AdminAnswer;

const done = (body: unknown = { success: true }): AdminAnswer => ({ ok: true, body });

/** Usernames of the venue's own traders, which accounts may not have. */
export const RESERVED_USERNAME = /^(tape|maker-\d+|taker-\d+)$/;

const username = z
  .string()
  .regex(/^[\w.@+-]+$/)
  .max(100)
  .refine((name) => !RESERVED_USERNAME.test(name), 'this username belongs to the venue');
const dollars = z.number().min(0).max(1e9);
const text = z.string().min(1).max(200);
const team = z.strictObject({ id: text.optional(), name: text, shortName: text.optional() });
const points = z.number().min(-2000).max(2000);

const newAccount = z.strictObject({
  username,
  password: text,
  cash: dollars.optional(),
  coins: dollars.optional(),
  mode: z.enum(['cash', 'coins']).optional(),
  /** Whether it is a privileged liquidity account without request windows. */
  exempt: z.boolean().optional(),
});
const window = z.strictObject({
  requests: z.int().min(1).max(100_000),
  windowMs: z.number().min(1).max(3_600_000),
});
const accountChange = z.strictObject({
  status: z.enum(['active', 'banned', 'closed']).optional(),
  playerMode: z.enum(['cash', 'coins']).optional(),
  cash: dollars.optional(),
  coins: dollars.optional(),
  /** Request windows (`limits`), and the delay added to its requests (`delayMs`). */
  limits: z.strictObject({ place: window.optional(), cancel: window.optional() }).optional(),
  delayMs: z.number().min(0).max(600_000).optional(),
});
const systemCancel = z.union([z.strictObject({ orderID: text }), z.strictObject({ all: z.literal(true) })]);
/** An ISO time, UTC when it has no zone, as Unix ms. */
const time = z.string().transform((value, context): number => {
  const ms = parseTime(value);
  if (ms !== undefined) return ms;
  context.addIssue({
    code: 'custom',
    message: 'expected an ISO time of a day that exists, such as 2030-01-31T19:00:00Z',
  });
  return z.NEVER;
});
const gameFields = {
  start: time.optional(),
  live: z.boolean().optional(),
  open: z.boolean().optional(),
  mainHomeSpread: points.nullable().optional(),
  mainTotal: points.nullable().optional(),
};
const newGame = z.strictObject({
  kind: z.enum(['game', 'child', 'prop', 'futures']).default('game'),
  league: text,
  sport: text.default('basketball'),
  eventName: text.optional(),
  home: team,
  away: team,
  parentGameID: text.optional(),
  periodName: text.optional(),
  market: text.optional(),
  ...gameFields,
});
const namedTeam = z.strictObject({ id: text, name: text, shortName: text.optional() });
/**
 * Changes of a game. `home` and `away` rename, replace or swap the teams; `swapTeams` is a short form for a
 * swap.
 */
const gameChange = z.strictObject({
  ...gameFields,
  ended: z.boolean().optional(),
  eventName: text.optional(),
  home: namedTeam.optional(),
  away: namedTeam.optional(),
  swapTeams: z.literal(true).optional(),
});

/** Handlers by method and path, such as `GET accounts/:id`. */
const HANDLERS: Readonly<Record<string, Handler>> = {
  'GET health': ({ venue }) => done({ status: 'ok', games: venue.games.size }),
  'GET accounts': ({ venue }) =>
    done({
      accounts: [...venue.accounts.values()].filter(({ internal }) => !internal).map((account) => account.username),
    }),
  'POST accounts': (exchange, _id, body) =>
    reading(newAccount, body, (options) => {
      if (exchange.venue.accounts.has(options.username))
        return refuse(409, `The account ${options.username} exists already`);
      const account = exchange.venue.run(exchange.ports.now(), () => exchange.venue.addAccount(options));
      return done({ username: account.username, id: account.id });
    }),
  'GET accounts/:id': (exchange, id) => withAccount(exchange, id, (account) => done(accountStory(account, exchange))),
  'POST accounts/:id': (exchange, id, body) =>
    withAccount(exchange, id, (account) =>
      reading(accountChange, body, (change) => changeAccount(exchange, account, change)),
    ),
  'POST accounts/:id/expire-tokens': (exchange, id) =>
    withAccount(exchange, id, (account) => {
      exchange.sessions.revoke(account);
      return done();
    }),
  'POST accounts/:id/cancel': (exchange, id, body) =>
    withAccount(exchange, id, (account) =>
      reading(systemCancel, body, (cancel) => {
        const cancelled = exchange.venue.cancelWhere(
          account,
          (order) => 'all' in cancel || order.id === cancel.orderID,
          exchange.ports.now(),
        );
        return 'orderID' in cancel && cancelled.length === 0
          ? refuse(404, `Order not found: ${cancel.orderID}`)
          : done({ cancelled: cancelled.length });
      }),
    ),
  'GET games': ({ venue, book }) =>
    done({ games: [...venue.games.values()].map((game) => JSON.parse(book.header(game)) as unknown) }),
  'POST games': (exchange, _id, body) => reading(newGame, body, (game) => publishGame(exchange, game)),
  'POST games/:id': (exchange, id, body) =>
    withGame(exchange, id, (game) =>
      reading(gameChange, body, (change) => {
        if (game.graded !== undefined) return refuse(409, 'The game is graded');
        const to = changeOf(change, game.header);
        const { home, away } = { ...game.header, ...to };
        if (home.id === away.id)
          return refuse(400, `home.id and away.id are both ${home.id}: the two sides need different ids`);
        exchange.changeGame(game, to);
        return done();
      }),
    ),
  'POST games/:id/grade': (exchange, id, body) =>
    withGame(exchange, id, (game) => {
      const result = readResult(body, game.header.id);
      if (typeof result === 'string') return refuse(400, result);
      const impossible = resultProblem(result, game.sport, game.header);
      if (impossible !== undefined) return refuse(400, impossible);
      const contradiction = exchange.venue.grade(game, result, exchange.ports.now());
      if (contradiction !== undefined) return refuse(409, contradiction);
      // `open`: market types that this result does not decide, and that need another one
      return done({ success: true, open: openTypes(game.graded ?? result, game.rule) });
    }),
  'GET faults': ({ faults }) => done({ plan: faults?.plan ?? null, hits: faults?.hits() ?? [] }),
  'PUT faults': (exchange, _id, body) =>
    reading(faultPlanSchema, body, (plan) => {
      exchange.setFaults(plan);
      return done({ rules: plan.rules.length });
    }),
  'DELETE faults': (exchange) => {
    exchange.setFaults(undefined);
    return done();
  },
};

/** All routes, such as `GET /accounts/:id`. */
export const adminRoutes = (): readonly string[] => Object.keys(HANDLERS).map((key) => key.replace(' ', ' /'));

export function answerAdmin(exchange: Exchange, { method, path, body }: AdminRequest): AdminAnswer {
  const [room = '', id, ...action] = path.split('/').filter((part) => part !== '');
  const key = [`${method} ${room}`, ...(id === undefined ? [] : [':id']), ...action].join('/');
  const handler = HANDLERS[key];
  if (handler === undefined) return refuse(404, `No such endpoint: ${method} ${path.slice(0, 200)}`);
  return handler(exchange, decode(id ?? ''), body);
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function reading<T>(schema: z.ZodType<T>, body: unknown, then: (value: T) => AdminAnswer): AdminAnswer {
  const read = schema.safeParse(body ?? {});
  if (read.success) return then(read.data);
  const problems = read.error.issues.map(({ path, message }) => [path.join('.'), message].join(': '));
  return refuse(400, problems.join('; '));
}

function withAccount({ venue }: Exchange, id: string, then: (account: VenueAccount) => AdminAnswer): AdminAnswer {
  const account = venue.accounts.get(id);
  return account === undefined ? refuse(404, 'No such account') : then(account);
}

function withGame({ venue }: Exchange, id: string, then: (game: VenueGame) => AdminAnswer): AdminAnswer {
  const game = venue.games.get(id as GameId);
  return game === undefined ? refuse(404, 'No such game') : then(game);
}

function changeAccount(
  exchange: Exchange,
  account: VenueAccount,
  { status, playerMode, limits, delayMs, ...balances }: z.infer<typeof accountChange>,
): AdminAnswer {
  const { venue, feeds, ports } = exchange;
  const nowMs = ports.now();
  venue.run(nowMs, () => {
    if (playerMode !== undefined) venue.setMode(account, playerMode, nowMs);
    if (status !== undefined) venue.setStatus(account, status, nowMs);
    venue.setBalances(account, balances, nowMs);
    if (limits !== undefined) venue.setLimits(account, limits, nowMs);
    if (delayMs !== undefined) venue.setDelay(account, delayMs, nowMs);
  });
  // a closed or banned account is no longer served
  if (status === 'closed' || status === 'banned')
    for (const feed of ['prices', 'user'] as const) feeds.transport.disconnect(feed, account);
  return done();
}

type GameChange = Omit<z.infer<typeof gameChange>, 'kind'>;

const participantOf = ({ id, name, shortName = name }: z.infer<typeof namedTeam>): Participant => ({
  id: id as ParticipantId,
  name,
  shortName,
});

const changeOf = (change: GameChange, { home, away }: Game): Partial<Game> => ({
  ...(change.swapTeams === undefined ? {} : { home: away, away: home }),
  ...(change.home === undefined ? {} : { home: participantOf(change.home) }),
  ...(change.away === undefined ? {} : { away: participantOf(change.away) }),
  ...(change.eventName === undefined ? {} : { eventName: change.eventName }),
  ...(change.start === undefined ? {} : { start: change.start }),
  ...(change.live === undefined ? {} : { live: change.live }),
  ...(change.open === undefined ? {} : { open: change.open }),
  ...(change.ended === undefined ? {} : { ended: change.ended }),
  ...(change.mainHomeSpread === undefined ? {} : { mainHomeSpread: change.mainHomeSpread ?? undefined }),
  ...(change.mainTotal === undefined ? {} : { mainTotal: change.mainTotal ?? undefined }),
});

/** Time until the start of a new game, by default. */
const DEFAULT_LEAD_MS = 2 * 3_600_000;

function publishGame(exchange: Exchange, fields: z.infer<typeof newGame>): AdminAnswer {
  const { venue, ports } = exchange;
  const part = fields.kind === 'child' || fields.kind === 'prop';
  if (part && !venue.games.has((fields.parentGameID ?? '') as GameId))
    return refuse(400, `A ${fields.kind} game needs the parentGameID of a game that exists`);
  if (fields.kind === 'futures' && fields.market === undefined) return refuse(400, 'A futures game needs a market');
  const { home, away } = fields;
  if (home.id !== undefined && home.id === away.id)
    return refuse(400, `home.id and away.id are both ${home.id}: the two sides need different ids`);
  const nowMs = ports.now();
  const id = venue.newGameId();
  const participant = (side: 'home' | 'away') => ({
    id: (fields[side].id ?? `${id}-${side}`) as ParticipantId,
    name: fields[side].name,
    shortName: fields[side].shortName ?? fields[side].name,
  });
  const parentGameId = fields.parentGameID as GameId | undefined;
  const futures = fields.kind === 'futures';
  const { periodName } = fields;
  const listed = fields.kind === 'child' || fields.kind === 'prop' ? fields.kind : undefined;
  const header: Game = {
    id,
    parentGameId,
    ...partOf({ gameId: id, parentGameId, futures, league: fields.league, periodName, part: listed }, undefined),
    league: fields.league,
    sport: fields.sport,
    eventName: fields.eventName ?? `${fields.away.name} @ ${fields.home.name}`,
    start: fields.start ?? nowMs + DEFAULT_LEAD_MS,
    live: fields.live ?? false,
    ended: false,
    open: fields.open ?? true,
    futures,
    home: participant('home'),
    away: participant('away'),
    mainHomeSpread: fields.mainHomeSpread ?? undefined,
    mainTotal: fields.mainTotal ?? undefined,
  };
  const kind: GameKind = fields.kind;
  venue.openGame(header, nowMs, { kind, periodName, marketName: fields.market });
  return done({ id });
}

function accountStory(account: VenueAccount, { traffic }: Exchange) {
  const { requests, http } = traffic.trafficOf(account);
  return {
    username: account.username,
    id: account.id,
    status: account.status,
    playerMode: account.mode,
    balances: {
      cash: dollarsOfMicros(account.balances.cash),
      coins: dollarsOfMicros(account.balances.coins),
    },
    worstLoss: {
      cash: dollarsOfMicros(account.credit.cash.worstLoss()),
      coins: dollarsOfMicros(account.credit.coins.worstLoss()),
    },
    fills: account.fills,
    riskFilled: dollarsOfMicros(account.riskFilled),
    open: [...account.open.values()].map(orderJson),
    openOrders: account.open.size,
    requests,
    http,
    maxInWindow: { place: account.windows.place.most, cancel: account.windows.cancel.most },
    delayMs: account.delayMs,
  };
}
