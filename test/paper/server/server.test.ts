import { once } from 'node:events';
import { createConnection } from 'node:net';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Socket } from 'socket.io-client';
import { io } from 'socket.io-client';
import type { PaperExchange, PaperExchangeOptions } from '../../../src/paper/server/server.ts';
import { startPaperExchange } from '../../../src/paper/server/server.ts';
import {
  parseEnvelope,
  parseGameReply,
  parseLeagueReply,
  parseOpenOrders,
  parsePlaceReply,
  parseUser,
  wireProfileSchema,
} from '../../../src/wire/index.ts';

/** The fields of the exchange's JSON that these tests read. Other fields are compared as a whole. */
type Row = { readonly orderID: string };
type Body = {
  readonly data: {
    readonly user: { readonly auth: string; readonly playerMode: string };
    readonly createdSessions: readonly { readonly matched: readonly unknown[]; readonly unmatched: Row }[];
    readonly unmatched: Row & readonly Row[];
    readonly games: readonly unknown[];
    readonly game: {
      readonly messageType?: string;
      readonly homeMoneylines: unknown;
      readonly awayMoneylines: unknown;
    };
    readonly order: unknown;
    readonly pagination: { readonly totalDocs: number };
  };
  readonly error: { readonly message: string; readonly code: number; readonly details: unknown };
};
type Reply = { readonly status: number; readonly body: Body; readonly headers: Headers };
type Event = {
  readonly matched: unknown;
  readonly unmatched: { readonly orderID: string; readonly offered: number };
  readonly sideOrders: readonly Readonly<Record<string, unknown>>[];
};
type Story = { readonly maxInWindow: unknown; readonly http: unknown };
const OFFERER = { odds: 'offerer', side: 'offerer', line: 'offerer' } as const;
const open: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

async function openExchange(options: PaperExchangeOptions = {}): Promise<PaperExchange> {
  const accounts = ['alice', 'bob'].map((username) => ({
    username,
    password: `${username}-pw`,
    cash: 5000,
    coins: 5000,
  }));
  const started = await startPaperExchange({ traders: 'none', games: 2, accounts, ...options });
  open.push(() => started.close());
  return started;
}

async function call(url: string, body: unknown, token?: string, options: RequestInit = {}): Promise<Reply> {
  const headers = {
    'content-type': 'application/json',
    ...(token === undefined ? {} : { authorization: token }),
  };
  const reply = await fetch(url, {
    method: 'POST',
    headers,
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...options,
  });
  return { status: reply.status, body: (await reply.json()) as Body, headers: reply.headers };
}

async function login(exchange: PaperExchange, username: string) {
  const { body } = await call(`${exchange.restUrl}/user/login`, { username, password: `${username}-pw` });
  const token = body.data.user.auth;
  return { token, post: (path: string, json: unknown = {}) => call(exchange.restUrl + path, json, token) };
}

function connect(
  exchange: PaperExchange,
  namespace: string,
  token: string | undefined,
  how: 'header' | 'query' = 'header',
): Socket {
  const socket = io(exchange.socketUrl + namespace, {
    transports: ['websocket'],
    forceNew: true,
    reconnection: false,
    ...(token === undefined
      ? {}
      : how === 'header'
        ? { extraHeaders: { authorization: token } }
        : { query: { token } }),
  });
  open.unshift(() => void socket.close());
  return socket;
}

const connected = (socket: Socket): Promise<string> =>
  new Promise((resolve) => {
    socket.on('connect', () => resolve('connected'));
    socket.on('connect_error', (error) => resolve(error.message));
  });

/** Collects all events of a socket. `next` resolves to the first event that fits. */
function listen(socket: Socket, event: string) {
  const received: Event[] = [];
  const waiting: { fits: (payload: Event) => boolean; resolve: (payload: Event) => void }[] = [];
  socket.on(event, (text: string) => {
    const payload = JSON.parse(text) as Event;
    received.push(payload);
    for (const waiter of waiting) if (waiter.fits(payload)) waiter.resolve(payload);
  });
  const next = (fits: (payload: Event) => boolean): Promise<Event> => {
    const had = received.find(fits);
    return had === undefined ? new Promise((resolve) => waiting.push({ fits, resolve })) : Promise.resolve(had);
  };
  return { received, next };
}

const order = (exchange: PaperExchange, side: 'home' | 'away', odds: number, risk: number, overrides: object = {}) => {
  const [game] = exchange.venue.games.values();
  return {
    gameID: game?.header.id,
    type: 'moneyline',
    side: game?.header[side].id,
    odds,
    risk,
    orderType: 'post',
    ...overrides,
  };
};

describe('the paper exchange over loopback', () => {
  it('serves a login, a place, fills on the user feed, an edit and a cancel', async () => {
    const exchange = await openExchange();
    const [alice, bob] = [await login(exchange, 'alice'), await login(exchange, 'bob')];
    const user = connect(exchange, '/v2/user/alice', alice.token);
    const events = listen(user, 'positionUpdate');
    expect(await connected(user)).toBe('connected');

    const placed = await alice.post('/session/v2/place', {
      orders: [order(exchange, 'home', 110, 100, { userReference: 'ref-1' })],
    });
    const result = parsePlaceReply(placed.body, 1);
    const id = result.ok && result.value[0]?.status === 'accepted' ? result.value[0].orderId : undefined;
    expect(id).toBeDefined();
    expect(await events.next((event) => event.matched === null)).toMatchObject({
      origin: 'offer',
      unmatched: { orderID: id, offered: 100, filled: 0, remaining: 100, userReference: 'ref-1' },
    });

    const took = await bob.post('/session/v3/place', {
      orders: [order(exchange, 'away', -110, 55, { orderType: undefined })],
    });
    expect(took.body.data.createdSessions[0]?.matched).toMatchObject([{ risk: 55, win: 50, odds: -110, orderID: id }]);
    expect(await events.next((event) => event.matched !== null)).toMatchObject({
      origin: 'offer',
      unmatched: { orderID: id, filled: 50, remaining: 50 },
      matched: { filled: 50, odds: 110 },
    });

    const edited = await alice.post('/session/editOrder', {
      sessionID: id,
      orderOdds: 115,
      orderVolume: 80,
      orderType: 'post',
    });
    const newId = edited.body.data.unmatched.orderID;
    expect(edited.body.data).toMatchObject({
      cancelled: { success: true, sessionID: id, remaining: 50 },
      unmatched: { offered: 80, userReference: 'ref-1' },
    });
    expect(newId).not.toBe(id);
    const trail = await alice.post('/user/getBetByUserReference', {
      userReference: 'ref-1',
      gameID: exchange.games[0]?.id,
    });
    expect(trail.body.data).toMatchObject({
      unmatched: [{ id: newId }],
      matched: [{ risk: 50, orderID: id }],
      graded: [],
    });

    expect((await alice.post('/session/cancel', { sessionID: newId })).body.data).toMatchObject({
      success: true,
      sessionID: newId,
      offered: 0,
      remaining: 80,
    });
    expect(
      await events.next((event) => event.unmatched.orderID === newId && event.unmatched.offered === 0),
    ).toMatchObject({
      matched: null,
    });
    expect(parseOpenOrders((await alice.post('/user/getUnmatched')).body)).toEqual({ ok: true, value: [] });

    const story: unknown = await (await fetch(`${exchange.adminUrl}/accounts/alice`)).json();
    expect(story).toMatchObject({
      fills: 1,
      riskFilled: 50,
      openOrders: 0,
      requests: { place: 1, edit: 1, cancel: 1, other: 3 },
      http: { 200: 6 },
      maxInWindow: { place: 2, cancel: 1 },
    });
  });

  it('shows createdBy only to the owner and otherwise the same rows to all, over REST and sockets', async () => {
    const exchange = await openExchange();
    const [alice, bob] = [await login(exchange, 'alice'), await login(exchange, 'bob')];
    const sockets = [
      connect(exchange, '/priceUpdates', alice.token),
      connect(exchange, '/priceUpdates', bob.token, 'query'),
    ];
    const feeds = sockets.map((socket) => listen(socket, 'orderUpdate'));
    expect(await Promise.all(sockets.map(connected))).toEqual(['connected', 'connected']);
    await alice.post('/session/v2/place', { orders: [order(exchange, 'home', 110, 100)] });
    const [mine, theirs] = await Promise.all(feeds.map((feed) => feed.next(() => true)));
    expect(mine?.sideOrders[0]?.['createdBy']).toBeTypeOf('string');
    expect(theirs?.sideOrders[0]).not.toHaveProperty('createdBy');
    expect({ ...mine?.sideOrders[0], createdBy: undefined }).toEqual({
      ...theirs?.sideOrders[0],
      createdBy: undefined,
    });
    for (const [who, owns] of [
      [alice, true],
      [bob, false],
    ] as const) {
      const game = parseGameReply(
        (await who.post('/exchange/getSingleOrderbook', { gameID: exchange.games[0]?.id })).body,
        OFFERER,
      );
      expect(game.ok && game.value.ladders.find((ladder) => ladder.side === 'home')?.offers[0]?.own).toBe(owns);
    }
  });

  it('refuses sockets with a missing or wrong token, or on another account’s namespace', async () => {
    const exchange = await openExchange();
    const alice = await login(exchange, 'alice');
    const answers = await Promise.all([
      connected(connect(exchange, '/priceUpdates', undefined)),
      connected(connect(exchange, '/priceUpdates', 'nonsense')),
      connected(connect(exchange, '/v2/user/bob', alice.token)),
      connected(connect(exchange, '/v2/user/alice', alice.token, 'query')),
    ]);
    expect(answers).toEqual(['not authorized', 'not authorized', 'not authorized', 'connected']);
  });

  it('answers 429 with kind, wait and Retry-After beyond the place window or the separate cancel window', async () => {
    const exchange = await openExchange();
    const alice = await login(exchange, 'alice');
    const places = await Promise.all(Array.from({ length: 27 }, () => alice.post('/session/v2/place', { orders: [] })));
    expect(places.map(({ status }) => status).sort()).toEqual([...Array<number>(25).fill(400), 429, 429]);
    const limited = places.find(({ status }) => status === 429);
    expect(limited?.body.error.details).toMatchObject({
      code: 'RATE_LIMITED',
      kind: 'place',
      retryable: true,
    });
    expect(parseEnvelope(limited?.body)?.retryAfterSeconds).toBeGreaterThan(0);
    expect(Number(limited?.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect((await alice.post('/session/editOrder', {})).status).toBe(429);
    const cancels = await Promise.all(
      Array.from({ length: 31 }, () => alice.post('/session/cancel', { sessionID: 'x' })),
    );
    expect(cancels.filter(({ status }) => status === 404)).toHaveLength(30);
    expect((await alice.post('/session/cancelAllOrders')).body).toEqual({ data: { ordersReceived: true } });
    const story = (await (await fetch(`${exchange.adminUrl}/accounts/alice`)).json()) as Story;
    expect(story.maxInWindow).toEqual({ place: 28, cancel: 31 });
    expect(story.http).toEqual({ 200: 2, 400: 25, 404: 30, 429: 4 });
  });

  it('answers one order with a status and a batch with one result per position', async () => {
    const exchange = await openExchange();
    const alice = await login(exchange, 'alice');
    const tooLarge = order(exchange, 'home', 110, 1000.01);
    const small = order(exchange, 'home', 110, 0.5);
    expect((await alice.post('/session/v2/place', { orders: [tooLarge] })).body).toEqual({
      error: { message: 'Order size exceeds maximum limit of 1000.00', code: 403 },
    });
    expect((await alice.post('/session/v2/place', { orders: [small] })).status).toBe(400);
    const batch = await alice.post('/session/v2/place', {
      orders: [order(exchange, 'home', 110, 10), tooLarge, small, order(exchange, 'away', -110, 10)],
    });
    expect(batch.status).toBe(200);
    expect(batch.body.data.createdSessions).toMatchObject([
      { unmatched: { offered: 10 } },
      { error: 'Order size exceeds maximum limit of 1000.00', errorType: 'validation_error' },
      { errorType: 'validation_error' },
      { errorType: 'rejected_order_type_rules' },
    ]);
    const invalid = await alice.post('/session/v2/place', {
      orders: [order(exchange, 'home', 112, 10), { gameID: 'x' }],
    });
    expect(invalid.status).toBe(400);
    expect((await alice.post('/user/getUnmatched')).body.data.unmatched).toHaveLength(1);
  });

  it.each([
    ['no token', '/user/getMe', {}, undefined, 401, 'InvalidCredentials'],
    ['a wrong password', '/user/login', { username: 'alice', password: 'no' }, undefined, 401, 'InvalidCredentials'],
    [
      'a login without password',
      '/user/login',
      { username: 'alice' },
      undefined,
      400,
      'Username and password are required',
    ],
    ['an unknown route', '/user/nothing', {}, 'token', 404, undefined],
    ['bad JSON', '/session/v2/place', '{"orders":', 'token', 400, undefined],
    [
      'a wrong player mode',
      '/user/updateCoinsOrCash',
      { playerMode: 'gold' },
      'token',
      400,
      'Error! Invalid method of play',
    ],
    ['an unknown game', '/exchange/getSingleOrderbook', { gameID: 'nope' }, 'token', 400, 'Invalid gameID: nope'],
    ['a body beyond the limit', '/session/v2/place', `"${'x'.repeat(2_000_000)}"`, 'token', 413, undefined],
    ['an empty cancelMultiple', '/session/cancelMultiple', { sessionIDs: [] }, 'token', 400, undefined],
  ])('answers %s with the error envelope', async (_name, path, body, token, status, message) => {
    const exchange = await openExchange();
    const reply = await call(
      exchange.restUrl + path,
      body,
      token === undefined ? undefined : (await login(exchange, 'alice')).token,
    );
    expect(reply.status).toBe(status);
    expect(reply.body.error.code).toBe(status);
    expect(parseEnvelope(reply.body)).toBeDefined();
    if (message !== undefined) expect(reply.body.error.message).toBe(message);
  });

  it('answers 413 to a slow client only after it has sent its whole oversized body', async () => {
    const exchange = await openExchange();
    const { hostname, port } = new URL(exchange.restUrl);
    const socket = createConnection({ host: hostname, port: Number(port) });
    let reply = '';
    socket.setEncoding('utf8').on('data', (text: string) => (reply += text));
    const ended = once(socket, 'close');
    const [piece, pieces] = ['x'.repeat(100_000), 20];
    socket.write(`POST /session/v2/place HTTP/1.1\r\nHost: a\r\nContent-Length: ${piece.length * pieces}\r\n\r\n`);
    for (let sent = 0; sent < pieces; sent++) {
      expect(reply).toBe('');
      await new Promise((resolve) => socket.write(piece, resolve));
      // a server that answers and closes at once would have done so by the next piece
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await ended;
    expect(reply).toMatch(/^HTTP\/1\.1 413 [^]*"code":413/);
  });

  it('accepts the token raw, with Bearer, as cookie, in the query and in the body, and ignores the case of paths', async () => {
    const exchange = await openExchange();
    const { token } = await login(exchange, 'alice');
    const url = `${exchange.restUrl}/USER/getme`;
    const replies = await Promise.all([
      fetch(url, { headers: { authorization: token } }),
      fetch(url, { headers: { authorization: `Bearer ${token}` } }),
      fetch(url, { headers: { cookie: `a=b; auth=${token}` } }),
      fetch(`${url}?token=${token}`),
      fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ token }),
      }),
    ]);
    for (const reply of replies)
      expect(parseUser(await reply.json())).toMatchObject({
        ok: true,
        value: { username: 'alice', mode: 'coins', coins: 5000 },
      });
  });

  it('switches the player mode and refuses to fill an own order in cash mode', async () => {
    const exchange = await openExchange();
    const alice = await login(exchange, 'alice');
    expect((await alice.post('/user/updateCoinsOrCash', { playerMode: 'cash' })).body).toEqual({
      data: { success: true },
    });
    expect((await alice.post('/user/getMe')).body.data.user.playerMode).toBe('cash');
    const { body } = await alice.post('/session/v2/place', { orders: [order(exchange, 'home', 100, 10)] });
    const id = body.data.createdSessions[0]?.unmatched.orderID;
    const own = await alice.post('/session/v2/place', {
      orders: [order(exchange, 'away', 100, 10, { orderType: 'limit' })],
    });
    expect([own.status, own.body.error.message]).toEqual([409, `You cannot fill your own order: ${id}`]);
  });

  it('splits a league into pages and omits closed games', async () => {
    const exchange = await openExchange({ games: 3, profile: wireProfileSchema.parse({ pageSize: 2 }) });
    const alice = await login(exchange, 'alice');
    const page = async (number: number) =>
      (await alice.post('/exchange/getOrderbook', { leagueRequested: 'NBA', page: number })).body;
    const first = parseLeagueReply(await page(1), OFFERER);
    expect(first).toMatchObject({ ok: true, value: { unreadable: 0, hasNextPage: true } });
    expect((await page(2)).data).toMatchObject({
      games: [{}],
      pagination: { totalDocs: 3, limit: 2, page: 2, totalPages: 2, hasPrevPage: true, hasNextPage: false },
    });
    const [game] = exchange.venue.games.values();
    if (game === undefined) throw new Error('no game');
    exchange.venue.changeGame(game, { open: false }, Date.now());
    expect((await page(1)).data.pagination.totalDocs).toBe(2);
    expect(
      (await alice.post('/exchange/getSingleOrderbook', { gameID: game.header.id })).body.data.game.messageType,
    ).toBe('marketClosed');
    expect((await alice.post('/exchange/v2/getGames', { league: 'NBA' })).body.data.games).toHaveLength(3);
    expect((await alice.post('/exchange/getLeagues')).body).toEqual({ data: { availableLeagues: ['NBA'] } });
  });

  it('cancels by reference, in bulk, and all orders under the lock', async () => {
    const exchange = await openExchange();
    const alice = await login(exchange, 'alice');
    const place = async (...references: string[]): Promise<string[]> => {
      const { body } = await alice.post('/session/v2/place', {
        orders: references.map((userReference, index) => order(exchange, 'home', 110 + index, 10, { userReference })),
      });
      return body.data.createdSessions.map((session) => session.unmatched.orderID);
    };
    const [a, b, c] = await place('a', 'b', 'c');
    const gameID = exchange.games[0]?.id;
    expect(
      (await alice.post('/session/cancelByReference', { gameID, userReferences: ['a', 'unknown'] })).body.data,
    ).toMatchObject([
      { success: true, sessionID: a, userReference: 'a' },
      { success: false, userReference: 'unknown' },
    ]);
    expect((await alice.post('/session/cancelMultiple', { sessionIDs: [b, a] })).body.data).toMatchObject([
      { success: true, sessionID: b },
      { success: false, sessionID: a },
    ]);
    await alice.post('/session/cancelAllOrdersForGame', { gameID, type: 'spread' });
    expect((await alice.post(`/session/lookupOrder`, { orderID: c })).body.data.order).toMatchObject({
      id: c,
      remaining: 10,
      status: 'open',
    });
    await alice.post('/session/cancelAllForLeague', { league: 'NBA' });
    expect((await alice.post('/user/getUnmatched')).body.data.unmatched).toEqual([]);

    const ids = await place(...Array.from({ length: 15 }, (_, index) => `x${index}`));
    await alice.post('/session/cancelAllOrders');
    const refused = await alice.post('/session/cancel', { sessionID: ids[14] });
    expect(refused.status).toBe(423);
    expect(refused.body.error.details).toMatchObject({ code: 'CANCEL_ALL_IN_PROGRESS', retryable: true });
    await expect
      .poll(async () => (await alice.post('/user/getUnmatched')).body.data.unmatched.length, {
        timeout: 5000,
        interval: 50,
      })
      .toBe(0);
  });

  it('publishes the book in the taker’s perspective when the profile says so', async () => {
    const exchange = await openExchange({ profile: wireProfileSchema.parse({ bookPerspective: 'taker' }) });
    const alice = await login(exchange, 'alice');
    await alice.post('/session/v2/place', { orders: [order(exchange, 'home', 110, 100)] });
    const { game } = (await alice.post('/exchange/getSingleOrderbook', { gameID: exchange.games[0]?.id })).body.data;
    expect(game.homeMoneylines).toEqual([]);
    expect(game.awayMoneylines).toMatchObject([{ odds: -110, risk: 100, sumUntaken: 110 }]);
  });

  it('runs synthetic traders that change the book and fill quotes inside the market', async () => {
    const exchange = await openExchange({ traders: 'synthetic', games: 6 });
    const alice = await login(exchange, 'alice');
    const prices = connect(exchange, '/priceUpdates', alice.token);
    const frames = listen(prices, 'orderUpdate');
    expect(await connected(prices)).toBe('connected');
    await frames.next((frame) => frame.sideOrders.length > 3);
    const user = connect(exchange, '/v2/user/alice', alice.token);
    const events = listen(user, 'positionUpdate');
    expect(await connected(user)).toBe('connected');
    const orders = exchange.games.flatMap((game) => {
      const header = exchange.venue.games.get(game.id as never);
      if (header === undefined) return [];
      const [best] = exchange.venue.book(header, 'moneyline', undefined).sides[0].orders;
      return best === undefined
        ? []
        : [
            {
              gameID: game.id,
              type: 'moneyline',
              side: header.header.home.id,
              odds: best.odds > 0 ? 100 : best.odds - 5,
              risk: 20,
              orderType: 'post',
            },
          ];
    });
    await alice.post('/session/v2/place', { orders });
    expect(await events.next((event) => event.matched !== null)).toMatchObject({ origin: 'offer' });
  });

  it('closes its connections and its port when it is closed', async () => {
    const exchange = await openExchange();
    const alice = await login(exchange, 'alice');
    const socket = connect(exchange, '/priceUpdates', alice.token);
    expect(await connected(socket)).toBe('connected');
    const gone = new Promise((resolve) => socket.on('disconnect', resolve));
    await exchange.close();
    await gone;
    await expect(fetch(`${exchange.restUrl}/user/getMe`)).rejects.toThrow();
    onTestFinished(() => void open.pop());
  });
});
