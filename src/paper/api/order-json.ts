// Results of an account's own orders as JSON values, in the owner's view: replies to place, edit and cancel,
// and `positionUpdate` (spec, Position record, with the extra fields of the wire profile). Lists are in
// record-json.ts.
import { dollarsOfMicros, lineFor, plus, winOf } from '../../domain/index.ts';
import type { Micros } from '../../domain/index.ts';
import type { Json } from '../../wire/index.ts';
import type { PositionRecord, MatchedPlay, VenueOrder, Refusal, Cancelled, Placed, Edited } from '../../venue/index.ts';

export const isoOf = (ms: number): string => new Date(Math.floor(ms)).toISOString();

/** ISO texts of recent times of orders and games, which are sent repeatedly. */
const ISO_CACHE = new Map<number, string>();
const MOST_TIMES = 1000;

function cachedIsoOf(ms: number): string {
  const known = ISO_CACHE.get(ms);
  if (known !== undefined) return known;
  if (ISO_CACHE.size >= MOST_TIMES) ISO_CACHE.clear();
  const iso = isoOf(ms);
  ISO_CACHE.set(ms, iso);
  return iso;
}

export const modeJson = ({ account, mode }: VenueOrder): Json => (account.showsModes ? { playerMode: mode } : {});

/** The reference that the order's records show. Undefined when they show none. */
export const referenceShown = ({ account, reference }: VenueOrder): string | undefined =>
  account.showsReferences ? reference : undefined;

/** The market, side and line of the order in its owner's view. Undefined fields are not sent. */
function placeOf(order: VenueOrder): Json {
  const {
    book: { market, game },
    side,
    requestId,
  } = order;
  const { home, away } = game.header;
  return {
    type: market.type,
    side: side === 'home' ? home.id : side === 'away' ? away.id : side,
    number: lineFor(market, side),
    userReference: referenceShown(order),
    wagerRequestID: requestId,
    ...modeJson(order),
  };
}

/** A fill. Replies name the order that was hit, lists the account's own. */
export const playJson = (play: MatchedPlay, orderId: string | undefined): Json => ({
  txID: play.txId,
  gameID: play.order.book.market.gameId,
  odds: play.odds,
  risk: dollarsOfMicros(play.risk),
  win: dollarsOfMicros(play.win),
  amount: dollarsOfMicros(play.risk),
  payout: dollarsOfMicros(plus(play.risk, play.win)),
  ...placeOf(play.order),
  orderID: orderId ?? play.order.id,
  origin: play.role,
  createdAt: isoOf(play.atMs),
});

const offerJson = (order: VenueOrder): Json => ({
  orderID: order.id,
  offered: dollarsOfMicros(order.offered),
  filled: dollarsOfMicros(order.filled),
  remaining: dollarsOfMicros(order.remaining),
  odds: order.odds,
  ...placeOf(order),
});

export const placedJson = (placed: Placed | Refusal): Json =>
  placed.ok
    ? {
        matched: placed.plays.map((play) => playJson(play, play.counterparty)),
        unmatched: placed.rests ? offerJson(placed.order) : {},
      }
    : { error: placed.message, errorType: placed.errorType };

export const cancelledJson = ({ order, released }: Cancelled): Json => {
  const userReference = referenceShown(order);
  return {
    success: true,
    sessionID: order.id,
    orderID: order.id,
    odds: order.odds,
    filled: dollarsOfMicros(order.filled),
    offered: 0,
    remaining: dollarsOfMicros(released),
    gameID: order.book.market.gameId,
    ...(userReference === undefined ? {} : { userReference }),
  };
};

export const notCancelledJson = (orderId: string | undefined, refusal: Refusal, reference?: string): Json => ({
  success: false,
  ...(orderId === undefined ? {} : { sessionID: orderId }),
  ...(reference === undefined ? {} : { userReference: reference }),
  reason: refusal.message,
});

export const editedJson = (edited: Edited): Json => ({
  cancelled: cancelledJson(edited.cancelled),
  ...placedJson(edited.placed),
});

export function positionJson({ order, unmatched, play }: PositionRecord): Json {
  const { game } = order.book;
  const { header } = game;
  const place = placeOf(order);
  return {
    unmatched:
      unmatched === undefined
        ? null
        : {
            orderID: order.id,
            odds: order.odds,
            offered: dollarsOfMicros(unmatched.offered as Micros),
            filled: dollarsOfMicros(unmatched.filled as Micros),
            remaining: dollarsOfMicros(unmatched.remaining as Micros),
            ...place,
            risk: dollarsOfMicros(order.offered),
            win: dollarsOfMicros(winOf(order.offered, order.odds)),
          },
    matched:
      play === undefined
        ? null
        : {
            txID: play.txId,
            filled: dollarsOfMicros(play.risk),
            odds: play.odds,
            ...place,
            // a taker learns which order it hit
            orderID: play.role === 'wager' ? play.counterparty : order.id,
            risk: dollarsOfMicros(play.risk),
            win: dollarsOfMicros(play.win),
          },
    gameID: header.id,
    parentGameID: header.parentGameId ?? null,
    eventName: header.eventName,
    league: header.league,
    sport: header.sport,
    live: header.live,
    start: cachedIsoOf(Math.round(header.start)),
    awayRotationNumber: game.awayRotationNumber,
    origin: unmatched === undefined ? 'wager' : 'offer',
    platform: 'api',
    createdAt: cachedIsoOf(order.createdAtMs),
  };
}
