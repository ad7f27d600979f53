// Four kinds of third-party clients, which differ in how they carry the token and in the verbs, paths and
// field names they use. Each trades through the same day in preset family. The tests use no code of this
// project's own client.
import { expect } from 'vitest';
import { z } from 'zod';
import * as family from '../family-schemas.ts';
import type { TestVenue } from '../kit.ts';
import { orderOn, sideId } from '../kit.ts';
import * as schemas from '../schemas.ts';
import { read } from '../schemas.ts';
import { section } from '../section.ts';
import type { Call, Handshake, Reply } from '../transport.ts';
import { familyRows, inFamily } from './family-books.ts';

type Params = Readonly<Record<string, unknown>>;
type ClientKind = {
  readonly description: string;
  /** Adds the token to a request. */
  readonly as: (token: string) => Call;
  readonly reads: 'GET' | 'POST';
  readonly path: (path: string) => string;
  /** The client's own fields for the size, the order type and the expiry. */
  readonly order: (size: number) => Params;
  readonly handshake: (token: string) => Handshake;
  readonly form?: true;
};

const asIs = (path: string): string => path;
const KINDS: readonly ClientKind[] = [
  {
    description: 'sends the login cookie and reads by GET, like a page of the app',
    as: (token) => ({ headers: { Cookie: `auth=${token}` } }),
    reads: 'GET',
    path: asIs,
    order: (size) => ({ risk: size }),
    handshake: (token) => ({ token, transports: ['polling', 'websocket'] }),
  },
  {
    description: 'sends the token in request bodies, reads by POST and uses the older field names',
    as: (token) => ({ body: { token } }),
    reads: 'POST',
    path: (path) => path.replace('/user/getMe', '/user/getme'),
    order: (size) => ({ bet: size, expirationMinutes: 0 }),
    handshake: (token) => ({ token, tokenIn: 'query' }),
  },
  {
    description: 'sends a Bearer token, places at v3 and mixes the case of paths',
    as: (token) => ({ headers: { Authorization: `Bearer ${token}` } }),
    reads: 'GET',
    path: (path) => path.replace('/v2/place', '/V3/place').replace('/get', '/GET'),
    order: (size) => ({ bet: String(size), expirationMinutes: null }),
    handshake: (token) => ({ token: `Bearer ${token}` }),
  },
  {
    description: 'logs in with a form, sends the token in the query and only seeds books',
    as: (token) => ({ query: { token } }),
    reads: 'POST',
    path: (path) => `${path}/`,
    order: (size) => ({ risk: size, orderType: 'limit' }),
    handshake: (token) => ({ token, tokenIn: 'query', transports: ['polling'] }),
    form: true,
  },
];

/** A client of one kind. It does not request the public field names. */
class ThirdPartyClient {
  readonly token: string;
  readonly #venue: TestVenue;
  readonly #kind: ClientKind;

  private constructor(venue: TestVenue, kind: ClientKind, token: string) {
    this.#venue = venue;
    this.#kind = kind;
    this.token = token;
  }

  static async login(venue: TestVenue, kind: ClientKind, username: string): Promise<ThirdPartyClient> {
    const password = `${username}-pw`;
    const form = {
      text: new URLSearchParams({ username, password }).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    };
    const call: Call = kind.form === true ? form : { body: { username, password } };
    const reply = await venue.transport.request('POST', kind.path('/user/login'), call);
    const { auth } = read(schemas.loginReply, reply.json).data.user;
    expect(reply.headers['set-cookie']).toContain(`auth=${auth}`);
    return new ThirdPartyClient(venue, kind, auth);
  }

  read<T>(schema: z.ZodType<T>, path: string, params: Readonly<Record<string, string>> = {}): Promise<T> {
    return this.#read(schema, this.#kind.reads, path, params);
  }

  write<T>(schema: z.ZodType<T>, path: string, params: Params = {}): Promise<T> {
    return this.#read(schema, 'POST', path, params);
  }

  async #read<T>(schema: z.ZodType<T>, method: 'GET' | 'POST', path: string, params: Params): Promise<T> {
    const reply = await this.ask(method, path, params);
    expect(reply.status, `${path}: ${reply.text}`).toBe(200);
    return read(schema, reply.json);
  }

  ask(method: 'GET' | 'POST', path: string, params: Params = {}): Promise<Reply> {
    const { body, query, headers } = this.#kind.as(this.token);
    const call: Call =
      method === 'GET'
        ? { query: { ...query, ...(params as Record<string, string>) } }
        : { query: query ?? {}, body: { ...(body as object | undefined), ...params } };
    return this.#venue.transport.request(method, this.#kind.path(path), { ...call, headers: headers ?? {} });
  }

  order(size: number, fields: Params): Params {
    return { ...this.#kind.order(size), ...fields };
  }

  async place(...orders: readonly Params[]) {
    const reply = await this.write(schemas.placeReply, '/session/v2/place', { orders });
    return reply.data.createdSessions.map((result) => read(schemas.placed, result));
  }

  listen(namespace: string) {
    return this.#venue.transport.connect(namespace, this.#kind.handshake(this.token));
  }

  async open() {
    return (await this.read(family.openReply, '/user/getUnmatched')).data.unmatched;
  }
}

const SUCCESS = z.strictObject({ data: z.strictObject({ success: z.literal(true) }) });
const withBet = z.looseObject({ bet: z.number() });

async function tradeForADay(venue: TestVenue, kind: ClientKind): Promise<void> {
  const bob = await venue.as('bob');
  const inMs = (ms: number): string => new Date(Math.ceil(venue.transport.now() + ms)).toISOString();
  const start = inMs(3_600_000);
  const gameID = await venue.publish({ start, mainHomeSpread: -2.5, mainTotal: 218 });
  const client = await ThirdPartyClient.login(venue, kind, 'alice');
  const { user } = (await client.read(schemas.userReply, '/user/getMe')).data;
  expect(user.username).toBe('alice');
  const [prices, own] = [await client.listen('/priceUpdates'), await client.listen('/v2/user/alice')];
  expect([prices.error, own.error]).toEqual([undefined, undefined]);

  // the client finds the game and an offer that it can take
  const { games } = (await client.read(family.flatReply('family'), '/exchange/v2/getOrderbook', { league: 'upcoming' }))
    .data;
  const game = games.find(({ id }) => id === gameID) ?? expect.fail('the game is not among the upcoming ones');
  const away = sideId(game, 'away');
  const theirs = await bob.rests(orderOn(game, 'home', -110, 110, { type: 'spread', number: -2.5 }));
  await prices.until(({ payload }) => String(payload).includes(theirs));
  const [shown] = (await client.read(family.flatReply('family'), '/exchange/v2/getOrderbook', { gameID })).data.games;
  const [row] = shown?.awaySpreads ?? [];
  expect(row).toMatchObject({ id: theirs, odds: 110, participantID: away, spread: 2.5, sumUntaken: 100 });
  expect(read(withBet, row).bet).toBe(110);

  // the client takes the offer as shown, and the take matches
  const take = { gameID, type: 'spread', side: row?.participantID, number: row?.spread, odds: row?.odds };
  const [taken] = await client.place(client.order(40, { ...take, userReference: 1 }));
  expect(taken).toMatchObject({
    matched: [{ orderID: theirs, risk: 40, win: 44, userReference: '1' }],
    unmatched: {},
  });
  await own.until(({ payload }) => String(payload).includes(theirs));
  const liability = async (): Promise<number> =>
    (await client.read(family.liabilityReply, '/user/getGameLiability', { gameID })).data.liability;
  expect(await liability()).toBe(-40);

  // the client's own offers expire at the start and have numbers as references
  const offer = { gameID, type: 'moneyline', side: away };
  const offers = [205, 210, 215].map((odds, index) => client.order(10, { ...offer, odds, userReference: 100 + index }));
  await client.place(...offers);
  const ends = { expiry: start, gameStartExpiry: true };
  const references = ['100', '101', '102'];
  expect(await client.open()).toMatchObject(references.map((userReference) => ({ ...ends, userReference })));
  // open offers do not count as liability
  expect(await liability()).toBe(-40);

  // the client pauses and resumes, cancels one order by its number, then all orders
  await client.write(schemas.receivedReply, '/session/pauseOrders');
  await venue.transport.until('they are gone', async () => (await client.open()).length === 0);
  const resumed = await client.write(schemas.placeReply, '/session/resumeOrders', {});
  expect(resumed.data.createdSessions).toHaveLength(3);
  const ids = (await client.open()).map(({ id }) => id);
  const byNumber = { gameID, userReferences: [100] };
  const cancelledByNumber = await client.write(family.cancelled, '/session/cancelByReference', byNumber);
  expect(cancelledByNumber.data).toMatchObject([{ sessionID: ids[0], userReference: '100', remaining: 10 }]);
  const all = await client.write(family.cancelled, '/session/cancelAllOrders', {});
  expect(all.data.map(({ sessionID }) => sessionID)).toEqual(ids.slice(1));
  await venue.transport.until('they are gone', async () => (await client.open()).length === 0);

  // the start ends the resting order, the final score settles the matched bet
  await client.place(client.order(10, { ...offer, odds: 220 }));
  const movedTo = inMs(300);
  await venue.admin('POST', `/games/${gameID}`, { start: movedTo });
  expect(await client.open()).toMatchObject([{ expiry: movedTo, gameStartExpiry: true }]);
  await venue.transport.until('the game starts', async () => (await client.open()).length === 0);
  expect(venue.transport.now()).toBeGreaterThanOrEqual(Date.parse(movedTo));
  await venue.admin('POST', `/games/${gameID}/grade`, { home: 101, away: 100 });
  const { graded, summary } = (await client.read(family.gradedReply, '/user/getGradedWagers')).data;
  expect({ graded, summary }).toMatchObject({
    graded: [{ profit: 44, result: 'won' }],
    summary: { pnl: 44, volume: 40 },
  });
  expect(await liability()).toBe(0);
  await client.write(SUCCESS, '/user/logout');
  expect((await client.ask('GET', '/user/getMe')).status).toBe(401);
}

export const familyClientsSection = section('family-clients', (shows) => {
  for (const kind of KINDS)
    shows(
      familyRows('“Programs that other people wrote …”'),
      `serves for a whole day a client that ${kind.description}`,
      (venue) => tradeForADay(venue, kind),
      inFamily,
    );
});
