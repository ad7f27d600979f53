// `POST /session/editOrder`: at the exchange an edit is a cancel, then a new order with a new id. Odds and
// volume are both required; the volume is the full new risk. The expiry is not inherited, so it is always
// sent.
import type { EditResult, NewOrder, OrderId, PlaceResult, Result } from '../domain/index.ts';
import { bad, dollarsOfCents, microsOfDollars, oddsOf, ok } from '../domain/index.ts';
import type { Json } from './json.ts';
import { dataOf, isRecord, listOf, readAmount, readText, recordOf } from './json.ts';
import { readPlaceResult } from './place.ts';

export const encodeEdit = (orderId: OrderId, order: NewOrder, expirationMinutes?: number): Json => ({
  sessionID: orderId,
  orderOdds: oddsOf(order.rung),
  orderVolume: dollarsOfCents(order.risk),
  orderType: 'post',
  userReference: order.ref,
  expiryChange: expirationMinutes ?? 0,
});

export function parseEditReply(body: unknown): Result<EditResult> {
  const data = dataOf(body);
  if (!isRecord(data)) return bad('data is missing');
  const old = recordOf(data['cancelled']);
  const success = old?.['success'];
  const filled = readAmount(old?.['filled']);
  return ok({
    cancelled: typeof success === 'boolean' ? success : undefined,
    filled: filled === undefined ? undefined : microsOfDollars(filled),
    placed: success === false && isNothingPlaced(data) ? notDone(old) : readPlaceResult(data),
  });
}

/** True when the reply has neither a new order, nor a match, nor an error of its own. */
const isNothingPlaced = ({ matched, unmatched, error }: Json): boolean =>
  (error ?? null) === null &&
  (listOf(matched) ?? []).length === 0 &&
  Object.keys(recordOf(unmatched) ?? {}).length === 0;

/** The result of an edit that was not done: the old order stands, and there is no new one. */
const notDone = (old: Json | undefined): PlaceResult => ({
  status: 'refused',
  errorType: undefined,
  message: readText(old?.['reason']) ?? readText(old?.['message']) ?? 'the order was not edited',
});
