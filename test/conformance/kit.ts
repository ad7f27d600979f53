// Helpers of the contract tests: accounts that log in, post, take and subscribe, one game to trade, refusals.
// Every reply and frame is read by its schema, so each test also checks the shape of what it receives.
import { expect } from 'vitest';
import { z } from 'zod';
import type { WorldOptions } from '../../src/paper/index.ts';
import type { Preset } from './family-schemas.ts';
import * as family from './family-schemas.ts';
import type { GameUpdate, GameHeader, OrderUpdate, Position, Throttle } from './schemas.ts';
import * as schemas from './schemas.ts';
import { read } from './schemas.ts';
import type { Call, Handshake, Link, Pending, Reply, Transport } from './transport.ts';

/** A world without traders and with three accounts. Carol has little money. */
export const QUIET_WORLD: WorldOptions = {
  traders: 'none',
  league: 'NBA',
  games: 3,
  accounts: [
    { username: 'alice', password: 'alice-pw', cash: 10_000, coins: 10_000 },
    { username: 'bob', password: 'bob-pw', cash: 10_000, coins: 10_000 },
    { username: 'carol', password: 'carol-pw', cash: 30, coins: 40 },
  ],
};

/** The header that requests the field names of the spec. */
export const PUBLIC_NAMES = { 'X-API-Version': 'public' };

export type SideName = 'home' | 'away' | 'over' | 'under';
export type Order = Readonly<Record<string, unknown>>;

const gamesList = z.looseObject({ games: z.array(schemas.gameHeader) });

/** One exchange, new for each test. */
export class TestVenue {
  readonly transport: Transport;
  readonly games: readonly GameHeader[];

  private constructor(transport: Transport, games: readonly GameHeader[]) {
    this.transport = transport;
    this.games = games;
  }

  static async open(transport: Transport): Promise<TestVenue> {
    const { games } = read(gamesList, await transport.admin('GET', '/games'));
    return new TestVenue(transport, games);
  }

  get game(): GameHeader {
    return this.gameAt(0);
  }

  gameAt(index: number): GameHeader {
    const game = this.games[index];
    if (game === undefined) expect.fail(`there is no game ${index}`);
    return game;
  }

  async as(username: string, password = `${username}-pw`): Promise<Client> {
    const reply = await this.transport.request('POST', '/user/login', { body: { username, password } });
    const { auth, id } = read(schemas.loginReply, reply.json).data.user;
    return new Client(this, username, id, auth);
  }

  /** Publishes a game as the operator and returns its id. */
  async publish(fields: object = {}): Promise<string> {
    const body = { league: 'NBA', home: { name: 'Hosts' }, away: { name: 'Visitors' }, ...fields };
    return read(z.looseObject({ id: schemas.text }), await this.transport.admin('POST', '/games', body)).id;
  }

  admin(method: string, path: string, body?: unknown): Promise<unknown> {
    return this.transport.admin(method, path, body);
  }

  faults(...rules: readonly object[]): Promise<unknown> {
    return this.admin('PUT', '/faults', { rules });
  }

  /** A `post` order on the first game. `overrides` replaces any of its fields. */
  order(side: SideName, odds: number, risk: number, overrides: object = {}): Order {
    return orderOn(this.game, side, odds, risk, overrides);
  }
}

/** A `post` order on `game`. `overrides` replaces any of its fields. */
export function orderOn(
  game: Pick<GameHeader, 'id' | 'participants'>,
  side: SideName,
  odds: number,
  risk: number,
  overrides: object = {},
): Order {
  const type = side === 'over' || side === 'under' ? 'total' : 'moneyline';
  return { gameID: game.id, type, side: sideId(game, side), odds, risk, orderType: 'post', ...overrides };
}

export const sideId = ({ participants }: Pick<GameHeader, 'participants'>, side: SideName): string =>
  participants.find(({ homeAway }) => homeAway === side)?.id ?? side;

export const without = (order: Order, field: string): Order =>
  Object.fromEntries(Object.entries(order).filter(([name]) => name !== field));

/** The result of each order of a place request. */
export const results = (reply: Reply) => read(schemas.placeReply, reply.json).data.createdSessions;

export class Client {
  readonly venue: TestVenue;
  readonly username: string;
  readonly id: string;
  readonly token: string;

  constructor(venue: TestVenue, username: string, id: string, token: string) {
    this.venue = venue;
    this.username = username;
    this.id = id;
    this.token = token;
  }

  post(path: string, body: unknown = {}): Promise<Reply> {
    return this.call('POST', path, { body });
  }

  get(path: string, query: Readonly<Record<string, string>> = {}): Promise<Reply> {
    return this.call('GET', path, { query });
  }

  /** Sends a request with the account's token and the public field names, and waits for the reply. */
  call(method: string, path: string, call: Call = {}): Promise<Reply> {
    return this.venue.transport.request(method, path, { token: this.token, headers: PUBLIC_NAMES, ...call });
  }

  /** Sends a POST request like `call`, but does not wait for the reply. */
  send(path: string, body: unknown): Pending {
    const call = { token: this.token, headers: PUBLIC_NAMES, body };
    return this.venue.transport.send('POST', path, call);
  }

  // ——— orders

  place(...orders: readonly Order[]): Promise<Reply> {
    return this.post('/session/v2/place', { orders });
  }

  /** Places one order and expects the venue to accept it. */
  async accepted(order: Order): Promise<z.infer<typeof schemas.placed>> {
    const reply = await this.place(order);
    expect(reply.status, reply.text).toBe(200);
    const [result] = results(reply);
    return read(schemas.placed, result);
  }

  /** Places one order, expects it to rest and returns its id. */
  async rests(order: Order): Promise<string> {
    return read(schemas.offer, (await this.accepted(order)).unmatched).orderID;
  }

  /** Places one order, expects it to match and returns its fills. */
  async takes(order: Order, orderType = 'limit'): Promise<readonly z.infer<typeof schemas.fill>[]> {
    const { matched } = await this.accepted({ ...order, orderType });
    expect(matched).not.toEqual([]);
    return matched;
  }

  cancel(sessionID: string): Promise<Reply> {
    return this.post('/session/cancel', { sessionID });
  }

  edit(sessionID: string, orderOdds: number, orderVolume: number, overrides: object = {}): Promise<Reply> {
    return this.post('/session/editOrder', {
      sessionID,
      orderOdds,
      orderVolume,
      orderType: 'post',
      ...overrides,
    });
  }

  async edited(id: string, odds: number, volume: number, overrides: object = {}) {
    const reply = await this.edit(id, odds, volume, overrides);
    expect(reply.status, reply.text).toBe(200);
    return read(schemas.editReply, reply.json).data;
  }

  // ——— reads

  async openOrders(): Promise<readonly z.infer<typeof schemas.openOrder>[]> {
    return read(schemas.openReply, (await this.post('/user/getUnmatched')).json).data.unmatched;
  }

  async openIds(): Promise<readonly string[]> {
    return (await this.openOrders()).map(({ id }) => id);
  }

  async book(gameID = this.venue.game.id) {
    return read(schemas.gameReply, (await this.post('/exchange/getSingleOrderbook', { gameID })).json).data;
  }

  /** The book of one game in the shape that third-party clients read. */
  async familyBook(gameID: string, preset: Preset) {
    const reply = await this.post('/exchange/getSingleOrderbook', { gameID });
    return read(family.gameReply(preset), reply.json).data;
  }

  async league(overrides: object = {}) {
    const reply = await this.post('/exchange/getOrderbook', { leagueRequested: 'NBA', ...overrides });
    return read(schemas.leagueReply, reply.json).data;
  }

  async user() {
    return read(schemas.userReply, (await this.get('/user/getMe')).json).data.user;
  }

  // ——— feeds

  async positions(handshake: Handshake = {}): Promise<Feed<Position>> {
    const link = await this.#join(`/v2/user/${this.username}`, handshake);
    return new Feed(link, { positionUpdate: schemas.position });
  }

  async prices(handshake: Handshake = {}): Promise<Prices> {
    const link = await this.#join('/priceUpdates', handshake);
    const all = new Feed<OrderUpdate | GameUpdate>(link, {
      orderUpdate: schemas.orderUpdate,
      gameUpdate: schemas.gameUpdate,
    });
    return {
      link,
      all,
      sides: new Feed(link, { orderUpdate: schemas.orderUpdate }),
      games: new Feed(link, { gameUpdate: schemas.gameUpdate }),
    };
  }

  async #join(namespace: string, handshake: Handshake): Promise<Link> {
    const { transport } = this.venue;
    const link = await transport.connect(namespace, {
      token: this.token,
      headers: PUBLIC_NAMES,
      ...handshake,
    });
    expect(link.error).toBeUndefined();
    return link;
  }
}

export type Prices = {
  readonly link: Link;
  readonly all: Feed<OrderUpdate | GameUpdate>;
  readonly sides: Feed<OrderUpdate>;
  readonly games: Feed<GameUpdate>;
};

/** The frames of a connection whose event has a schema, each read by that schema. */
export class Feed<T> {
  readonly link: Link;
  readonly #schemas: Readonly<Record<string, z.ZodType<T>>>;
  /** The index of the first frame that counts. Earlier frames came before the last `mark`. */
  #from = 0;

  constructor(link: Link, schemasByEvent: Readonly<Record<string, z.ZodType<T>>>) {
    this.link = link;
    this.#schemas = schemasByEvent;
  }

  /** All payloads since the last `mark`. */
  get all(): readonly T[] {
    return this.link.frames.slice(this.#from).flatMap((frame) => {
      const read = this.#read(frame);
      return read === undefined ? [] : [read];
    });
  }

  /** Ignores all frames received so far. */
  mark(): void {
    this.#from = this.link.frames.length;
  }

  async until(fits: (payload: T) => boolean = () => true): Promise<T> {
    const frame = await this.link.until((candidate) => {
      const payload = this.#read(candidate);
      return payload !== undefined && fits(payload);
    }, this.#from);
    const payload = this.#read(frame);
    if (payload === undefined) expect.fail('the frame that fits cannot be read');
    return payload;
  }

  /** The payloads up to and including the first one that fits. */
  async upTo(fits: (payload: T) => boolean): Promise<readonly T[]> {
    await this.until(fits);
    const { all } = this;
    return all.slice(0, all.findIndex(fits) + 1);
  }

  #read({ event, payload }: { readonly event: string; readonly payload: unknown }): T | undefined {
    const schema = this.#schemas[event];
    if (schema === undefined) return undefined;
    // every payload is a JSON string, not an object
    return read(schema, JSON.parse(read(z.string(), payload)));
  }
}

// ——— refusals

/** Expects the reply to be this refusal in the error envelope, and returns its message. */
export function refused(reply: Reply, status: number, message?: string | RegExp): string {
  const { error } = read(schemas.envelope, reply.json);
  expect({ status: reply.status, code: error.code }, reply.text).toEqual({ status, code: status });
  if (typeof message === 'string') expect(error.message).toBe(message);
  if (message instanceof RegExp) expect(error.message).toMatch(message);
  return error.message;
}

/** Expects the reply to be a throttle or a lock with a valid `Retry-After`, and returns its details. */
export function throttled<C extends Throttle['code']>(
  reply: Reply,
  status: 423 | 429,
  code: C,
): Extract<Throttle, { readonly code: C }> {
  refused(reply, status);
  const { details } = read(schemas.envelope, reply.json).error;
  const hasCode = (candidate: Throttle | undefined): candidate is Extract<Throttle, { readonly code: C }> =>
    candidate?.code === code;
  if (!hasCode(details)) expect.fail(`no details with ${code} in ${reply.text}`);
  const after = Number(reply.headers['retry-after']);
  expect(Number.isInteger(after)).toBe(true);
  // the header has whole seconds, never fewer than the details
  expect(after).toBe(Math.max(1, Math.ceil(details.retryAfterSeconds)));
  return details;
}

/** Sends again after each `retryAfterSeconds`, at most five times, like the client of the spec. */
export async function patiently(venue: TestVenue, send: () => Promise<Reply>): Promise<Reply> {
  let reply = await send();
  for (let attempt = 0; attempt < 5 && (reply.status === 429 || reply.status === 423); attempt++) {
    const { details } = read(schemas.envelope, reply.json).error;
    await venue.transport.wait((details?.retryAfterSeconds ?? 1) * 1000);
    reply = await send();
  }
  return reply;
}

export const statuses = (replies: readonly Reply[]): Readonly<Record<number, number>> => {
  const counts: Record<number, number> = {};
  for (const { status } of replies) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};

export const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
