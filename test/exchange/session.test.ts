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

describe('a session with its feeds', () => {
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

  it('reports player mode and balance after the login, never the token', async () => {
    const { restUrl } = await startPaper();
    const { session: own, inputs } = session(restUrl);
    await start(own);
    expect(own.token).toBeTruthy();
    expect(inputs).toMatchObject([{ type: 'session', username: 'demo', mode: 'coins', balance: 10_000 }]);
    expect(JSON.stringify(inputs)).not.toContain(own.token);
  });

  it('fails at once when the login is refused', async () => {
    const { restUrl } = await startPaper();
    await expect(start(session(restUrl, 'wrong').session)).rejects.toMatchObject({
      code: 'LOGIN_REFUSED',
      exit: 77,
    });
  });

  it('shares one re-login among all requests that were answered 401', async () => {
    const { url, seen } = await serve(() => ({
      status: 200,
      body: { data: { user: { auth: 't', playerMode: 'coins' } } },
    }));
    const { session: own } = session(url);
    await Promise.all(Array.from({ length: 10 }, () => relogin(own)));
    expect(own.token).toBe('t');
    expect(seen).toHaveLength(1);
  });

  describe('the renewal of a token', () => {
    const FASTER = 10;
    const timers = {
      now: () => performance.now() * FASTER,
      after: (ms: number, action: () => void) => LIVE_TIMERS.after(ms / FASTER, action),
    };
    const credentials = { username: 'demo', password: 'demo', playerMode: 'coins' } as const;
    const settings = { ...credentials, startTimeoutMs: 500_000, requestTimeoutMs: 100_000 };

    it('comes before the expiry that the token states', async () => {
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
      // twice 80 % of 20 s
      expect(timers.now() - from).toBeGreaterThanOrEqual(32_000);
      await expect.poll(() => own.token).toMatch(/\.3$/);
      own.close();
    });

    it('comes before the lifetime that an earlier token has shown, and never within 5 s of the login', async () => {
      const accounts = [{ username: 'demo', password: 'demo', coins: 10_000 }];
      const lifetimeMs = 30_000 / FASTER;
      const exchange = await startPaperExchange({
        traders: 'none',
        accounts,
        profile: { ...DEFAULT_PROFILE, tokenMinutes: lifetimeMs / 60_000 },
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
      // a single 401 may have another reason
      expect(refused).toBe(2);
      expect(Math.min(...logins.slice(1).map((time, index) => time - (logins[index] ?? 0)))).toBeGreaterThan(5000);
    });
  });

  it('reports the session as lost when the exchange refuses the new login', async () => {
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

  it('accepts only the JSON of the exchange as an answer', async () => {
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

  it('gives each connection of a feed an epoch, and reports when it ends', async () => {
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

  it('sends the subscription message of the profile on each connection of a feed', async () => {
    const server = createServer();
    servers.push(server);
    const received: unknown[] = [];
    const io = new Server(server);
    io.of('/priceUpdates').on('connection', (socket) => {
      socket.onAny((...message) => received.push(message));
      // the client connects again
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

  describe('a refused connection', () => {
    type Refused = {
      readonly url: string;
      readonly feed?: Feed;
      readonly profile?: Partial<WireProfile>;
      readonly token?: string;
    };
    type Case = [string, (socketUrl: string) => Refused | Promise<Refused>, string, string];

    it.each<Case>([
      [
        'a namespace that is part of the address',
        (url) => ({ url: `${url}/priceUpdates` }),
        'Invalid namespace',
        'exchange.socketUrl',
      ],
      [
        'a namespace that the exchange does not have',
        (url) => ({ url, profile: { priceNamespace: '/prices' } }),
        'Invalid namespace',
        'exchange.profile.priceNamespace',
      ],
      [
        'a user namespace that the exchange does not have',
        (url) => ({ url, feed: 'user', profile: { userNamespace: '/user/' } }),
        'Invalid namespace',
        'exchange.profile.userNamespace',
      ],
      [
        'a dead port',
        async () => ({ url: `http://127.0.0.1:${await closedPort()}` }),
        'connect ECONNREFUSED 127.0.0.1',
        'exchange.socketUrl',
      ],
      [
        'a wrong path',
        (url) => ({ url, profile: { socketPath: '/sockets' } }),
        'socket hang up',
        'exchange.profile.socketPath',
      ],
      [
        'a server without sockets',
        async () => ({ url: (await serve(() => ({ status: 404, body: {} }))).url }),
        'Unexpected server response: 404',
        'exchange.profile.socketPath',
      ],
      [
        'a refused handshake',
        async () => ({ url: (await serve(() => ({ status: 403, body: {} }))).url }),
        'Unexpected server response: 403',
        'exchange.profile.socketTokenIn',
      ],
      [
        'a refused token, when a new one is refused too',
        (url) => ({ url, token: 'another' }),
        'not authorized',
        'exchange.profile.socketTokenIn',
      ],
    ])(
      'is logged once, at its first failure, with cause, address and setting: %s',
      async (_what, target, cause, setting) => {
        const { restUrl, socketUrl } = await startPaper();
        const { url, feed = 'prices', profile = {}, token } = await target(socketUrl);
        const wire = { ...DEFAULT_PROFILE, ...profile };
        const { session: own } = session(restUrl);
        await start(own);
        const logged: [string, unknown][] = [];
        let refusals = 0;
        const feedConnections = new FeedConnections(feed, {
          sockets: (name, events) =>
            socketsTo(
              url,
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
          warn: (message, fields) => logged.push([message, fields]),
        });
        feedConnections.connect();
        await expect.poll(() => refusals, { timeout: 20_000 }).toBeGreaterThanOrEqual(2);
        const { address } = feedConnections.connection;
        feedConnections.close();
        const namespace = feed === 'prices' ? wire.priceNamespace : `${wire.userNamespace}demo`;
        const { origin, pathname } = new URL(url);
        expect(address).toBe(`${origin}${wire.socketPath} namespace ${pathname.replace(/\/$/, '')}${namespace}`);
        expect(logged).toEqual([
          [
            'a feed cannot connect, trying again',
            { feed, cause: expect.stringContaining(cause) as string, address, setting },
          ],
        ]);
        expect(feedConnections.connection).toMatchObject({ wasUp: false, fault: { setting } });
      },
    );
  });

  it('renews an expired token without a line in the log', async () => {
    const { restUrl, socketUrl } = await startPaper();
    const { session: own } = session(restUrl);
    await start(own);
    const logged: string[] = [];
    let renewed = 0;
    const feedConnections = new FeedConnections('user', {
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
      warn: (message) => logged.push(message),
    });
    feedConnections.connect();
    await expect.poll(() => feedConnections.connection.wasUp, { timeout: 20_000 }).toBe(true);
    feedConnections.close();
    expect([renewed, logged, feedConnections.connection.fault]).toEqual([1, [], undefined]);
  });
});
