// The smallest server that takes orders over REST and sends a book over Socket.IO, in its own process:
// fastify, an array per side, JSON.stringify, emit. No accounts, credit or records: the floor for the paper
// exchange.
import fastify from 'fastify';
import { Server } from 'socket.io';
import { serve } from './child.ts';
import type { ServerAnswer, ServerQuestion } from './paper-server.ts';
import { cpuMs } from './paper-server.ts';

type Side = 'over' | 'under';
/** An order in the public book. `odds` and `sumUntaken` are those of its owner. */
type Offer = {
  readonly id: string;
  readonly type: string;
  readonly risk: number;
  sumUntaken: number;
  readonly odds: number;
  takenRatio: number;
  readonly gameID: string;
  readonly participantID: null;
  readonly total: number;
  readonly spread: null;
  readonly OU: Side;
  readonly expiry: null;
  readonly createdAt: string;
  readonly gameStartExpiry: boolean;
};
type Order = {
  readonly gameID: string;
  readonly type: string;
  readonly side: Side;
  readonly number: number;
  readonly odds: number;
  readonly risk: number;
};

const books = new Map<string, Record<Side, Offer[]>>();
const rungOf = (odds: number): number => (odds > 0 ? odds - 100 : odds + 100);
const winOf = (risk: number, odds: number): number => (odds > 0 ? (risk * odds) / 100 : (risk * 100) / -odds);
const riskToWin = (win: number, odds: number): number => (odds > 0 ? (win * 100) / odds : (win * -odds) / 100);
let ids = 0;

const app = fastify({ forceCloseConnections: true });
const io = new Server(app.server);
const prices = io.of('/priceUpdates');

app.post('/session/v2/place', (request, reply) => {
  const { orders } = request.body as { orders: Order[] };
  for (const { gameID, type, side, number, odds, risk } of orders) {
    const valid =
      typeof gameID === 'string' &&
      type === 'total' &&
      (side === 'over' || side === 'under') &&
      Number.isFinite(number) &&
      Math.abs(odds) >= 100 &&
      risk >= 1;
    if (!valid) return reply.code(400).send({ error: { message: 'Bad order', code: 400 } });
  }
  return { data: { createdSessions: orders.map(place) } };
});

function place(order: Order) {
  const key = `${order.gameID}/${order.number}`;
  let book = books.get(key);
  if (book === undefined) books.set(key, (book = { over: [], under: [] }));
  const other: Side = order.side === 'over' ? 'under' : 'over';
  const facing = book[other];
  const rung = rungOf(order.odds);
  const id = `order-${++ids}`;
  const createdAt = new Date().toISOString();
  const matched: unknown[] = [];
  let left = order.risk;
  for (let best = facing[0]; best !== undefined && left > 0.005; best = facing[0]) {
    if (rung + rungOf(best.odds) > 0) break;
    const whole = winOf(best.sumUntaken, best.odds);
    const risk = Math.min(left, whole);
    const win = whole <= left ? best.sumUntaken : riskToWin(left, best.odds);
    left -= risk;
    best.sumUntaken -= win;
    best.takenRatio = 1 - best.sumUntaken / best.risk;
    if (best.sumUntaken < 0.005) facing.shift();
    matched.push({ txID: `tx-${ids}`, orderID: best.id, odds: -best.odds, risk, win, createdAt });
  }
  const rests = left > 0.005;
  if (rests) {
    const own = book[order.side];
    let index = own.length;
    while (index > 0 && rungOf((own[index - 1] as Offer).odds) > rung) index--;
    own.splice(index, 0, {
      id,
      type: order.type,
      risk: left,
      sumUntaken: left,
      odds: order.odds,
      takenRatio: 0,
      gameID: order.gameID,
      participantID: null,
      total: order.number,
      spread: null,
      OU: order.side,
      expiry: null,
      createdAt,
      gameStartExpiry: false,
    });
    emitSide(order, order.side, own);
  }
  if (matched.length > 0) emitSide(order, other, facing);
  return {
    matched,
    unmatched: rests ? { orderID: id, odds: order.odds, offered: left, remaining: left } : {},
  };
}

function emitSide({ gameID, type, number }: Order, OU: Side, sideOrders: readonly Offer[]): void {
  prices.emit('orderUpdate', JSON.stringify({ gameID, type, OU, total: number, sideOrders }));
}

let url = '';
serve(async ({ start }: ServerQuestion): Promise<ServerAnswer> => {
  if (start !== undefined) url = await app.listen({ host: '127.0.0.1', port: 0 });
  return { url, games: ['bare-game'], cpuMs: cpuMs() };
});
