// Faults that only real connections can show: broken and unanswered requests, sockets that are cut or carry
// no more data.
import { setTimeout as sleep } from 'node:timers/promises';
import { io } from 'socket.io-client';
import type { Socket } from 'socket.io-client';
import { expect, it, onTestFinished } from 'vitest';
import { faultPlanSchema } from '../../../src/paper/index.ts';
import { startPaperExchange } from '../../../src/paper/server/server.ts';

type Body = {
  readonly data: { readonly user: { readonly auth: string }; readonly unmatched: readonly unknown[] };
};

async function exchangeWith(rules: readonly unknown[]) {
  const exchange = await startPaperExchange({
    traders: 'none',
    games: 1,
    accounts: [{ username: 'alice', password: 'x' }],
    ping: { intervalMs: 300, timeoutMs: 300 },
    faults: faultPlanSchema.parse({ rules }),
  });
  onTestFinished(() => exchange.close());
  const post = (path: string, body: unknown, token = '', signal?: AbortSignal): Promise<Response> =>
    fetch(exchange.restUrl + path, {
      method: 'POST',
      headers: { authorization: token },
      body: JSON.stringify(body),
      ...(signal === undefined ? {} : { signal }),
    });
  const login = (await (await post('/user/login', { username: 'alice', password: 'x' })).json()) as Body;
  const token = login.data.user.auth;
  const [game] = exchange.games;
  const [side] = (game?.participants ?? []) as readonly { readonly id: string }[];
  const order = {
    gameID: game?.id,
    type: 'moneyline',
    side: side?.id,
    odds: 110,
    risk: 10,
    orderType: 'post',
  };
  const place = (signal?: AbortSignal): Promise<Response> =>
    post('/session/v2/place', { orders: [order] }, token, signal);
  const open = async (): Promise<number> =>
    ((await (await post('/user/getUnmatched', {}, token)).json()) as Body).data.unmatched.length;
  const connect = async (namespace: string): Promise<Socket> => {
    const socket = io(exchange.socketUrl + namespace, {
      transports: ['websocket'],
      forceNew: true,
      reconnection: false,
      extraHeaders: { authorization: token },
    });
    onTestFinished(() => void socket.close());
    await new Promise<void>((resolve) => socket.on('connect', () => resolve()));
    return socket;
  };
  return { place, open, connect, token, socketUrl: exchange.socketUrl };
}

const ended = (socket: Socket): Promise<string> =>
  new Promise((resolve) => socket.on('disconnect', (reason) => resolve(reason)));

it('the no-answer fault executes a request and then resets the connection or never answers', async () => {
  const { place, open } = await exchangeWith([
    { fault: 'no-answer', on: ['place'], close: 'reset', nth: [1] },
    { fault: 'no-answer', on: ['place'], nth: [2] },
  ]);
  await expect(place()).rejects.toThrow('fetch failed');
  expect(await open()).toBe(1);
  const given = AbortSignal.timeout(500);
  await expect(place(given)).rejects.toThrow(/timeout|aborted/);
  expect(await open()).toBe(2);
  expect((await place()).status).toBe(200);
});

it('the disconnect fault cuts a feed; the half-open fault leaves a feed open until its client times out', async () => {
  const { place, connect } = await exchangeWith([
    { fault: 'disconnect', feeds: ['prices'], at: '1s' },
    { fault: 'half-open', feeds: ['user'], at: '1s' },
  ]);
  const [prices, user] = await Promise.all([connect('/priceUpdates'), connect('/v2/user/alice')]);
  const received: string[] = [];
  user.on('positionUpdate', (text: string) => received.push(text));
  const [cut, silent] = [ended(prices), ended(user)];
  expect(await cut).toMatch(/transport|server/);
  await place();
  // only the client's own timeout shows that the connection is dead
  expect(await silent).toBe('ping timeout');
  expect(received).toEqual([]);
});

it('the half-open fault never closes the connection from the server’s side', async () => {
  const { token, socketUrl } = await exchangeWith([{ fault: 'half-open', feeds: ['user'], every: '50ms' }]);
  // a client that answers no ping and has no timeout
  const client = new WebSocket(`${socketUrl.replace('http', 'ws')}/socket.io/?EIO=4&transport=websocket`);
  const packets: string[] = [];
  client.addEventListener('message', ({ data }) => packets.push(String(data)));
  await new Promise((resolve) => client.addEventListener('open', resolve));
  client.send(`40/v2/user/alice,${JSON.stringify({ token })}`);
  await expect.poll(() => packets.some((packet) => packet.startsWith('40/v2/user/alice'))).toBe(true);
  // three times the exchange's own ping timeout
  await sleep(1800);
  expect(client.readyState).toBe(WebSocket.OPEN);
});

it('the late-frame fault delays all later frames, and no frame overtakes another', async () => {
  const { place, connect } = await exchangeWith([{ fault: 'late-frame', feeds: ['user'], by: '30ms', nth: [3, 15] }]);
  const user = await connect('/v2/user/alice');
  const received: string[] = [];
  user.on('positionUpdate', (text: string) => {
    received.push((JSON.parse(text) as { unmatched: { orderID: string } }).unmatched.orderID);
  });
  const placed: string[] = [];
  for (let order = 0; order < 25; order++) {
    const reply = (await (await place()).json()) as {
      data: { createdSessions: { unmatched: { orderID: string } }[] };
    };
    placed.push(...reply.data.createdSessions.map(({ unmatched }) => unmatched.orderID));
  }
  await expect.poll(() => received.length).toBe(placed.length);
  expect(received).toEqual(placed);
});
