import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import type { Input } from '../../src/domain/index.ts';
import { begun } from '../../src/cli/sessions.ts';
import type { FeedArrival } from '../../src/exchange/index.ts';
import { FeedLife, Session } from '../../src/exchange/index.ts';
import { conflate, LIVE_TIMERS, RestClient, socketsTo } from '../../src/exchange/live/index.ts';
import { Subject } from 'rxjs';
import { DEFAULT_PROFILE } from '../../src/wire/index.ts';

const bin = fileURLToPath(new URL('../../bin/oddsmaker.js', import.meta.url));

const start = (session: Session): Promise<void> => begun((done) => session.start(done));
const relogin = (session: Session): Promise<void> => new Promise((renewed) => session.relogin(renewed));

describe('the session and the feeds', () => {
  const children: ChildProcess[] = [];
  const servers: Server[] = [];
  const clients: RestClient[] = [];
  afterEach(() => {
    for (const child of children.splice(0)) child.kill();
    for (const client of clients.splice(0)) client.close();
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      server.close();
    }
  });

  async function startPaper(): Promise<{ restUrl: string; socketUrl: string; child: ChildProcess }> {
    const child = spawn(process.execPath, [bin, 'exchange', '--games', '1', '--account', 'demo:demo'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.push(child);
    const line = await new Promise<string>((resolve) =>
      child.stdout.setEncoding('utf8').once('data', resolve),
    );
    return { ...(JSON.parse(line) as { restUrl: string; socketUrl: string }), child };
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
      { rest: rest.port, timers: LIVE_TIMERS, tell: (input) => inputs.push(input) },
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
    expect(await session('http://127.0.0.1:9').rest.call({ method: 'POST', path: '/' }, 999.5)).toMatchObject(
      { failure: 'not-sent' },
    );
  });

  it('gives each connection of a feed an epoch, and tells when it ends', async () => {
    const { restUrl, socketUrl, child } = await startPaper();
    const { session: own } = session(restUrl);
    await start(own);
    const seen: FeedArrival[] = [];
    const feed = new FeedLife('prices', {
      sockets: socketsTo(socketUrl, 'demo', DEFAULT_PROFILE),
      session: own,
      timers: LIVE_TIMERS,
      tell: (arrival) => seen.push(arrival),
    });
    feed.connect();
    await expect.poll(() => seen.some((input) => input.type === 'frame'), { timeout: 8000 }).toBe(true);
    child.kill();
    await expect
      .poll(() => seen.at(-1), { timeout: 5000 })
      .toMatchObject({ type: 'feed', status: 'down', epoch: 1 });
    feed.close();
    expect(seen[0]).toMatchObject({ type: 'feed', feed: 'prices', status: 'up', epoch: 1 });
  });

  it('keeps only the newest frame of each side that arrived together, and everything else in order', async () => {
    const source = new Subject<FeedArrival>();
    const out: FeedArrival[] = [];
    let dropped = 0;
    const subscription = source.pipe(conflate(() => (dropped += 1))).subscribe((input) => out.push(input));
    const frame = (side: string, n: number): FeedArrival => ({
      type: 'frame',
      feed: 'prices',
      epoch: 1,
      event: 'orderUpdate',
      data: `{"gameID":"g","type":"moneyline","participantID":"${side}","sideOrders":[{"n":${n}}]}`,
    });
    const game: FeedArrival = { type: 'frame', feed: 'prices', epoch: 1, event: 'gameUpdate', data: '{}' };
    source.next(frame('a', 1));
    source.next(frame('b', 1));
    source.next(game);
    source.next(frame('a', 2));
    await expect.poll(() => out.length).toBe(3);
    expect(out).toEqual([frame('b', 1), game, frame('a', 2)]);
    expect(dropped).toBe(1);
    subscription.unsubscribe();
  });
});
