// The wire profile: every hole of the exchange's spec as a named, defaulted setting, in this one place. Confidence:
// A certain, B high, C medium, D guess. `oddsmaker check` prints the profile and marks what is assumed.
import { z } from 'zod';
import type { BookPerspective, Perspective } from '../domain/index.ts';

const perspective = z.enum(['offerer', 'taker']) satisfies z.ZodType<Perspective>;

const settings = z.strictObject({
  loginPath: z
    .string()
    .startsWith('/')
    .default('/user/login')
    .describe('A: POST, JSON username and password'),
  userPath: z.string().startsWith('/').default('/user/getMe').describe('B: GET, the current user'),
  placePath: z.string().startsWith('/').default('/session/v2/place').describe('A: POST'),
  openOrdersPath: z
    .string()
    .startsWith('/')
    .default('/user/getUnmatched')
    .describe('B: GET, own open orders'),
  playsPath: z
    .string()
    .startsWith('/')
    .default('/user/getMatchedBets')
    .describe('C: GET, own matched plays whose games are not graded'),
  playPath: z
    .string()
    .startsWith('/')
    .default('/user/getBetByID')
    .describe('C: GET ?txID, one matched play; what its game brought, once it is graded'),
  lookupOrderPath: z.string().startsWith('/').default('/session/lookupOrder').describe('C: GET ?orderID'),
  referencePath: z
    .string()
    .startsWith('/')
    .default('/user/getBetByUserReference')
    .describe('C: GET ?userReference&gameID'),
  apiVersionHeader: z
    .string()
    .default('public')
    .describe('B: X-API-Version on REST and socket handshakes; empty sends none'),
  riskField: z
    .enum(['risk', 'bet'])
    .default('risk')
    .describe('B: the name written for an order size; both are read'),
  bookPerspective: z
    .union(
      [perspective, z.strictObject({ odds: perspective, side: perspective, line: perspective })],
      'expected offerer, taker, or { odds, side, line } with one of these each',
    )
    .default('offerer')
    .describe('spec against B: whose odds, side and line the public book shows; checked before any quote'),
  oddsStep: z.number().min(0.1).max(100).default(1).describe('B: points of odds between two own prices'),
  maxOrdersPerPlace: z.int().min(1).max(1000).default(20).describe('D: orders in one place request'),
  maxIdsPerCancel: z.int().min(1).max(10_000).default(100).describe('D: ids in one cancelMultiple'),
  cancelIdsField: z.string().min(1).default('sessionIDs').describe('B: the array of ids in cancelMultiple'),
  batchIsAtomic: z
    .boolean()
    .default(false)
    .describe('C: a 4xx to a batch means that none of it was acted on'),
  editHonoursPost: z
    .boolean()
    .default(false)
    .describe('D: an edit with orderType post is refused when it would cross'),
  editKeepsReference: z
    .boolean()
    .default(true)
    .describe('C: an edited order carries the reference sent with the edit'),
  editKeepsId: z.boolean().default(false).describe('B: an edited order keeps its id'),
  modeOnRecords: z
    .boolean()
    .default(true)
    .describe('D: records of own orders and plays name the player mode (paper exchange); read where it is'),
  editExpiryMinutes: z
    .number()
    .min(0)
    .max(100_000)
    .default(5)
    .describe('C: lifetime of an edited order when the edit names none; 0 is none'),
  minOrderSize: z.number().min(0.01).default(1).describe('D: MIN_ORDER_SIZE, dollars'),
  maxOrderSize: z.number().max(1_000_000).default(1000).describe('A: the largest order, dollars'),
  socketPath: z.string().startsWith('/').default('/socket.io').describe('B: engine path'),
  priceNamespace: z.string().startsWith('/').default('/priceUpdates').describe('A'),
  userNamespace: z.string().startsWith('/').default('/v2/user/').describe('A: the username follows'),
  socketTokenIn: z
    .enum(['header', 'query'])
    .default('header')
    .describe('A: where the handshake carries the token'),
  pageSize: z.int().min(1).max(1000).default(100).describe('D: `limit` of getOrderbook'),
  maxLiability: z
    .number()
    .min(0)
    .nullable()
    .default(null)
    .describe('D: the most an account may lose on one game, dollars; null is no limit (paper exchange)'),
  liveHoldSeconds: z
    .number()
    .min(0)
    .max(60)
    .default(0)
    .describe('C: an order on a live game that would match waits this long (paper exchange)'),
  cancelQueueSize: z
    .int()
    .min(1)
    .max(1_000_000)
    .default(1000)
    .describe('D: ids that may wait to be cancelled before CANCEL_QUEUE_FULL (paper exchange)'),
  cancelQueuePerSecond: z
    .number()
    .min(1)
    .max(1_000_000)
    .default(300)
    .describe('D: how fast they drain (paper exchange)'),
  tokenMinutes: z
    .number()
    .min(0.01)
    .max(10_000_000)
    .default(20_160)
    .describe('C: lifetime of a session token (paper exchange)'),
  heartbeatPath: z
    .string()
    .nullable()
    .default(null)
    .describe('C: POST {timeout} in seconds, ordersHeartbeat of the sister exchange; null is off'),
});

export const wireProfileSchema = settings.refine(
  ({ minOrderSize, maxOrderSize }) => minOrderSize <= maxOrderSize,
  { path: ['minOrderSize'], message: 'expected at most maxOrderSize: no order has a size otherwise' },
);

export type WireProfile = z.infer<typeof wireProfileSchema>;
export const DEFAULT_PROFILE: WireProfile = wireProfileSchema.parse({});

export function bookPerspectiveOf(profile: WireProfile): BookPerspective {
  const of = profile.bookPerspective;
  return typeof of === 'string' ? { odds: of, side: of, line: of } : of;
}
