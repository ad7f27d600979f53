// The exchange of tick-to-request and of flood: it emits a frame, waits for the edit that answers it, and
// measures the time between; or emits all frames of a file. It uses plain node:http and socket.io, so that
// both chains talk to the same, smallest possible exchange.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readFileSync } from 'node:fs';
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { Server } from 'socket.io';

const GAME = 'bench-game';
const start = new Date(Date.now() + 7_200_000).toISOString();
const DEPTH = 20;

let arrived: (() => void) | undefined;
let ids = 0;

/**
 * A ladder behind this best offer. In recordings a frame that moves the best offer brings one new row
 * (median; p99: 6).
 */
const side = (best: number): unknown[] =>
  Array.from({ length: DEPTH }, (_none, level) => ({
    id: `offer-${level}`,
    type: 'moneyline',
    risk: 200,
    sumUntaken: 200,
    odds: level === 0 ? best : 105 + level * 2,
    takenRatio: 0,
    gameID: GAME,
    participantID: 'home',
    total: null,
    spread: null,
    OU: null,
    expiry: null,
    createdAt: '2030-01-01T00:00:00.000Z',
    gameStartExpiry: false,
  }));

const game = {
  id: GAME,
  league: 'NBA',
  sport: 'basketball',
  start,
  live: false,
  ended: false,
  participants: [
    { id: 'away', longName: 'Away', homeAway: 'away' },
    { id: 'home', longName: 'Home', homeAway: 'home' },
  ],
  homeMoneylines: side(105),
  awayMoneylines: side(105),
};

const gameOf = (id: string): unknown => ({
  ...game,
  id,
  homeMoneylines: side(105).map((row) => ({
    ...(row as object),
    id: `${id}-h${(row as { id: string }).id}`,
    gameID: id,
  })),
  awayMoneylines: side(105).map((row) => ({
    ...(row as object),
    id: `${id}-a${(row as { id: string }).id}`,
    gameID: id,
  })),
});

/** The content of a flood: the header of its game, and its frames. */
export type Flood = { readonly header: unknown; readonly payloads: readonly string[] };
/** Number of frames that are emitted before the sockets get their turn. */
const BURST = 100;

let games: readonly unknown[] = [game];

type Wire = { readonly userReference?: string; readonly sessionID?: string; readonly orderOdds?: number };

/** Reports an order on the user feed, as an exchange does: a bot without reports stops quoting. */
function report(orderID: string, offered: number, { userReference }: Wire): void {
  const unmatched = { orderID, userReference, odds: 110, offered, filled: 0, remaining: offered };
  const data = JSON.stringify({ gameID: GAME, unmatched, matched: null, origin: 'offer' });
  users.emit('positionUpdate', data);
}

function rest(order: Wire): unknown {
  const orderID = `o${(ids += 1)}`;
  setImmediate(() => report(orderID, 100, order));
  return { orderID, userReference: order.userReference };
}

function answer(url: string, body: string): unknown {
  switch (url) {
    case '/user/login':
    case '/user/getMe':
      return {
        data: { user: { auth: 'token', username: 'u', id: 'u', playerMode: 'coins', coinsBalance: 10_000 } },
      };
    case '/user/getUnmatched':
      return { data: { unmatched: [] } };
    case '/user/getMatchedBets':
      return { data: { matchedBets: [] } };
    case '/exchange/getOrderbook':
      return { data: { market: null, games, pagination: { hasNextPage: false } } };
    case '/session/v2/place':
      return {
        data: {
          createdSessions: (JSON.parse(body) as { orders: Wire[] }).orders.map((order) => ({
            matched: [],
            unmatched: rest(order),
          })),
        },
      };
    case '/session/editOrder': {
      const order = JSON.parse(body) as Wire;
      const { sessionID } = order;
      if (sessionID !== undefined) setImmediate(() => report(sessionID, 0, {}));
      return { data: { cancelled: { success: true }, matched: [], unmatched: rest(order) } };
    }
    default:
      return { data: {} };
  }
}

const http = createServer((request, response) => {
  if (request.url === '/session/editOrder') arrived?.();
  let body = '';
  request.on('data', (chunk: Buffer) => (body += chunk.toString()));
  request.on('end', () => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(answer(request.url ?? '', body)));
  });
});
// a bot trusts a feed once its first packet arrived
const sockets = new Server(http, { pingInterval: 250 });
const prices = sockets.of('/priceUpdates');
const users = sockets.of(/^\/v2\/user\/.+$/);

http.listen(0, '127.0.0.1', () => process.send?.({ url: `http://127.0.0.1:${(http.address() as AddressInfo).port}` }));

type Wanted =
  | { readonly ticks: number; readonly pauseMs: number }
  | { readonly flood: string }
  /** The number of games; only the first one changes. */
  | { readonly games: number };

process.on('message', (wanted: Wanted) => {
  if ('flood' in wanted) void flood(wanted.flood);
  else if ('games' in wanted) {
    games = Array.from({ length: wanted.games }, (_none, index) => (index === 0 ? game : gameOf(`still-${index}`)));
    process.send?.({ ready: true });
  } else void measure(wanted.ticks, wanted.pauseMs).then((times) => process.send?.({ times }));
});

/** `file`: payloads of a price feed, as JSON. */
async function flood(file: string): Promise<void> {
  const { header, payloads } = JSON.parse(readFileSync(file, 'utf8')) as Flood;
  games = [header];
  process.send?.({ ready: true });
  while (prices.sockets.size !== 1) await delay(5);
  await delay(800);
  for (let index = 0; index < payloads.length; index++) {
    prices.emit('orderUpdate', payloads[index]);
    if (index % BURST === 0) await nextTurn();
  }
}

async function measure(ticks: number, pauseMs: number): Promise<number[]> {
  while (prices.sockets.size !== 1) await delay(5);
  // the chain behind the socket fetches its permits, reads its books and rests its first order
  await delay(800);
  const times: number[] = [];
  for (let tick = 0; tick < ticks; tick++) {
    const data = JSON.stringify({
      gameID: GAME,
      sport: 'basketball',
      league: 'NBA',
      live: false,
      type: 'moneyline',
      participantID: 'home',
      sideOrders: side(tick % 2 === 0 ? 107 : 103),
    });
    const waiting = new Promise<void>((resolve) => (arrived = resolve));
    const from = performance.now();
    prices.emit('orderUpdate', data);
    await waiting;
    times.push(performance.now() - from);
    arrived = undefined;
    await delay(pauseMs);
  }
  return times;
}
