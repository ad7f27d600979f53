// The messages of the exchange, field by field, from the tables of the spec and of the wire profile. Every
// field of a table must be present and valid. Fields outside the tables are allowed.
import { expect } from 'vitest';
import { z } from 'zod';

export const text = z.string().min(1);
/** A time in ISO 8601, UTC. */
export const iso = z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
export const odds = z.number().refine((value) => Math.abs(value) >= 100 && Math.abs(value) <= 100_000);
const amount = z.number().min(0);
const line = z.number().nullable();
export const marketType = z.enum(['moneyline', 'spread', 'total']);
export const mode = z.enum(['cash', 'coins']);

export const sideOrder = z.looseObject({
  id: text,
  type: marketType,
  risk: amount,
  sumUntaken: amount,
  odds,
  takenRatio: z.number().min(0).max(1).nullable(),
  gameID: text,
  participantID: text.nullable(),
  total: line,
  spread: line,
  OU: z.enum(['over', 'under']).nullable(),
  expiry: iso.nullable(),
  createdAt: iso,
  gameStartExpiry: z.boolean().nullable(),
  createdBy: text.optional(),
});
export type SideOrder = z.infer<typeof sideOrder>;

const side = z.array(sideOrder);
/** Ladders keyed by the line as text, without a trailing `.0`. */
const lines = z.record(z.string().regex(/^-?\d+(\.\d*[1-9])?$/), side);

export const participant = z.looseObject({
  id: text,
  longName: text,
  shortName: text,
  homeAway: z.enum(['home', 'away']),
  rotationNumber: z.string().regex(/^\d+$/),
});

export const gameHeader = z.looseObject({
  id: text,
  parentGameID: text.nullable(),
  league: text,
  sport: text,
  start: iso,
  ended: z.boolean(),
  live: z.boolean(),
  eventName: text,
  periodName: text.optional(),
  isFutures: z.boolean().optional(),
  participants: z.tuple([participant, participant]),
});
export type GameHeader = z.infer<typeof gameHeader>;

export const game = gameHeader.extend({
  awayMoneylines: side,
  homeMoneylines: side,
  awaySpreads: lines,
  homeSpreads: lines,
  over: lines,
  under: lines,
  mainHomeSpread: line,
  mainAwaySpread: line,
  mainTotal: line,
});
export type Game = z.infer<typeof game>;

export const leagueReply = z.looseObject({
  data: z.looseObject({
    market: text.nullable(),
    games: z.array(game),
    orderSummary: z.array(z.looseObject({})),
    pagination: z.strictObject({
      totalDocs: z.int(),
      limit: z.int(),
      page: z.int(),
      totalPages: z.int(),
      hasPrevPage: z.boolean(),
      hasNextPage: z.boolean(),
    }),
  }),
});

export const gameReply = z.looseObject({
  data: z.looseObject({
    market: text.nullable(),
    game: game.extend({ matchedVolume: amount }),
    orderSummary: z.array(z.looseObject({})),
    childGames: z.array(game),
    propGames: z.array(game),
  }),
});

const orderUpdateHead = {
  gameID: text,
  sport: text,
  league: text,
  live: z.boolean(),
  participantID: text.nullable(),
  sideOrders: side,
};
/** Strict: fields of another market type are refused. */
export const orderUpdate = z.discriminatedUnion('type', [
  z.strictObject({ ...orderUpdateHead, type: z.literal('moneyline'), participantID: text }),
  z.strictObject({
    ...orderUpdateHead,
    type: z.literal('spread'),
    participantID: text,
    spread: line,
    mainHomeSpread: line,
    mainAwaySpread: line,
  }),
  z.strictObject({
    ...orderUpdateHead,
    type: z.literal('total'),
    participantID: z.null(),
    OU: z.enum(['over', 'under']),
    total: line,
    mainTotal: line,
  }),
]);
export type OrderUpdate = z.infer<typeof orderUpdate>;

export const gameUpdate = game.extend({ messageType: z.enum(['marketOpen', 'marketClosed']).optional() });
export type GameUpdate = z.infer<typeof gameUpdate>;

export const position = z.looseObject({
  unmatched: z.looseObject({ orderID: text, odds, offered: amount, filled: amount, remaining: amount }).nullable(),
  matched: z.looseObject({ txID: text, filled: z.number().positive(), odds }).nullable(),
  gameID: text,
  parentGameID: text.nullable(),
  eventName: text,
  league: text,
  sport: text,
  live: z.boolean(),
  start: iso,
  awayRotationNumber: z.number(),
  origin: z.enum(['offer', 'wager']),
  platform: text,
  createdAt: iso,
});
export type Position = z.infer<typeof position>;

export const userReply = z.looseObject({
  data: z.looseObject({ user: z.looseObject({ username: text, id: text, playerMode: mode }) }),
});
export const loginReply = z.looseObject({
  data: z.looseObject({ user: z.looseObject({ auth: text, username: text, id: text, playerMode: mode }) }),
});

export const fill = z.looseObject({
  txID: text,
  odds,
  risk: amount,
  win: amount,
  amount,
  type: marketType,
  side: text,
  number: z.number().optional(),
  /** The counterparty's order id. */
  orderID: text,
  userReference: text.optional(),
});
export const offer = z.looseObject({
  orderID: text,
  offered: amount,
  remaining: amount,
  odds,
  type: marketType,
  side: text,
  number: z.number().optional(),
  userReference: text.optional(),
});
export const placed = z.strictObject({
  matched: z.array(fill),
  unmatched: z.union([offer, z.strictObject({})]),
});
export const notPlaced = z.strictObject({
  error: text,
  errorType: z.enum(['validation_error', 'rejected_liability', 'rejected_order_type_rules', 'system_error']),
});
export const placeReply = z.looseObject({
  data: z.looseObject({ createdSessions: z.array(z.union([placed, notPlaced])) }),
});

export const cancelled = z.looseObject({
  success: z.literal(true),
  sessionID: text,
  odds,
  filled: amount,
  offered: z.literal(0),
  remaining: amount,
  gameID: text,
  userReference: text.optional(),
});
export const notCancelled = z.looseObject({
  success: z.literal(false),
  sessionID: text.optional(),
  userReference: text.optional(),
  reason: text,
});
export const cancelReply = z.looseObject({ data: cancelled });
export const cancelsReply = z.looseObject({ data: z.array(z.union([cancelled, notCancelled])) });
export const receivedReply = z.looseObject({ data: z.looseObject({ ordersReceived: z.literal(true) }) });
export const editReply = z.looseObject({ data: placed.extend({ cancelled }) });

export const openOrder = z.looseObject({
  id: text,
  txID: text.nullable(),
  userReference: text.nullable(),
  type: marketType,
  risk: amount,
  odds,
  spread: line,
  total: line,
  OU: z.enum(['over', 'under']).optional(),
  participantID: text.nullable(),
  filled: amount,
  offered: amount,
  remaining: amount,
  expiry: iso.nullable(),
  createdAt: iso,
});
export const openReply = z.looseObject({ data: z.looseObject({ unmatched: z.array(openOrder) }) });

const details = { retryable: z.boolean(), retryAfterSeconds: z.number().positive() };
/** Strict: clients branch on these shapes. */
export const throttle = z.discriminatedUnion('code', [
  z.strictObject({ code: z.literal('RATE_LIMITED'), kind: text, ...details }),
  z.strictObject({ code: z.literal('CANCEL_QUEUE_FULL'), ...details }),
  z.strictObject({ code: z.literal('CANCEL_ALL_IN_PROGRESS'), ...details }),
]);
export type Throttle = z.infer<typeof throttle>;

/** The envelope of every error. */
export const envelope = z.strictObject({
  error: z.strictObject({ message: text, code: z.int(), details: throttle.optional() }),
});

/** Parses `value`. A value that does not fit the schema fails the test. */
export function read<T>(schema: z.ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  expect.fail(`${z.prettifyError(result.error)}\nin ${JSON.stringify(value)?.slice(0, 2000) ?? 'nothing'}`);
}

/** The fields of the operator's view of an account that the tests compare. */
export const accountStory = z.looseObject({
  requests: z.looseObject({ place: z.int(), edit: z.int(), cancel: z.int(), other: z.int() }),
  maxInWindow: z.looseObject({ place: z.int(), cancel: z.int() }),
  openOrders: z.int(),
});
