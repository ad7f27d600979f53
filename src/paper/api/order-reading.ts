// Results of an account's own orders as a client parses them: what order-json.ts writes and `src/wire` reads,
// without the JSON in between. test/paper/api/order-reading.test.ts checks that both give the same.
import type {
  CancelResult,
  EditResult,
  FillReport,
  OrderPlace,
  OrderRef,
  PlaceResult,
  PlayerMode,
  PositionEvent,
  PositionKind,
} from '../../domain/index.ts';
import { lineFor } from '../../domain/index.ts';
import type { PositionRecord, MatchedPlay, VenueOrder, Cancelled, Placed, Refusal, Edited } from '../../venue/index.ts';

const NO_MODE: { readonly mode?: PlayerMode } = {};
const modeOf = ({ account, mode }: VenueOrder): { readonly mode?: PlayerMode } =>
  account.showsModes ? { mode } : NO_MODE;

const refOf = ({ account, reference }: VenueOrder): OrderRef | undefined =>
  account.showsReferences && reference !== '' ? (reference as OrderRef | undefined) : undefined;

const fillOf = ({ txId, risk, odds, order }: MatchedPlay): FillReport => ({
  txId,
  risk,
  odds,
  ...modeOf(order),
});

function placeOf({ book: { market, game }, side }: VenueOrder): OrderPlace {
  const { home, away } = game.header;
  return {
    type: market.type,
    side: side === 'home' ? home.id : side === 'away' ? away.id : side,
    line: lineFor(market, side),
  };
}

export function placedAsRead(placed: Placed | Refusal): PlaceResult {
  if (!placed.ok) return { status: 'refused', errorType: placed.errorType, message: placed.message };
  const { order, plays, rests } = placed;
  if (!rests && plays.length === 0)
    return { status: 'unreadable', problem: 'neither an offer nor a fill nor an error' };
  const [first] = plays;
  return {
    status: 'accepted',
    orderId: rests ? order.id : undefined,
    ref: rests ? refOf(order) : undefined,
    fills: plays.map(fillOf),
    ...(first === undefined ? NO_MODE : modeOf(first.order)),
    ...(rests ? modeOf(order) : NO_MODE),
  };
}

export const editedAsRead = ({ cancelled, placed }: Edited): EditResult => ({
  cancelled: true,
  filled: cancelled.order.filled,
  placed: placedAsRead(placed),
});

export const cancelledAsRead = ({ order }: Cancelled): CancelResult => ({
  orderId: order.id,
  success: true,
  filled: order.filled,
  reason: undefined,
});

export const notCancelledAsRead = (orderId: string, { message }: Refusal): CancelResult => ({
  orderId: orderId as CancelResult['orderId'],
  success: false,
  filled: undefined,
  reason: message,
});

export function positionAsRead(record: PositionRecord): PositionEvent {
  const { order, play, rests, offered, remaining, filled } = record;
  const fill = play === undefined ? undefined : fillOf(play);
  const common = {
    gameId: order.book.game.header.id,
    ref: refOf(order),
    fill,
    place: placeOf(order),
    ...modeOf(order),
  };
  if (!rests)
    return {
      ...common,
      kind: 'took',
      orderId: undefined,
      odds: undefined,
      offered: undefined,
      remaining: undefined,
      filled: undefined,
    };
  return {
    ...common,
    kind: kindOf(record),
    orderId: order.id,
    odds: order.odds,
    offered: offered as PositionEvent['offered'],
    remaining: remaining as PositionEvent['remaining'],
    filled: filled as PositionEvent['filled'],
  };
}

/** The kind of a position event, by the classification table of the spec (Position record). */
function kindOf({ play, offered, remaining, filled }: PositionRecord): PositionKind {
  if (play !== undefined) return remaining <= 0 ? 'fully-taken' : 'partly-taken';
  if (offered === 0) return 'cancelled';
  return filled === 0 && remaining === offered ? 'posted' : 'changed';
}
