// The REST views of own orders (wire profile, "Discovery"): open orders, one order, and where a reference went.
import type {
  FillReport,
  GameId,
  OpenOrder,
  OrderId,
  OrderLookup,
  OrderRef,
  ReferenceTrail,
  Result,
} from '../domain/index.ts';
import { bad, microsOfDollars, ok } from '../domain/index.ts';
import type { Json } from './json.ts';
import { dataOf, isRecord, listOf, readAmount, readNumber, readText, recordOf } from './json.ts';
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
    // an order that cannot be read must not be taken for one that is not there
    if (order === undefined) return bad('an open order has no id');
    orders.push(order);
  }
  return ok(orders);
}

function readOpenOrder(json: Json | undefined): OpenOrder | undefined {
  const id = readText(json?.['id']) ?? readText(json?.['orderID']);
  if (json === undefined || id === undefined) return undefined;
  const remaining = readAmount(json['remaining']);
  return {
    orderId: id as OrderId,
    gameId: (readText(json['gameID']) ?? readText(recordOf(json['game'])?.['id'])) as GameId | undefined,
    ref: readText(json['userReference']) as OrderRef | undefined,
    remaining: remaining === undefined ? undefined : microsOfDollars(remaining),
  };
}

/** `GET /user/getBetByUserReference`. */
export function parseReferenceTrail(body: unknown): Result<ReferenceTrail> {
  const data = dataOf(body);
  if (!isRecord(data)) return bad('data is missing');
  // a reply without the lists, or with something else in their place, must not read as "it is nowhere"
  const lists = [data['unmatched'], data['matched'], data['graded']].filter((list) => list !== undefined);
  if (lists.length === 0 || !lists.every(Array.isArray))
    return bad('unmatched, matched and graded are not arrays');
  const open = readOpenOrders(listOf(data['unmatched']) ?? []);
  if (!open.ok) return open;
  const fills: FillReport[] = [];
  for (const row of [...(listOf(data['matched']) ?? []), ...(listOf(data['graded']) ?? [])]) {
    const fill = readFill(recordOf(row));
    if (fill === undefined) return bad('a matched play has no usable txID, size or odds');
    fills.push(fill);
  }
  return ok({ open: open.value, fills });
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
