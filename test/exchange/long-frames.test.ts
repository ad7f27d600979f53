// Frames and answers longer than the limit are dropped before they are parsed, and the connection stays.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Server } from 'socket.io';
import { afterEach, expect, it } from 'vitest';
import type { FeedArrival } from '../../src/exchange/index.ts';
import { FeedConnections } from '../../src/exchange/index.ts';
import { readHead } from '../../src/exchange/live/bounded-socket.ts';
import { LIVE_TIMERS, RestClient, socketsTo } from '../../src/exchange/live/index.ts';
import { DEFAULT_PROFILE } from '../../src/wire/index.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function feedOf(maxFrame: number) {
  const http = createServer();
  const server = new Server(http, { path: DEFAULT_PROFILE.socketPath, transports: ['websocket'] });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const { port } = http.address() as AddressInfo;
  const got: FeedArrival[] = [];
  const feed = new FeedConnections('prices', {
    sockets: socketsTo(`http://127.0.0.1:${port}`, () => 'alice', DEFAULT_PROFILE, maxFrame),
    session: { token: 'token', relogin: () => undefined },
    timers: LIVE_TIMERS,
  });
  feed.arrivals$.subscribe((arrival) => got.push(arrival));
  closers.push(
    () => feed.close(),
    () => server.close(),
  );
  const space = server.of(DEFAULT_PROFILE.priceNamespace);
  const connected = once(space, 'connection');
  feed.connect();
  await connected;
  await expect.poll(() => got.length).toBe(1);
  return { got, send: (event: string, data: unknown) => space.emit(event, data) };
}

const frameOf = (letters: number): string =>
  JSON.stringify({ gameID: 'g "1"', type: 'moneyline', participantID: 'p', sideOrders: [{ id: 'x'.repeat(letters) }] });

it('a price feed drops a frame of 66 MB, reports its beginning, and reads the next frame of the same connection', async () => {
  const { got, send } = await feedOf(8_000_000);
  const huge = frameOf(66_000_000);
  const small = frameOf(10);
  send('orderUpdate', huge);
  send('orderUpdate', small);
  send('gameUpdate', { no: 'text', more: 'y'.repeat(9_000_000) });
  send('gameUpdate', '{}');
  await expect.poll(() => got.length, { timeout: 20_000 }).toBe(5);
  const [up, long, frame, object, game] = got;
  expect(up).toMatchObject({ type: 'feed', status: 'up' });
  expect(long).toMatchObject({ type: 'long-frame', event: 'orderUpdate', epoch: 1 });
  if (long?.type !== 'long-frame') throw new Error('the frame was not dropped');
  expect(long.bytes).toBeGreaterThan(66_000_000);
  expect(long.head.length).toBeLessThanOrEqual(4096);
  expect(long.head).toMatch(
    /^\{"gameID":"g \\"1\\"","type":"moneyline","participantID":"p","sideOrders":\[\{"id":"x+$/,
  );
  expect(frame).toMatchObject({ type: 'frame', data: small, epoch: 1 });
  expect(object).toMatchObject({ type: 'long-frame', event: 'gameUpdate', head: '' });
  expect(game).toMatchObject({ type: 'frame', data: '{}', epoch: 1 });
}, 30_000);

it.each([
  ['42/prices,["orderUpdate","{\\"gameID\\":\\"g', { event: 'orderUpdate', payload: '{"gameID":"g' }],
  ['42["orderUpdate","{\\"a\\', { event: 'orderUpdate', payload: '{"a' }],
  ['42/n,["e\\"x","\\u00', { event: 'e\\"x', payload: '' }],
  ['42/n,12["e","a\\u0041b\\u00', { event: 'e', payload: 'aAb' }],
  ['451-/n,["e",', { event: '', payload: '' }],
  ['', { event: '', payload: '' }],
])('readHead reads event and payload from the beginning %s', (head, expected) => {
  expect(readHead(head)).toEqual(expected);
});

it('a client refuses an answer whose body is longer than exchange.maxFrame', async () => {
  const http = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ data: 'x'.repeat(100_000) }));
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const { port } = http.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const bounded = new RestClient(url, '', undefined, 50_000);
  const wide = new RestClient(url, '', undefined, 200_000);
  closers.push(
    () => bounded.close(),
    () => wide.close(),
    () => http.close(),
  );
  const call = { method: 'GET', path: '/books' } as const;
  expect(await bounded.call(call, 5000)).toEqual({
    type: 'failed',
    failure: 'no-answer',
    detail: 'its body is longer than exchange.maxFrame (50000 bytes)',
  });
  expect(await wide.call(call, 5000)).toMatchObject({ type: 'answer', status: 200 });
});
