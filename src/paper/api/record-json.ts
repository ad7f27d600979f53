// An account's own orders and plays as the REST lists and lookups show them, in the owner's view (wire
// profile, "Discovery" and "The family").
import type { Micros } from '../../domain/index.ts';
import { dollarsOfMicros, lineFor, oppositeSide, plus, winOf } from '../../domain/index.ts';
import type { Json } from '../../wire/index.ts';
import type { VenueGame, MatchedPlay, VenueOrder } from '../../venue/index.ts';
import { bestOf, isGraded, sideOf, expiryOf } from '../../venue/index.ts';
import { participantOf, participantsOf, takenRatio } from './book-json.ts';
import { isoOf, modeJson, playJson, referenceShown } from './order-json.ts';

/** The order's side (participant or OU) and line. */
function lineJson({ book: { market, game }, side }: VenueOrder) {
  const line = lineFor(market, side) ?? null;
  return {
    spread: market.type === 'spread' ? line : null,
    total: market.type === 'total' ? line : null,
    ...(market.type === 'total' ? { OU: side } : {}),
    participantID: participantOf(game, side),
  };
}

/**
 * The ticket number, made from the id, and constants: every order comes through the API, and no stake is
 * refunded.
 */
const ticketJson = (id: string): Json => ({
  ticketNumber: ticketNumberOf(id),
  platform: 'api',
  adminRefund: false,
});

/** A hash of the id in the style of FNV-1a, 52 bits: practically unique among the bets of one account. */
export function ticketNumberOf(id: string): number {
  let [high, low] = [0x811c9dc5, 0x01000193];
  for (let i = 0; i < id.length; i++) {
    const code = id.charCodeAt(i);
    high = Math.imul(high ^ code, 0x01000193) >>> 0;
    low = Math.imul(low ^ (code + i), 0x85ebca6b) >>> 0;
  }
  return (high & 0xfffff) * 2 ** 32 + low;
}

const gameJson = (game: VenueGame): Json => ({
  id: game.header.id,
  league: game.header.league,
  sport: game.header.sport,
  eventName: game.header.eventName,
  start: isoOf(Math.round(game.header.start)),
  ended: game.header.ended,
  participants: participantsOf(game),
});

/** A matched bet whose game is not graded yet. */
export const ownPlayJson = (play: MatchedPlay): Json => ({
  id: play.txId,
  ...playJson(play, undefined),
  ...lineJson(play.order),
  ...ticketJson(play.txId),
  matchedTime: isoOf(play.atMs),
  graded: false,
  closed: false,
  game: gameJson(play.order.book.game),
});

/** A play that the final score has settled. `profit` is below 0 when it was lost. */
export const gradedPlayJson = (play: MatchedPlay): Json => ({
  ...ownPlayJson(play),
  ...(play.profit === undefined
    ? {}
    : {
        graded: true,
        closed: true,
        result: play.profit > 0 ? 'won' : play.profit < 0 ? 'lost' : 'push',
        profit: dollarsOfMicros(play.profit),
      }),
});

export const isOpenPlay = ({ profit }: MatchedPlay): boolean => profit === undefined;

/** Plays that are open, and plays that are settled. */
export const playsJson = (plays: readonly MatchedPlay[]) => ({
  matched: plays.filter(isOpenPlay).map(ownPlayJson),
  graded: plays.filter((play) => !isOpenPlay(play)).map(gradedPlayJson),
});

/** An order, open or ended, as lists show it. */
export function orderJson(order: VenueOrder): Json {
  const { market, game } = order.book;
  const { risk, win, filled } = amountsOf(order);
  const expiryMs = expiryOf(order);
  return {
    id: order.id,
    orderID: order.id,
    txID: null,
    ...ticketJson(order.id),
    userReference: referenceShown(order) ?? null,
    wagerRequestID: order.requestId ?? null,
    gameID: market.gameId,
    type: market.type,
    risk: dollarsOfMicros(risk),
    win: dollarsOfMicros(win),
    payout: dollarsOfMicros(plus(risk, win)),
    odds: order.odds,
    ...lineJson(order),
    otherParticipantID: participantOf(game, oppositeSide(order.side)),
    offered: order.status === 'cancelled' ? 0 : dollarsOfMicros(order.offered),
    filled: dollarsOfMicros(filled),
    remaining: dollarsOfMicros(order.remaining),
    takenRatio: takenRatio(risk, risk - filled),
    status: order.status,
    closed: order.status !== 'open',
    graded: isGraded(order.book),
    origin: order.offered > 0 ? 'offer' : 'wager',
    ...modeJson(order),
    expiry: expiryMs === undefined ? null : isoOf(expiryMs),
    gameStartExpiry: order.gameStartExpiry,
    createdAt: isoOf(order.createdAtMs),
    game: gameJson(game),
  };
}

/** An order as the lookup of a single order shows it. */
export function lookedUpJson(order: VenueOrder): Json {
  const { book, side, status } = order;
  return {
    ...orderJson(order),
    cancelled: status === 'cancelled',
    isTheBestOffer: status === 'open' && bestOf(sideOf(book, side)) === order,
    participant: participantsOf(book.game).find(({ homeAway }) => homeAway === side) ?? null,
    matchedRisk: dollarsOfMicros(amountsOf(order).filled),
    unmatchedRisk: dollarsOfMicros(order.remaining),
  };
}

/** The order's amounts: what it offered, or for an order that never rested, what it took. */
function amountsOf({ offered, filled, odds, plays }: VenueOrder): Record<'risk' | 'win' | 'filled', Micros> {
  if (offered > 0) return { risk: offered, win: winOf(offered, odds), filled };
  const risk = sumOf(plays, (play) => play.risk);
  return { risk, win: sumOf(plays, (play) => play.win), filled: risk };
}

export const sumOf = <T>(list: readonly T[], amountOf: (item: T) => number): Micros =>
  list.reduce((sum, item) => sum + amountOf(item), 0) as Micros;
