// `positionUpdate` (spec, Position record and its classification table). Fills are identified by txID, never
// by the cumulative numbers; the extra fields of the wire profile are used when present and never needed.
import type {
  FillReport,
  GameId,
  MarketType,
  OrderId,
  OrderPlace,
  OrderRef,
  PositionEvent,
  PositionKind,
  Result,
} from '../domain/index.ts';
import { bad, microsOfDollars, ok, toOdds } from '../domain/index.ts';
import { isRecord, readMode, readNumber, readReference, readText, recordOf } from './json.ts';
import { readFill } from './place.ts';

export function parsePositionUpdate(payload: string): Result<PositionEvent> {
  let json: unknown;
  try {
    json = JSON.parse(payload);
  } catch {
    return bad('not JSON');
  }
  return readPosition(json);
}

function readPosition(json: unknown): Result<PositionEvent> {
  if (!isRecord(json)) return bad('not an object');
  const gameId = readText(json['gameID']);
  if (gameId === undefined) return bad('gameID is missing');
  const unmatched = recordOf(json['unmatched']);
  const matched = recordOf(json['matched']);
  if (unmatched === undefined && matched === undefined) return bad('neither unmatched nor matched');
  let fill: FillReport | undefined;
  if (matched !== undefined) {
    fill = readFill(matched);
    if (fill === undefined) return bad('matched has no usable txID, size or odds');
  }
  const source = unmatched ?? matched ?? {};
  const place: OrderPlace = {
    type: readType(source['type']),
    side: readText(source['side']),
    line: readNumber(source['number']),
  };
  const ref = readReference(source['userReference']) as OrderRef | undefined;
  if (unmatched === undefined) {
    if (json['origin'] === 'offer') return bad('an offer without unmatched');
    return ok({
      kind: 'took',
      gameId: gameId as GameId,
      orderId: undefined,
      ref,
      odds: undefined,
      offered: undefined,
      remaining: undefined,
      filled: undefined,
      fill,
      place,
      ...readMode(source),
    });
  }
  const orderId = readText(unmatched['orderID']);
  const offered = readNumber(unmatched['offered']);
  const remaining = readNumber(unmatched['remaining']);
  if (orderId === undefined || offered === undefined || offered < 0 || offered > 1e9)
    return bad('unmatched has no usable orderID or offered');
  const filled = readNumber(unmatched['filled']);
  return ok({
    kind: kindOf(fill !== undefined, offered, remaining, filled),
    gameId: gameId as GameId,
    orderId: orderId as OrderId,
    ref,
    odds: toOdds(readNumber(unmatched['odds']) ?? Number.NaN),
    offered: microsOfDollars(offered),
    remaining: remaining === undefined || remaining < 0 || remaining > 1e9 ? undefined : microsOfDollars(remaining),
    filled: filled === undefined || filled < 0 || filled > 1e9 ? undefined : microsOfDollars(filled),
    fill,
    place,
    ...readMode(source),
  });
}

function kindOf(
  matched: boolean,
  offered: number,
  remaining: number | undefined,
  filled: number | undefined,
): PositionKind {
  if (matched) return remaining !== undefined && remaining <= 0 ? 'fully-taken' : 'partly-taken';
  if (offered === 0) return 'cancelled';
  return (filled ?? 0) === 0 && remaining === offered ? 'posted' : 'changed';
}

const readType = (value: unknown): MarketType | undefined =>
  value === 'moneyline' || value === 'spread' || value === 'total' ? value : undefined;
