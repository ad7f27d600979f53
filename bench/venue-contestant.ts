// One of the two books of the venue benchmark, in its own process: it plays the flow once for each question
// and returns the CPU time of its thread. Its fills are compared with those that the flow must make.
import type { IProcessOrder, LimitOrderOptions } from 'nodejs-order-book';
import { OrderBook, Side } from 'nodejs-order-book';
import type {
  VenueAccount,
  Cancelled,
  Placed,
  PositionRecord,
  Refusal,
  Ticket,
  VenueOrder,
} from '../src/venue/index.ts';
import { Venue } from '../src/venue/index.ts';
import { HEADER, T0 } from '../test/paper/fixtures.ts';
import { serve } from './child.ts';
import type { Fill, Flow } from './venue-flow.ts';
import { ACCOUNTS, createFlow } from './venue-flow.ts';

export type Contestant = 'venue' | 'orderBook';
/**
 * `verify`: keep every answer and compare its fills with the flow's. Otherwise answers are dropped, as a
 * client would.
 */
export type Contest = { readonly operations: number; readonly verify: boolean };
export type Played = { readonly ms: number; readonly fills: number } | { readonly error: string };

const OPERATIONS_PER_MS = 5;

// ——— the venue

type Call = { readonly account: VenueAccount; readonly ticket: Ticket };

function playVenue(flow: Flow, verifies: boolean): number {
  const venue = new Venue();
  const counts = { sides: 0, rested: 0, matched: 0, ended: 0, ids: 0 };
  venue.sink = {
    sideChanged: () => {
      counts.sides++;
    },
    gameChanged: () => {},
    position: (_account: VenueAccount, { order, unmatched, play }: PositionRecord) => {
      // a real listener reads these fields
      counts.ids += order.id.length + (play?.txId.length ?? 0);
      if (play !== undefined) counts.matched++;
      else if (unmatched?.remaining === 0) counts.ended++;
      else counts.rested++;
    },
  };
  const book = venue.book(venue.openGame(HEADER, T0), 'moneyline', undefined);
  const accounts = Array.from({ length: ACCOUNTS }, (_none, index) =>
    venue.addAccount({ username: `account-${index}`, password: 'x', coins: 100_000 }),
  );
  const calls = flow.ops.map((op): Call | number => {
    if (op.type === 'cancel') return op.placed;
    const account = accounts[op.account] as VenueAccount;
    return { account, ticket: { book, side: op.side, rung: op.rung, risk: op.risk, orderType: 'limit' } };
  });

  const answers: (Placed | Cancelled)[] = [];
  const placed: (VenueOrder | undefined)[] = [];
  const from = threadMs();
  for (let index = 0; index < calls.length; index++) {
    const call = calls[index] as (typeof calls)[number];
    const nowMs = T0 + index / OPERATIONS_PER_MS;
    const old = typeof call === 'number' ? placed[call] : undefined;
    const answer =
      old !== undefined
        ? accepted(venue.cancel(old.account, old.id, nowMs))
        : accepted(venue.place((call as Call).account, (call as Call).ticket, nowMs));
    placed.push(answer.order);
    if (verifies) answers.push(answer);
  }
  const ms = threadMs() - from;
  if (counts.matched !== 2 * flow.fills.length || counts.sides < flow.ops.length || counts.ended + counts.rested === 0)
    throw new Error(`the venue did not report everything: ${JSON.stringify(counts)}`);
  if (!verifies) return ms;

  const opOf = new Map<string, number>();
  for (const [op, { order }] of answers.entries()) if (!opOf.has(order.id)) opOf.set(order.id, op);
  const fills: Fill[] = [];
  for (const [taker, answer] of answers.entries()) {
    for (const { counterparty, risk, win } of 'plays' in answer ? answer.plays : [])
      fills.push({ maker: opOf.get(counterparty ?? '') ?? -1, taker, size: risk + win });
  }
  verify('the venue', flow, fills, book.sides[0].orders.length + book.sides[1].orders.length);
  return ms;
}

function accepted<T extends { readonly ok: true }>(answer: T | Refusal): T {
  if (!answer.ok) throw new Error(`the venue refuses: ${answer.message}`);
  return answer;
}

// ——— nodejs-order-book

function playOrderBook(flow: Flow, verifies: boolean): number {
  const book = new OrderBook();
  const calls = flow.ops.map((op, index): LimitOrderOptions | string =>
    op.type === 'cancel'
      ? idOf(op.placed)
      : { id: idOf(index), side: op.side === 'home' ? Side.SELL : Side.BUY, size: op.size, price: op.price },
  );

  const answers: (IProcessOrder | undefined)[] = [];
  const from = threadMs();
  for (const call of calls) {
    const answer = typeof call === 'string' ? undefined : book.limit(call);
    if (typeof call === 'string' && book.cancel(call) === undefined)
      throw new Error('nodejs-order-book knows no such order');
    if (verifies) answers.push(answer);
  }
  const ms = threadMs() - from;
  if (!verifies) return ms;

  const fills: Fill[] = [];
  for (const [taker, answer] of answers.entries()) {
    if (answer === undefined) continue;
    if (answer.err !== null) throw new Error(answer.err.message);
    const { done, partial, partialQuantityProcessed } = answer;
    // the answer also lists the taker itself, as done or partly done
    for (const { id, size } of done) if (opOfId(id) !== taker) fills.push({ maker: opOfId(id), taker, size });
    if (partial !== null && opOfId(partial.id) !== taker)
      fills.push({ maker: opOfId(partial.id), taker, size: partialQuantityProcessed });
  }
  const resting = flow.ops.filter((_op, index) => book.order(idOf(index)) !== undefined).length;
  verify('nodejs-order-book', flow, fills, resting);
  return ms;
}

const idOf = (op: number): string => `order-${op}`;
const opOfId = (id: string): number => Number(id.slice('order-'.length));

// ——— both

/**
 * CPU time of this thread, ms. Both books are one thread that never waits, so it equals the time on an idle
 * machine.
 */
function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

function verify(contestant: string, flow: Flow, fills: readonly Fill[], resting: number): void {
  const differs = (fill: Fill, index: number): boolean => {
    const other = flow.fills[index];
    return other?.maker !== fill.maker || other.taker !== fill.taker || other.size !== fill.size;
  };
  const index = fills.findIndex(differs);
  if (index >= 0 || fills.length !== flow.fills.length)
    throw new Error(
      `${contestant} made ${fills.length} fills instead of ${flow.fills.length}; the first that differs is ${JSON.stringify(fills[index])}, expected ${JSON.stringify(flow.fills[index])}`,
    );
  if (resting !== flow.resting)
    throw new Error(`${contestant} keeps ${resting} orders at the end instead of ${flow.resting}`);
}

let flow: Flow | undefined;
const play = process.argv[2] === 'venue' ? playVenue : playOrderBook;
serve(({ operations, verify: verifies }: Contest): Played => {
  if (flow?.ops.length !== operations) flow = createFlow(operations);
  try {
    return { ms: play(flow, verifies), fills: flow.fills.length };
  } catch (error) {
    return { error: String(error) };
  }
});
