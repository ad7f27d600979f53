// Reads orders from request bodies. There are two kinds of errors: a body that is not an order (`bad-body`:
// the whole request is refused with 400 and nothing is carried out), and an order that the venue refuses (it
// has its own result in a batch).
import type { GameId, MarketType, OrderId, PlayerMode, Side } from '../../domain/index.ts';
import { dollarsOfMicros, marketId, marketLine, microsOfDollars, minus, toRung } from '../../domain/index.ts';
import { isRecord, readNumber, readReference, readText } from '../../wire/index.ts';
import type { VenueGame, OrderType, Ticket, VenueOrder, Refusal, Venue } from '../../venue/index.ts';
import { bookFor, ORDER_TYPES, even, wouldMatch, refuse } from '../../venue/index.ts';

export type OrderRequest = {
  readonly gameId: string;
  readonly type: MarketType;
  /** Participant id, `over` or `under`. */
  readonly side: string;
  readonly line: number | undefined;
  readonly odds: number;
  /** Dollars. */
  readonly risk: number;
  readonly orderType: OrderType;
  readonly expirationMinutes: number | undefined;
  readonly gameStartExpiry: boolean;
  readonly reference: string | undefined;
  /** Id of the only offer that it may take. */
  readonly target: string | undefined;
};

export type EditRequest = Pick<OrderRequest, 'orderType' | 'expirationMinutes'> & {
  readonly orderId: string;
  /** New odds. Undefined: unchanged. */
  readonly odds: number | undefined;
  /** New size, dollars. Undefined: unchanged. */
  readonly risk: number | undefined;
  /** Whether the edit has no expiry, so that the profile's default applies. */
  readonly inheritsExpiry: boolean;
  readonly reference: string | undefined;
};

/**
 * Maximum number of markets in one game that orders can open, so that no client fills the venue with markets.
 */
const MAX_BOOKS = 500;
/** Ten years. */
const MAX_MINUTES = 5_256_000;
/** The latest time that a `Date` can hold, Unix ms. */
const LAST_MS = 8.64e15;
const MAX_REFERENCE = 256;
/**
 * Size limit of the spec in dollars (Limits 8): 403 above it. A lower configured maximum answers 400
 * (Errors).
 */
const SPEC_MAX_SIZE = 1000;

export function readPlaceBody(body: unknown, maxOrders: number): readonly OrderRequest[] | Refusal {
  const rows = isRecord(body) ? body['orders'] : undefined;
  if (!Array.isArray(rows) || rows.length === 0) return refuse(400, '"orders" must be a non-empty array');
  if (rows.length > maxOrders) return refuse(400, `"orders" must contain at most ${maxOrders} orders`);
  const orders: OrderRequest[] = [];
  for (const [index, row] of (rows as readonly unknown[]).entries()) {
    const order = readOrder(row);
    if (typeof order === 'string') return refuse(400, `"orders[${index}]": ${order}`);
    orders.push(order);
  }
  return orders;
}

function readOrder(row: unknown): OrderRequest | string {
  if (!isRecord(row)) return 'must be an object';
  const gameId = readText(row['gameID']);
  if (gameId === undefined) return '"gameID" is required';
  const type = row['type'];
  if (type !== 'moneyline' && type !== 'spread' && type !== 'total') return '"type" must be moneyline, spread or total';
  const side = readText(row['side']);
  if (side === undefined) return '"side" is required';
  const line = readNumber(row['number']);
  if (type !== 'moneyline' && line === undefined) return '"number" is required for spreads and totals';
  const price = readPrice(row['odds'], row['risk'] ?? row['bet'], row['orderType'], row['expirationMinutes']);
  if (typeof price === 'string') return price;
  const reference = readOwnReference(row['userReference']);
  if (typeof reference === 'string') return reference;
  const target = readText(row['sessionID']) ?? readText(row['orderID']);
  if (target !== undefined && price.orderType === 'post') return 'a post order takes nothing: no "sessionID"';
  return {
    gameId,
    type,
    side,
    line,
    ...price,
    gameStartExpiry: row['gameStartExpiry'] === true,
    reference: reference.text,
    target,
  };
}

/**
 * Reads the body of an edit.
 * @param keeps whether missing odds and volume stay unchanged (preset `family`); otherwise both are required
 */
export function readEditBody(body: unknown, keeps: boolean): EditRequest | Refusal {
  if (!isRecord(body)) return refuse(400, 'The body must be an object');
  const orderId = readText(body['sessionID']) ?? readText(body['orderID']);
  if (orderId === undefined) return refuse(400, '"sessionID" is required');
  const [odds, risk] = [body['orderOdds'] ?? undefined, body['orderVolume'] ?? undefined];
  // valid placeholders for values that stay unchanged
  const [keptOdds, keptRisk] = keeps ? [100, 1] : [];
  const price = readPrice(odds ?? keptOdds, risk ?? keptRisk, body['orderType'], body['expiryChange']);
  if (typeof price === 'string') return refuse(400, price);
  const reference = readOwnReference(body['userReference']);
  if (typeof reference === 'string') return refuse(400, reference);
  return {
    orderId,
    ...price,
    odds: odds === undefined ? undefined : price.odds,
    risk: risk === undefined ? undefined : price.risk,
    inheritsExpiry: body['expiryChange'] === undefined,
    reference: reference.text,
  };
}

/** Reads a reference; a number becomes text. A reference that cannot be kept exactly is refused. */
function readOwnReference(value: unknown): { readonly text: string | undefined } | string {
  if (value === undefined || value === null || value === '') return { text: undefined };
  if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value))
    return '"userReference" is a number beyond 2^53, which JSON does not keep: send it as text';
  const text = readReference(value);
  return text !== undefined && text.length <= MAX_REFERENCE
    ? { text }
    : `"userReference" must be text of at most ${MAX_REFERENCE} characters, or a number`;
}

type Price = Pick<OrderRequest, 'odds' | 'risk' | 'orderType' | 'expirationMinutes'>;

function readPrice(odds: unknown, risk: unknown, orderType: unknown, minutes: unknown): Price | string {
  const price = readNumber(odds);
  if (price === undefined) return 'odds must be a number';
  // American odds have at most one decimal: rounding would place another price than the requested one
  if (Math.abs(price * 10 - Math.round(price * 10)) > 1e-6) return `Invalid odds: ${price}`;
  const size = readNumber(risk);
  if (size === undefined) return 'risk must be a number';
  if (orderType !== undefined && orderType !== null && typeof orderType !== 'string')
    return `"orderType" must be one of ${ORDER_TYPES.join(', ')}`;
  // any other value than `post` takes crossing liquidity (spec, Order endpoints)
  const kind = ORDER_TYPES.find((type) => type === orderType) ?? 'limit';
  const lifetime = minutes === undefined || minutes === null ? undefined : readNumber(minutes);
  const given = minutes !== undefined && minutes !== null;
  if (given && (lifetime === undefined || lifetime < 0 || lifetime > MAX_MINUTES))
    return `minutes to expiry must be a number from 0 to ${MAX_MINUTES}`;
  return {
    odds: price,
    risk: size,
    orderType: kind,
    expirationMinutes: lifetime === 0 ? undefined : lifetime,
  };
}

/** The venue's ticket for a request, or the refusal when the request is invalid. */
export function ticketOf(venue: Venue, request: OrderRequest, nowMs: number, requestId?: string): Ticket | Refusal {
  const game = venue.games.get(request.gameId as GameId);
  if (game === undefined) return refuse(400, `Invalid gameID: ${request.gameId}`);
  const side = resolveSide(game, request.type, request.side);
  if (side === undefined) return refuse(400, `Invalid side: ${request.side}`);
  const line = marketLine(request.type, side, request.line);
  if (line !== undefined && !isLine(request.type, line)) return refuse(400, `Invalid number: ${line}`);
  const priced = priceOf(venue, request);
  if ('ok' in priced) return priced;
  if (isOneTooMany(game, request.type, line)) return tooMany(line);
  const ticket: Ticket = {
    book: bookFor(game, request.type, line),
    side,
    ...priced,
    orderType: request.orderType,
    expiryMs: expiryMsOf(venue, request.expirationMinutes, nowMs),
    gameStartExpiry: request.gameStartExpiry,
    reference: request.reference,
    requestId,
    target: request.target?.slice(0, 100) as OrderId | undefined,
  };
  return endingAtStart(venue, ticket);
}

/**
 * The new order of an edit. It keeps the old order's market and side, and also the odds, remaining size and
 * reference that the edit leaves out. Without minutes it expires by itself (wire profile,
 * `editExpiryMinutes`), in preset `family` only in play.
 */
export function editTicketOf(
  venue: Venue,
  old: VenueOrder,
  request: EditRequest,
  nowMs: number,
  requestId?: string,
): Ticket | Refusal {
  const priced = priceOf(venue, {
    odds: request.odds ?? old.odds,
    risk: request.risk ?? dollarsOfMicros(old.remaining),
  });
  if ('ok' in priced) return priced;
  const { editExpiryMinutes, editHonoursPost, editKeepsReference, endsAtStart, preset } = venue.profile;
  const expires = editExpiryMinutes > 0 && (preset !== 'family' || old.book.game.header.live);
  const otherwise = expires ? editExpiryMinutes : undefined;
  const ticket: Ticket = {
    book: old.book,
    side: old.side,
    ...priced,
    orderType: request.orderType === 'post' && !editHonoursPost ? 'limit' : request.orderType,
    expiryMs: expiryMsOf(venue, request.inheritsExpiry ? otherwise : request.expirationMinutes, nowMs),
    gameStartExpiry: old.gameStartExpiry && !endsAtStart,
    reference: editKeepsReference ? (request.reference ?? old.reference) : undefined,
    requestId,
  };
  return endingAtStart(venue, ticket);
}

const expiryMsOf = (venue: Venue, minutes: number | undefined, nowMs: number): number | undefined =>
  minutes === undefined ? undefined : Math.min(LAST_MS, nowMs + (minutes * 60_000) / venue.speed);

/**
 * Applies the wire profile's `endsAtStart` to an order without minutes: it expires at the start of its game.
 * In play a limit order matches what it can, and nothing of it rests.
 */
function endingAtStart(venue: Venue, ticket: Ticket): Ticket {
  if (ticket.expiryMs !== undefined || !venue.profile.endsAtStart) return ticket;
  const { book, orderType, target } = ticket;
  const mayRest = target === undefined && (orderType === 'post' || orderType === 'limit');
  if (!book.game.header.live || !mayRest) return { ...ticket, gameStartExpiry: mayRest };
  return orderType === 'limit' && wouldMatch(ticket)
    ? { ...ticket, orderType: 'fillAndKill' }
    : { ...ticket, gameStartExpiry: true };
}

/** A ticket for the unfilled part of a cancelled order, as a post order. */
export function restTicketOf(venue: Venue, order: VenueOrder, nowMs: number, requestId: string): Ticket | Refusal {
  const { market, game } = order.book;
  if (order.expiryMs !== undefined && order.expiryMs <= nowMs) return refuse(409, 'Session is expired');
  const priced = priceOf(venue, {
    odds: order.odds,
    risk: dollarsOfMicros(minus(order.offered, order.filled)),
  });
  if ('ok' in priced) return priced;
  if (isOneTooMany(game, market.type, market.line)) return tooMany(market.line);
  return {
    book: bookFor(game, market.type, market.line),
    side: order.side,
    ...priced,
    orderType: 'post',
    expiryMs: order.expiryMs,
    gameStartExpiry: order.gameStartExpiry,
    reference: order.reference,
    requestId,
  };
}

function priceOf(
  venue: Venue,
  request: { readonly odds: number; readonly risk: number },
): Pick<Ticket, 'rung' | 'risk'> | Refusal {
  const rung = toRung(request.odds);
  if (rung === undefined) return refuse(400, `Invalid odds: ${request.odds}`);
  const { minOrderSize, maxOrderSize } = venue.profile;
  const limit = Math.max(SPEC_MAX_SIZE, maxOrderSize);
  if (request.risk > limit) return refuse(403, `Order size exceeds maximum limit of ${limit.toFixed(2)}`);
  if (request.risk > maxOrderSize)
    return refuse(400, `Order size is above the configured maximum of ${maxOrderSize.toFixed(2)}`);
  if (!(request.risk >= minOrderSize))
    return refuse(400, `Order size is below the minimum of ${minOrderSize.toFixed(2)}`);
  return { rung, risk: even(microsOfDollars(request.risk)) };
}

function resolveSide(game: VenueGame, type: MarketType, side: string): Side | undefined {
  if (type === 'total') return side === 'over' || side === 'under' ? side : undefined;
  return side === game.header.home.id ? 'home' : side === game.header.away.id ? 'away' : undefined;
}

const isLine = (type: MarketType, line: number): boolean =>
  Number.isInteger(line * 4) && Math.abs(line) <= 2000 && (type === 'spread' || line > 0);

/** Whether a new market would exceed the maximum. The moneyline and the main lines are always allowed. */
function isOneTooMany(game: VenueGame, type: MarketType, line: number | undefined): boolean {
  const { id, mainHomeSpread, mainTotal } = game.header;
  if (line === undefined || line === (type === 'spread' ? mainHomeSpread : mainTotal)) return false;
  return game.books.size >= MAX_BOOKS && !game.books.has(marketId(id, type, line));
}

const tooMany = (line: number | undefined): Refusal =>
  refuse(409, `${MAX_BOOKS} markets of this game are open already: ${line} cannot be added now`);

export const isMode = (value: unknown): value is PlayerMode => value === 'cash' || value === 'coins';
