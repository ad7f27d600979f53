import { createServer } from 'node:http';
import type { Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Server } from 'socket.io';
import { afterEach, describe, expect, it } from 'vitest';
import type { Feed, Input } from '../../src/domain/index.ts';
import { begun } from '../../src/setup/sessions.ts';
import type { FeedArrival } from '../../src/exchange/index.ts';
import { FeedConnections, Session } from '../../src/exchange/index.ts';
import { LIVE_TIMERS, RestClient, socketsTo } from '../../src/exchange/live/index.ts';
import type { PaperExchange } from '../../src/paper/server/server.ts';
import { startPaperExchange } from '../../src/paper/server/server.ts';
import type { WireProfile } from '../../src/wire/index.ts';
import { DEFAULT_PROFILE } from '../../src/wire/index.ts';
import { closedPort } from '../support/children.ts';

const start = (session: Session): Promise<void> => begun((done) => session.start(done));
const relogin = (session: Session): Promise<void> => new Promise((renewed) => session.relogin(renewed));

describe('the session and the feeds', () => {
  const exchanges: PaperExchange[] = [];
  const servers: HttpServer[] = [];
  const clients: RestClient[] = [];
  afterEach(async () => {
    for (const exchange of exchanges.splice(0)) await exchange.close();
    for (const client of clients.splice(0)) client.close();
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      server.close();
    }
  });

  async function startPaper(): Promise<PaperExchange> {
    const accounts = [{ username: 'demo', password: 'demo', cash: 0, coins: 10_000 }];
    const exchange = await startPaperExchange({ traders: 'synthetic', games: 1, accounts });
    exchanges.push(exchange);
    return exchange;
  }

  async function serve(
    answer: (url: string) => { status: number; body: unknown },
  ): Promise<{ url: string; seen: string[] }> {
    const seen: string[] = [];
    const server = createServer((request, response) => {
      seen.push(request.url ?? '');
      const { status, body } = answer(request.url ?? '');
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
  }

  function session(url: string, password = 'demo'): { session: Session; rest: RestClient; inputs: Input[] } {
    const rest = new RestClient(url, 'public');
    clients.push(rest);
    const inputs: Input[] = [];
    const made = new Session(
      DEFAULT_PROFILE,
      { username: 'demo', password, playerMode: 'coins', startTimeoutMs: 3000, requestTimeoutMs: 1000 },
      { rest: rest.port, timers: LIVE_TIMERS, report: (input) => inputs.push(input) },
    );
    return { session: made, rest, inputs };
  }

  it('logs in and tells player mode and balance, never the token', async () => {
    const { restUrl } = await startPaper();
    const { session: own, inputs } = session(restUrl);
    await start(own);
    expect(own.token).toBeTruthy();
    expect(inputs).toMatchObject([{ type: 'session', username: 'demo', mode: 'coins', balance: 10_000 }]);
    expect(JSON.stringify(inputs)).not.toContain(own.token);
  });

  it('believes a refusal at once', async () => {
    const { restUrl } = await startPaper();
    await expect(start(session(restUrl, 'wrong').session)).rejects.toMatchObject({
      code: 'LOGIN_REFUSED',
      exit: 77,
    });
  });

  it('shares one re-login among all who were answered 401', async () => {
    const { url, seen } = await serve(() => ({
      status: 200,
      body: { data: { user: { auth: 't', playerMode: 'coins' } } },
    }));
    const { session: own } = session(url);
    await Promise.all(Array.from({ length: 10 }, () => relogin(own)));
    expect(own.token).toBe('t');
    expect(seen).toHaveLength(1);
  });

  describe('renews a token before it ends,', () => {
    const FASTER = 20;
    const timers = {
      now: () => performance.now() * FASTER,
      after: (ms: number, action: () => void) => LIVE_TIMERS.after(ms / FASTER, action),
    };
    const life = { username: 'demo', password: 'demo', playerMode: 'coins' } as const;
    const settings = { ...life, startTimeoutMs: 500_000, requestTimeoutMs: 100_000 };

    it('whose life is in itself', async () => {
      let issued = 0;
      const { url, seen } = await serve(() => {
        const payload = Buffer.from(JSON.stringify({ iat: 1000, exp: 1020 })).toString('base64url');
        return {
          status: 200,
          body: { data: { user: { auth: `a.${payload}.${(issued += 1)}`, playerMode: 'coins' } } },
        };
      });
      const rest = new RestClient(url, 'public');
      clients.push(rest);
      const own = new Session(DEFAULT_PROFILE, settings, { rest: rest.port, timers, report: () => undefined });
      const from = timers.now();
      await start(own);
      await expect.poll(() => seen.length, { timeout: 5000, interval: 5 }).toBe(3);
      // .8 of 20 s, twice
      expect(timers.now() - from).toBeGreaterThanOrEqual(32_000);
      await expect.poll(() => own.token).toMatch(/\.3$/);
      own.close();
    });

    it('or whose life an earlier one has shown, never within 5 s of the login', async () => {
      const accounts = [{ username: 'demo', password: 'demo', coins: 10_000 }];
      const lifeMs = 30_000 / FASTER;
      const exchange = await startPaperExchange({
        traders: 'none',
        accounts,
        profile: { ...DEFAULT_PROFILE, tokenMinutes: lifeMs / 60_000 },
      });
      exchanges.push(exchange);
      const rest = new RestClient(exchange.restUrl, 'public');
      clients.push(rest);
      const logins: number[] = [];
      const own = new Session(DEFAULT_PROFILE, settings, {
        rest: rest.port,
        timers,
        report: () => logins.push(timers.now()),
      });
      await start(own);
      let refused = 0;
      const until = timers.now() + 150_000;
      while (timers.now() < until) {
        const { token } = own;
        const answer = await rest.call({ method: 'GET', path: '/user/getUnmatched', token }, 1000);
        if (answer.type !== 'answer' || answer.status !== 401) continue;
        refused += 1;
        await new Promise<void>((renewed) => own.relogin(renewed, token));
      }
      own.close();
      expect(logins.length).toBeGreaterThan(4);
      // one 401 may have had another reason
      expect(refused).toBe(2);
      expect(Math.min(...logins.slice(1).map((at, i) => at - (logins[i] ?? 0)))).toBeGreaterThan(5000);
    });
  });

  it('tells that the session is lost when the exchange refuses the new login', async () => {
    const { url } = await serve(() => ({
      status: 403,
      body: { error: { message: 'USER IS BANNED', code: 403 } },
    }));
    const { session: own, inputs } = session(url);
    await relogin(own);
    expect(own.token).toBeUndefined();
    expect(inputs).toMatchObject([{ type: 'session-lost' }]);
    expect(JSON.stringify(inputs)).toContain('USER IS BANNED');
  });

  it('takes only the JSON of the exchange for an answer', async () => {
    const { url } = await serve((path) =>
      path === '/proxy'
        ? { status: 502, body: '<html>' }
        : path === '/text'
          ? { status: 200, body: 'OK' }
          : { status: 409, body: { error: { message: 'x', code: 409 } } },
    );
    const { rest } = session(url);
    expect(await rest.call({ method: 'POST', path: '/proxy' }, 1000)).toMatchObject({
      type: 'failed',
      failure: 'foreign-body',
    });
    expect(await rest.call({ method: 'POST', path: '/text' }, 1000)).toMatchObject({
      type: 'failed',
      failure: 'foreign-body',
    });
    expect(await rest.call({ method: 'POST', path: '/envelope' }, 1000)).toMatchObject({
      type: 'answer',
      status: 409,
    });
    expect(await session('http://127.0.0.1:9').rest.call({ method: 'POST', path: '/' }, 999.5)).toMatchObject({
      failure: 'not-sent',
    });
  });

  it('gives each connection of a feed an epoch, and tells when it ends', async () => {
    const { restUrl, socketUrl, close } = await startPaper();
    const { session: own } = session(restUrl);
    await start(own);
    const seen: FeedArrival[] = [];
    const feed = new FeedConnections('prices', {
      sockets: socketsTo(socketUrl, () => 'demo', DEFAULT_PROFILE),
      session: own,
      timers: LIVE_TIMERS,
    });
    feed.arrivals$.subscribe((arrival) => seen.push(arrival));
    feed.connect();
    await expect.poll(() => seen.some((input) => input.type === 'frame'), { timeout: 8000 }).toBe(true);
    await close();
    await expect.poll(() => seen.at(-1), { timeout: 5000 }).toMatchObject({ type: 'feed', status: 'down', epoch: 1 });
    feed.close();
    expect(seen[0]).toMatchObject({ type: 'feed', feed: 'prices', status: 'up', epoch: 1 });
  });

  it('sends a message that subscribes on each connection of a feed, where the profile has one', async () => {
    const server = createServer();
    servers.push(server);
    const received: unknown[] = [];
    const io = new Server(server);
    io.of('/priceUpdates').on('connection', (socket) => {
      socket.onAny((...message) => received.push(message));
      // the client comes again
      if (received.length < 2) setTimeout(() => socket.disconnect(true), 50);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const subscribe = { event: 'subscribe', payload: { leagues: ['NBA'] } };
    const feed = new FeedConnections('prices', {
      sockets: socketsTo(url, () => 'demo', { ...DEFAULT_PROFILE, subscribe, socketPath: '/socket.io' }),
      session: { token: 't', relogin: (then) => then() },
      timers: LIVE_TIMERS,
    });
    feed.connect();
    const once = ['subscribe', { leagues: ['NBA'] }];
    await expect.poll(() => received, { timeout: 8000 }).toEqual([once, once]);
    feed.close();
    await io.close();
  });

  describe('a refused connection is logged once, at its first failure, with cause, address and setting:', () => {
    type Refused = {
      readonly at: string;
      readonly feed?: Feed;
      readonly profile?: Partial<WireProfile>;
      readonly token?: string;
    };
    type Case = [string, (socketUrl: string) => Refused | Promise<Refused>, string, string];

    it.each<Case>([
      [
        'a namespace that is part of the address',
        (at) => ({ at: `${at}/priceUpdates` }),
        'Invalid namespace',
        'exchange.socketUrl',
      ],
      [
        'a namespace that the exchange does not have',
        (at) => ({ at, profile: { priceNamespace: '/prices' } }),
        'Invalid namespace',
        'exchange.profile.priceNamespace',
      ],
      [
        'a user namespace that the exchange does not have',
        (at) => ({ at, feed: 'user', profile: { userNamespace: '/user/' } }),
        'Invalid namespace',
        'exchange.profile.userNamespace',
      ],
      [
        'a dead port',
        async () => ({ at: `http://127.0.0.1:${await closedPort()}` }),
        'connect ECONNREFUSED 127.0.0.1',
        'exchange.socketUrl',
      ],
      [
        'a wrong path',
        (at) => ({ at, profile: { socketPath: '/sockets' } }),
        'socket hang up',
        'exchange.profile.socketPath',
      ],
      [
        'a server that knows no sockets',
        async () => ({ at: (await serve(() => ({ status: 404, body: {} }))).url }),
        'Unexpected server response: 404',
        'exchange.profile.socketPath',
      ],
      [
        'a refused handshake',
        async () => ({ at: (await serve(() => ({ status: 403, body: {} }))).url }),
        'Unexpected server response: 403',
        'exchange.profile.socketTokenIn',
      ],
      [
        'a token that is not taken, where a new one is not taken either',
        (at) => ({ at, token: 'another' }),
        'not authorized',
        'exchange.profile.socketTokenIn',
      ],
    ])('%s', async (_what, of, cause, setting) => {
      const { restUrl, socketUrl } = await startPaper();
      const { at, feed = 'prices', profile = {}, token } = await of(socketUrl);
      const wire = { ...DEFAULT_PROFILE, ...profile };
      const { session: own } = session(restUrl);
      await start(own);
      const said: [string, unknown][] = [];
      let refusals = 0;
      const life = new FeedConnections(feed, {
        sockets: (name, events) =>
          socketsTo(
            at,
            () => 'demo',
            wire,
          )(name, {
            ...events,
            refused: (...refusal) => {
              refusals += 1;
              events.refused(...refusal);
            },
          }),
        session: token === undefined ? own : { token, relogin: (then) => then() },
        timers: LIVE_TIMERS,
        warn: (message, fields) => said.push([message, fields]),
      });
      life.connect();
      await expect.poll(() => refusals, { timeout: 20_000 }).toBeGreaterThanOrEqual(2);
      const { address } = life.connection;
      life.close();
      const namespace = feed === 'prices' ? wire.priceNamespace : `${wire.userNamespace}demo`;
      const { origin, pathname } = new URL(at);
      expect(address).toBe(`${origin}${wire.socketPath} namespace ${pathname.replace(/\/$/, '')}${namespace}`);
      expect(said).toEqual([
        [
          'a feed cannot connect, trying again',
          { feed, cause: expect.stringContaining(cause) as string, address, setting },
        ],
      ]);
      expect(life.connection).toMatchObject({ wasUp: false, fault: { setting } });
    });
  });

  it('renews a token that has run out without a line in the log', async () => {
    const { restUrl, socketUrl } = await startPaper();
    const { session: own } = session(restUrl);
    await start(own);
    const said: string[] = [];
    let renewed = 0;
    const life = new FeedConnections('user', {
      sockets: socketsTo(socketUrl, () => 'demo', DEFAULT_PROFILE),
      session: {
        get token() {
          return renewed === 0 ? 'run out' : own.token;
        },
        relogin: (then) => {
          renewed += 1;
          own.relogin(then);
        },
      },
      timers: LIVE_TIMERS,
      warn: (message) => said.push(message),
    });
    life.connect();
    await expect.poll(() => life.connection.wasUp, { timeout: 20_000 }).toBe(true);
    life.close();
    expect([renewed, said, life.connection.fault]).toEqual([1, [], undefined]);
  });
});
