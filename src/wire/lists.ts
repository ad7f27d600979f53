// The REST views of own orders (wire profile, "Discovery"): open orders, one order, and the fate of a
// reference.
import type {
  FillReport,
  GameId,
  GradedPlay,
  Micros,
  OpenOrder,
  OpenPlay,
  OrderId,
  OrderLookup,
  OrderPlace,
  OrderRef,
  PlayLookup,
  ReferenceTrail,
  Result,
  TxId,
} from '../domain/index.ts';
import { bad, microsOfDollars, ok, toOdds } from '../domain/index.ts';
import type { Json } from './json.ts';
import {
  dataOf,
  isRecord,
  listOf,
  readAmount,
  readLine,
  readMode,
  readNumber,
  readReference,
  readText,
  readTime,
  recordOf,
} from './json.ts';
import { readFill } from './place.ts';

export function parseOpenOrders(body: unknown): Result<readonly OpenOrder[]> {
  const data = dataOf(body);
  const rows = isRecord(data) ? listOf(data['unmatched']) : undefined;
  return rows === undefined ? bad('data.unmatched is not an array') : readOpenOrders(rows);
}

function readOpenOrders(rows: readonly unknown[]): Result<readonly OpenOrder[]> {
  const orders: OpenOrder[] = [];
  for (const row of rows) {
    const order = readOpenOrder(recordOf(row));
    // an unreadable order must not count as absent
    if (order === undefined) return bad('an open order has no id');
    orders.push(order);
  }
  return ok(orders);
}

function readOpenOrder(json: Json | undefined): OpenOrder | undefined {
  const id = readText(json?.['id']) ?? readText(json?.['orderID']);
  if (json === undefined || id === undefined) return undefined;
  return {
    orderId: id as OrderId,
    gameId: gameIdOf(json),
    ref: readReference(json['userReference']) as OrderRef | undefined,
    remaining: readMicros(json['remaining']),
    risk: readMicros(json['risk'] ?? json['bet']),
    filled: readMicros(json['filled']),
    odds: toOdds(readNumber(json['odds']) ?? Number.NaN),
    place: readPlace(json),
    createdAt: readTime(json['createdAt']),
    ...readMode(json),
  };
}

const gameIdOf = (json: Json): GameId | undefined =>
  (readText(json['gameID']) ?? readText(recordOf(json['game'])?.['id'])) as GameId | undefined;

function readMicros(value: unknown): Micros | undefined {
  const amount = readAmount(value);
  return amount === undefined ? undefined : microsOfDollars(amount);
}

/**
 * The place of an order. Lists name the side by participant or OU and the line by its type; replies use
 * `side` and `number`.
 */
function readPlace(json: Json): OrderPlace {
  const type = json['type'];
  return {
    type: type === 'moneyline' || type === 'spread' || type === 'total' ? type : undefined,
    side: readText(json['side']) ?? readText(json['participantID']) ?? readText(json['OU']),
    line: readLine(json['number']) ?? readLine(json['spread']) ?? readLine(json['total']),
  };
}

/** The matched plays of an account whose games are not graded yet. */
export function parsePlays(body: unknown): Result<readonly OpenPlay[]> {
  const data = dataOf(body);
  const rows = isRecord(data) ? listOf(data['matchedBets']) : undefined;
  if (rows === undefined) return bad('data.matchedBets is not an array');
  const plays: OpenPlay[] = [];
  for (const row of rows) {
    const json = recordOf(row);
    const fill = readFill(json);
    const gameId = json === undefined ? undefined : gameIdOf(json);
    // an unreadable play would be risk that is not counted
    if (json === undefined || fill === undefined || gameId === undefined)
      return bad('a matched play has no usable txID, size, odds or gameID');
    plays.push({
      ...fill,
      gameId,
      orderId: readText(json['orderID']) as OrderId | undefined,
      ref: readReference(json['userReference']) as OrderRef | undefined,
      place: readPlace(json),
      graded: json['graded'] === true,
      profit: readProfit(json),
    });
  }
  return ok(plays);
}

/** `GET /user/getBetByID`. */
export function parsePlayLookup(body: unknown, txId: TxId): Result<PlayLookup> {
  const data = dataOf(body);
  const bet = [body, data]
    .map((container) => recordOf(isRecord(container) ? container['bet'] : undefined))
    .find(isRecord);
  if (bet === undefined || readText(bet['txID']) !== txId) return bad('the requested play is missing');
  const profit = readProfit(bet);
  // a graded play has the flag; without the flag, a profit shows it
  const graded = bet['graded'] ?? (profit !== undefined && profit !== 0);
  return ok({ graded: graded === true, profit });
}

function readProfit(json: Json | undefined): Micros | undefined {
  const profit = readNumber(json?.['profit']);
  return profit === undefined || Math.abs(profit) > 1e9 ? undefined : microsOfDollars(profit);
}

/**
 * `GET /user/getBetByUserReference`. Rows with another reference are left out: an order that kept its id in
 * an edit may come with earlier matches.
 */
export function parseReferenceTrail(body: unknown, ref: OrderRef): Result<ReferenceTrail> {
  const data = dataOf(body);
  if (!isRecord(data)) return bad('data is missing');
  // a reply without the lists, or with other values in their place, must not read as "it is nowhere"
  const lists = [data['unmatched'], data['matched'], data['graded']].filter((list) => list !== undefined);
  if (lists.length === 0 || !lists.every(Array.isArray)) return bad('unmatched, matched and graded are not arrays');
  const open = readOpenOrders(listOf(data['unmatched']) ?? []);
  if (!open.ok) return open;
  const fills: FillReport[] = [];
  const graded: GradedPlay[] = [];
  for (const list of ['matched', 'graded']) {
    for (const row of listOf(data[list]) ?? []) {
      const json = recordOf(row);
      const fill = readFill(json);
      if (fill === undefined) return bad('a matched play has no usable txID, size or odds');
      if ((readReference(json?.['userReference']) ?? ref) === ref) fills.push(fill);
      if (list === 'graded') graded.push({ txId: fill.txId, profit: readProfit(json) });
    }
  }
  return ok({ open: open.value.filter((order) => (order.ref ?? ref) === ref), fills, graded });
}

/** `GET /session/lookupOrder`: 404 means that the order is closed. */
export function parseOrderLookup(body: unknown): Result<OrderLookup> {
  const data = dataOf(body);
  const order = isRecord(data) ? recordOf(data['order']) : undefined;
  const remaining = readAmount(order?.['remaining']);
  const offered = readNumber(order?.['offered']);
  const filled = readAmount(order?.['filled']);
  if (remaining === undefined) return bad('data.order.remaining is missing');
  return ok({
    remaining: microsOfDollars(offered === 0 ? 0 : remaining),
    filled: filled === undefined ? undefined : microsOfDollars(filled),
  });
}
