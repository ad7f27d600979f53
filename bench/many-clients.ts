// How long a place request takes while 200 price clients are connected and 5,000 orders rest, against a place
// with ten clients. Every place and cancel changes a side, whose frame goes to all clients. Both exchanges,
// the price clients and the trader have their own processes; the places alternate between the two exchanges
// in blocks.
import { setTimeout as delay } from 'node:timers/promises';
import { Child } from './child.ts';
import { HttpLine } from './http-line.ts';
import type { LoadAnswer, LoadQuestion } from './many-clients-load.ts';
import type { ServerAnswer, ServerQuestion } from './paper-server.ts';
import type { Row } from './run.ts';
import { median, quantile } from './statistics.ts';

const FEW = { clients: 10, games: 1, lines: 6 } as const;
const MANY = { clients: 200, games: 14, lines: 6 } as const;
/** Offers that rest on each side of every line: 14 games with 6 lines have 5,040. */
const DEPTH = 30;
const BLOCKS = 5;
const PLACES = 100;
const WARM_UP_PLACES = 250;
const PLACES_PER_SECOND = 25;
const ORDERS_PER_REQUEST = 20;
const PATIENCE_MS = 10_000;

type Scenario = typeof FEW | typeof MANY;
/** Times of a block, ms. */
type Block = { readonly places: number[]; readonly echoes: number[] };
type Clients = Child<LoadQuestion, LoadAnswer>;
type Trader = { readonly line: HttpLine; readonly sides: readonly object[]; placed: number };
type PlaceReply = {
  readonly data: {
    readonly createdSessions: readonly { readonly unmatched: { readonly orderID: string } }[];
  };
};

export async function manyClients(): Promise<readonly Row[]> {
  const children = {
    few: new Child<ServerQuestion, ServerAnswer>('./paper-server.ts'),
    many: new Child<ServerQuestion, ServerAnswer>('./paper-server.ts'),
    clients: new Child<LoadQuestion, LoadAnswer>('./many-clients-load.ts'),
    echo: new Child<object, { readonly url: string }>('./echo-server.ts'),
  };
  const lines: HttpLine[] = [];
  try {
    const echo = new HttpLine((await children.echo.ask({})).url);
    lines.push(echo);
    const few = await prepare(children.few, children.clients, FEW);
    lines.push(few.line);
    const many = await prepare(children.many, children.clients, MANY);
    lines.push(many.line);
    const blocks: Record<'few' | 'many', Block[]> = { few: [], many: [] };
    for (const trader of [few, many]) await places(trader, echo, WARM_UP_PLACES, 15);
    await framesOf(children.clients, WARM_UP_PLACES);
    for (let block = 0; block < BLOCKS; block++) {
      blocks.few.push(await places(few, echo, PLACES, 1000 / PLACES_PER_SECOND));
      blocks.many.push(await places(many, echo, PLACES, 1000 / PLACES_PER_SECOND));
    }
    await framesOf(children.clients, WARM_UP_PLACES + BLOCKS * PLACES);
    const quantiles = (blockList: readonly Block[], field: keyof Block): string =>
      `p50 ${typical(blockList, field, 0.5).toFixed(2)} ms, p99 ${typical(blockList, field, 0.99).toFixed(2)} ms`;
    const { few: ten, many: all } = blocks;
    return [
      {
        what: 'p99 of a place with 200 price clients and 5,000 resting orders ÷ p50 with ten clients',
        ratios: all.map(({ places }, block) => quantile(places, 0.99) / quantile(ten[block]?.places ?? [], 0.5)),
        goal: '<= 4',
        detail: `${quantiles(all, 'places')} with 200 clients; ${quantiles(ten, 'places')} with ten; a bare echo meanwhile: ${quantiles([...ten, ...all], 'echoes')} (median of ${BLOCKS} blocks of ${PLACES})`,
      },
    ];
  } finally {
    for (const line of lines) line.close();
    await Promise.all(Object.values(children).map((child) => child.close()));
  }
}

/** A quantile in the median block, so that other work of the machine during one block does not count. */
const typical = (blocks: readonly Block[], field: keyof Block, p: number): number =>
  median(blocks.map((block) => quantile(block[field], p)));

/**
 * Waits until every client received one frame for every place and every cancel. Throws when the number
 * differs.
 */
async function framesOf(clients: Clients, placesEach: number): Promise<void> {
  const expected = placesEach * 2 * (FEW.clients + MANY.clients);
  const until = performance.now() + PATIENCE_MS;
  let { frames } = await clients.ask({ url: '', tokens: [] });
  while (frames < expected && performance.now() < until) {
    await delay(20);
    ({ frames } = await clients.ask({ url: '', tokens: [] }));
  }
  if (frames !== expected) throw new Error(`${frames} frames came instead of ${expected}`);
}

async function prepare(
  server: Child<ServerQuestion, ServerAnswer>,
  clients: Clients,
  scenario: Scenario,
): Promise<Trader> {
  const names = Array.from({ length: scenario.clients }, (_none, index) => `client-${index}`);
  const { url, games } = await server.ask({
    start: {
      traders: 'none',
      games: scenario.games,
      accounts: ['trader', 'maker', ...names].map((username) => ({
        username,
        password: 'x',
        coins: 1e9,
        exempt: true,
      })),
    },
  });
  const door = new HttpLine(url);
  const login = async (username: string): Promise<string> =>
    (await door.post<{ data: { user: { auth: string } } }>('/user/login', { username, password: 'x' })).data.user.auth;
  const tokens: string[] = [];
  for (const name of names) tokens.push(await login(name));
  const headers = { 'X-API-Version': 'public' };
  const maker = new HttpLine(url, { ...headers, Authorization: await login('maker') });
  const line = new HttpLine(url, { ...headers, Authorization: await login('trader') });
  door.close();

  const sides = games.flatMap((gameID) =>
    Array.from({ length: scenario.lines * 2 }, (_none, index) => ({
      gameID,
      type: 'total',
      number: 205.5 + (index >> 1),
      side: index % 2 === 0 ? 'over' : 'under',
    })),
  );
  const orders = sides.flatMap((side) =>
    Array.from({ length: DEPTH }, (_none, level) => ({
      ...side,
      odds: 105 + level,
      risk: 50 + level,
      orderType: 'post',
    })),
  );
  for (let start = 0; start < orders.length; start += ORDERS_PER_REQUEST)
    await maker.post('/session/v2/place', { orders: orders.slice(start, start + ORDERS_PER_REQUEST) });
  maker.close();
  await clients.ask({ url, tokens });
  return { line, sides, placed: 0 };
}

/**
 * Places a best offer on one side after the other and cancels it half a turn later, so that the depth stays
 * the same; then sends an echo.
 */
async function places(trader: Trader, echo: HttpLine, count: number, everyMs: number): Promise<Block> {
  const { line, sides } = trader;
  const block: Block = { places: [], echoes: [] };
  const start = performance.now();
  const until = async (turns: number): Promise<unknown> => {
    const left = start + turns * everyMs - performance.now();
    return left > 0 ? delay(left) : undefined;
  };
  for (let n = 0; n < count; n++) {
    const order = { ...sides[trader.placed++ % sides.length], odds: 104, risk: 100, orderType: 'post' };
    const request = line.encode('/session/v2/place', { orders: [order] });
    await until(n);
    const placed = await timed(line, request, block.places);
    const [created] = (JSON.parse(placed) as PlaceReply).data.createdSessions;
    await until(n + 0.5);
    await line.post('/session/cancel', { sessionID: created?.unmatched.orderID });
    await until(n + 0.9);
    await timed(echo, request, block.echoes);
  }
  return block;
}

async function timed(line: HttpLine, request: Buffer, times: number[]): Promise<string> {
  const from = performance.now();
  const reply = await line.send(request);
  times.push(performance.now() - from);
  return reply;
}
