// `POST /session/v2/place` (wire profile, "Orders"): a batch of offers in one request, positional results.
// One request costs one place permit whatever its size. Every order is `post`: it rests or is refused.
import type {
  FillReport,
  GameId,
  Market,
  NewOrder,
  OrderId,
  OrderRef,
  Participant,
  ParticipantId,
  PlaceResult,
  Result,
  Side,
  TxId,
} from '../domain/index.ts';
import { bad, dollarsOfCents, lineFor, microsOfDollars, oddsOf, ok, toOdds } from '../domain/index.ts';
import type { Json } from './json.ts';
import { dataOf, isRecord, listOf, readMode, readNumber, readReference, readText, recordOf } from './json.ts';
import type { WireProfile } from './profile.ts';

/**
 * The home and away participants of a game, since sides travel as participant ids; and whether it is in play.
 */
export type Participants = (
  gameId: GameId,
) => { readonly home: Participant; readonly away: Participant; readonly live?: boolean } | undefined;

/** A lifetime longer than any game. */
const IN_PLAY_MINUTES = 24 * 60;

/**
 * The lifetime of an order, minutes. Without one an order may end at the start of its game, which is past for
 * a game in play.
 */
export const minutesIn = (
  gameId: GameId,
  participants: Participants,
  { endsAtStart }: WireProfile,
  expirationMinutes: number | undefined,
): number | undefined =>
  expirationMinutes ?? (endsAtStart && participants(gameId)?.live === true ? IN_PLAY_MINUTES : undefined);

export const wireSide = (
  market: Market,
  side: Side,
  participants: Participants,
): ParticipantId | 'over' | 'under' | undefined => {
  if (side === 'over' || side === 'under') return side;
  const teams = participants(market.gameId);
  return side === 'home' ? teams?.home.id : teams?.away.id;
};

/**
 * The body of a place request. Undefined when the game of an order is not known: such an order cannot be
 * encoded.
 */
export function encodePlace(
  orders: readonly NewOrder[],
  participants: Participants,
  profile: WireProfile,
  expirationMinutes?: number,
): Json | undefined {
  const rows: Json[] = [];
  for (const order of orders) {
    const side = wireSide(order.market, order.side, participants);
    if (side === undefined) return undefined;
    const number = lineFor(order.market, order.side);
    const minutes = minutesIn(order.market.gameId, participants, profile, expirationMinutes);
    rows.push({
      gameID: order.market.gameId,
      type: order.market.type,
      side,
      odds: oddsOf(order.rung),
      [profile.riskField]: dollarsOfCents(order.risk),
      ...(number === undefined ? {} : { number }),
      orderType: 'post',
      ...(minutes === undefined ? {} : { expirationMinutes: minutes }),
      userReference: order.ref,
    });
  }
  return { orders: rows };
}

/** The results in the order of the request; a reply of another length does not belong to this request. */
export function parsePlaceReply(body: unknown, count: number): Result<readonly PlaceResult[]> {
  const data = dataOf(body);
  const sessions = isRecord(data) ? listOf(data['createdSessions']) : undefined;
  if (sessions === undefined) return bad('data.createdSessions is not an array');
  if (sessions.length !== count) return bad(`${sessions.length} results for ${count} orders`);
  return ok(sessions.map(readPlaceResult));
}

export function readPlaceResult(value: unknown): PlaceResult {
  const json = recordOf(value);
  if (json === undefined) return { status: 'unreadable', problem: 'a result is not an object' };
  if (json['error'] !== undefined && json['error'] !== null) {
    const error = json['error'];
    return {
      status: 'refused',
      errorType: readText(json['errorType']),
      message: readText(error) ?? readText(recordOf(error)?.['message']) ?? '',
    };
  }
  const fills: FillReport[] = [];
  for (const row of listOf(json['matched']) ?? []) {
    const fill = readFill(recordOf(row));
    if (fill === undefined) return { status: 'unreadable', problem: 'a fill has no usable txID, size or odds' };
    fills.push(fill);
  }
  const unmatched = recordOf(json['unmatched']);
  const orderId = readText(unmatched?.['orderID']) as OrderId | undefined;
  if (orderId === undefined && fills.length === 0)
    return { status: 'unreadable', problem: 'neither an offer nor a fill nor an error' };
  return {
    status: 'accepted',
    orderId,
    ref: readReference(unmatched?.['userReference']) as OrderRef | undefined,
    fills,
    ...readMode(recordOf(listOf(json['matched'])?.[0])),
    ...readMode(unmatched),
  };
}

export function readFill(json: Json | undefined): FillReport | undefined {
  const txId = readText(json?.['txID']);
  const amount = readNumber(json?.['filled'] ?? json?.['amount'] ?? json?.['risk']);
  const odds = toOdds(readNumber(json?.['odds']) ?? Number.NaN);
  if (txId === undefined || amount === undefined || amount < 0 || amount > 1e9 || odds === undefined) return undefined;
  return { txId: txId as TxId, risk: microsOfDollars(amount), odds, ...readMode(json) };
}
