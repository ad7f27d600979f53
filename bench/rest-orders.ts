// Orders per second over REST with one price subscriber, against the smallest server with the same libraries
// (bare-server.ts). Both servers run in their own processes; the load alternates between them in short
// blocks.
import { io } from 'socket.io-client';
import type { Socket } from 'socket.io-client';
import { Child } from './child.ts';
import { HttpLine } from './http-line.ts';
import type { ServerAnswer, ServerQuestion } from './paper-server.ts';
import type { Row } from './run.ts';
import { median } from './statistics.ts';

const CONNECTIONS = 8;
const BLOCKS = 15;
const WARM_UP_BLOCKS = 5;
const ORDERS = 1_500;
const LINE = 210.5;
/** Offers that rest on each side behind those that are taken. */
const DEPTH = 20;

/** The field names of the specification. */
const PUBLIC = { 'X-API-Version': 'public' };

type Server = Child<ServerQuestion, ServerAnswer>;
type Contestant = 'own' | 'bare';
/** Orders of a block, spread over the connections: every fifth order takes what the four before it offer. */
type Load = { readonly lines: readonly HttpLine[]; readonly requests: readonly Buffer[] };

export async function restOrders(): Promise<readonly Row[]> {
  const servers: Record<Contestant, Server> = {
    own: new Child('./paper-server.ts'),
    bare: new Child('./bare-server.ts'),
  };
  const closers: (() => void)[] = [];
  try {
    const loads = {
      own: await prepare(servers.own, true, closers),
      bare: await prepare(servers.bare, false, closers),
    };
    const ratios: number[] = [];
    const rates: Record<Contestant, number[]> = { own: [], bare: [] };
    const cpu: Record<Contestant, number[]> = { own: [], bare: [] };
    for (let block = 0; block < WARM_UP_BLOCKS + BLOCKS; block++) {
      const rate = { own: 0, bare: 0 };
      for (const contestant of block % 2 === 0 ? (['own', 'bare'] as const) : (['bare', 'own'] as const)) {
        const before = await servers[contestant].ask({});
        rate[contestant] = await drive(loads[contestant]);
        const after = await servers[contestant].ask({});
        if (block < WARM_UP_BLOCKS) continue;
        rates[contestant].push(rate[contestant]);
        cpu[contestant].push((after.cpuMs - before.cpuMs) / ORDERS);
      }
      if (block >= WARM_UP_BLOCKS) ratios.push(rate.own / rate.bare);
    }
    const perSecond = (contestant: Contestant): string => Math.round(median(rates[contestant])).toLocaleString('en');
    const us = (contestant: Contestant): string => `${Math.round(median(cpu[contestant]) * 1000)} µs`;
    return [
      {
        what: 'paper exchange orders/s over REST with one subscriber ÷ bare fastify + matching + emit',
        ratios,
        goal: '>= 0.8',
        detail: `median of ${BLOCKS} blocks of ${ORDERS}: ${perSecond('own')} against ${perSecond('bare')} orders/s, ${us('own')} against ${us('bare')} of processor time an order`,
      },
    ];
  } finally {
    for (const close of closers) close();
    await Promise.all([servers.own.close(), servers.bare.close()]);
  }
}

async function prepare(server: Server, login: boolean, closers: (() => void)[]): Promise<Load> {
  const account = { username: 'trader', password: 'x', coins: 1e9, exempt: true };
  const watcher = { username: 'watcher', password: 'x' };
  const { url, games } = await server.ask({
    start: { traders: 'none', games: 1, accounts: [account, watcher] },
  });
  const tokenOf = async (username: string): Promise<string> => {
    if (!login) return 'token';
    const line = new HttpLine(url);
    const reply = await line.post<{ data: { user: { auth: string } } }>('/user/login', {
      username,
      password: 'x',
    });
    line.close();
    return reply.data.user.auth;
  };
  const subscriber = await subscribe(url, await tokenOf('watcher'));
  closers.push(() => subscriber.disconnect());
  const token = await tokenOf('trader');
  const lines = Array.from({ length: CONNECTIONS }, () => new HttpLine(url, { ...PUBLIC, Authorization: token }));
  closers.push(() => lines.forEach((line) => line.close()));

  const [line] = lines as [HttpLine];
  const [gameID] = games;
  const order = (side: string, odds: number, risk: number): Buffer =>
    line.encode('/session/v2/place', {
      orders: [{ gameID, type: 'total', number: LINE, side, odds, risk, orderType: 'limit' }],
    });
  for (let level = 0; level < DEPTH; level++)
    for (const side of ['over', 'under']) await line.send(order(side, 120 + level, 100));
  return {
    lines,
    requests: Array.from({ length: ORDERS }, (_none, index) => {
      const [maker, taker] = index % 10 < 5 ? ['over', 'under'] : ['under', 'over'];
      return index % 5 < 4
        ? order(maker, 101 + (index % 5), 20)
        : order(taker, -104, (20 * (101 + 102 + 103 + 104)) / 100);
    }),
  };
}

async function subscribe(url: string, token: string): Promise<Socket> {
  const socket = io(`${url}/priceUpdates`, {
    transports: ['websocket'],
    forceNew: true,
    extraHeaders: { ...PUBLIC, Authorization: token },
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('connect_error', reject);
  });
  return socket;
}

/** Sends all requests with every connection always busy; orders per second. */
async function drive({ lines, requests }: Load): Promise<number> {
  let next = 0;
  const from = performance.now();
  await Promise.all(
    lines.map(async (line) => {
      for (let request = requests[next++]; request !== undefined; request = requests[next++]) await line.send(request);
    }),
  );
  return (requests.length / (performance.now() - from)) * 1000;
}
