// The wire profile: every gap of the exchange's spec as a named setting with a default, in this one place.
// Confidence: A certain, B high, C medium, D guess. A preset gives the defaults of a few settings; explicit
// settings override it. `oddsmaker check` prints the profile and marks assumed settings and those of the
// preset.
import { z } from 'zod';
import type { BookPerspective, Perspective } from '../domain/index.ts';

const perspective = z.enum(['offerer', 'taker']) satisfies z.ZodType<Perspective>;

/** The perspective of all aspects, or of each aspect separately. */
export const perspectiveSchema = z.union(
  [
    perspective,
    z.strictObject({
      odds: perspective.describe('whose odds the book shows'),
      side: perspective.describe('on whose side an offer is listed'),
      line: perspective.describe('whose line the book shows'),
    }),
  ],
  'expected offerer, taker, or { odds, side, line } with one of these each',
);

const settings = z.strictObject({
  preset: z
    .enum(['spec', 'family'])
    .default('spec')
    .describe(
      'A: defaults of bookPerspective, endsAtStart, cancelAllReply and bookShape. spec: as the specification says; family: as existing clients of related exchanges expect',
    ),
  loginPath: z.string().startsWith('/').default('/user/login').describe('A: POST, JSON username and password'),
  userPath: z.string().startsWith('/').default('/user/getMe').describe('B: GET, the current user'),
  placePath: z.string().startsWith('/').default('/session/v2/place').describe('A: POST, places orders'),
  openOrdersPath: z.string().startsWith('/').default('/user/getUnmatched').describe('B: GET, own open orders'),
  playsPath: z
    .string()
    .startsWith('/')
    .default('/user/getMatchedBets')
    .describe('C: GET, own matched plays (fills) whose games are not graded'),
  playPath: z
    .string()
    .startsWith('/')
    .default('/user/getBetByID')
    .describe('C: GET ?txID, one matched play, and its result once its game is graded'),
  lookupOrderPath: z
    .string()
    .startsWith('/')
    .default('/session/lookupOrder')
    .describe('C: GET ?orderID, one order by its id'),
  referencePath: z
    .string()
    .startsWith('/')
    .default('/user/getBetByUserReference')
    .describe('C: GET ?userReference&gameID, one order by its reference'),
  apiVersionHeader: z
    .string()
    .default('public')
    .describe(
      'B: value of the header X-API-Version in REST requests and socket handshakes; empty: the header is not sent',
    ),
  riskField: z
    .enum(['risk', 'bet'])
    .default('risk')
    .describe('B: the field in which the size of an order is sent; both are read'),
  bookPerspective: perspectiveSchema
    .optional()
    .meta({ default: 'offerer' })
    .describe(
      'spec against B: whose odds, side and line the public book shows; the bot checks this before it quotes (family: taker)',
    ),
  endsAtStart: z
    .boolean()
    .optional()
    .meta({ default: false })
    .describe(
      'A: an order without expirationMinutes, or with 0, ends at the start of its game; if true, the bot sends minutes for games that have begun (family: true)',
    ),
  cancelAllReply: z
    .enum(['received', 'results'])
    .optional()
    .meta({ default: 'received' })
    .describe(
      'B: what cancelAllOrders and cancelAllOrdersForGame answer: that they were received, or a result for each order (paper exchange; family: results)',
    ),
  bookShape: z
    .enum(['spec', 'captured'])
    .optional()
    .meta({ default: 'spec' })
    .describe(
      'B: captured: mainHomeSpread and mainTotal of a game are text, and takenRatio is a number on every row. spec: as in the specification. The bot reads both (paper exchange; family: captured)',
    ),
  oddsStep: z
    .number()
    .min(0.1)
    .max(100)
    .default(1)
    .describe('B: smallest distance between two prices of own orders, in points of American odds'),
  maxOrdersPerPlace: z.int().min(1).max(1000).default(20).describe('D: the most orders in one place request'),
  maxIdsPerCancel: z.int().min(1).max(10_000).default(100).describe('D: the most ids in one cancelMultiple'),
  cancelIdsField: z
    .string()
    .min(1)
    .default('sessionIDs')
    .describe('B: the field of cancelMultiple that has the list of ids'),
  batchIsAtomic: z
    .boolean()
    .default(false)
    .describe('C: a 4xx answer to a batch means that no part of it was executed'),
  batch400IsAtomic: z
    .boolean()
    .default(true)
    .describe('C: a 400 answer to a batch means that no part of it was executed'),
  editHonoursPost: z.boolean().default(false).describe('D: an edit with orderType post is refused if it would cross'),
  editKeepsReference: z.boolean().default(true).describe('C: an edited order carries the reference sent with the edit'),
  editKeepsId: z.boolean().default(false).describe('B: an edited order keeps its id'),
  modeOnRecords: z
    .boolean()
    .default(true)
    .describe(
      'D: records of own orders and plays contain the player mode (paper exchange). The bot reads it where it is present',
    ),
  referenceOnRecords: z
    .boolean()
    .default(true)
    .describe(
      'A: records of own orders and plays contain the reference (paper exchange). The bot reads it where it is present',
    ),
  showsSpent: z
    .boolean()
    .default(false)
    .describe(
      'D: after an offer was taken in full, the next update of its side shows it once more, with nothing left (paper exchange). The bot reads it where it is present',
    ),
  editExpiryMinutes: z
    .number()
    .min(0)
    .max(100_000)
    .default(5)
    .describe(
      'C: lifetime of an edited order when the edit gives none; 0: no limit. With the preset family it applies only in play (paper exchange)',
    ),
  minOrderSize: z.number().min(0.01).default(1).describe('D: the smallest order (MIN_ORDER_SIZE), dollars'),
  maxOrderSize: z.number().max(1_000_000).default(1000).describe('A: the largest order, dollars'),
  socketPath: z.string().startsWith('/').default('/socket.io').describe('B: path of the Socket.IO engine'),
  priceNamespace: z.string().startsWith('/').default('/priceUpdates').describe('A: namespace of the price feed'),
  userNamespace: z
    .string()
    .startsWith('/')
    .default('/v2/user/')
    .describe('A: namespace of the user feed, without the username, which follows it'),
  socketTokenIn: z
    .enum(['header', 'query'])
    .default('header')
    .describe('A: the place of the token in the socket handshake'),
  subscribe: z
    .strictObject({
      event: z.string().min(1).describe('name of the event'),
      payload: z.json().optional().describe('data sent with it'),
    })
    .nullable()
    .default(null)
    .describe('D: an event sent on each feed once it is connected; null: none'),
  pageSize: z
    .int()
    .min(1)
    .max(1000)
    .default(100)
    .describe('D: the `limit` that the bot sends to getOrderbook: games in one page'),
  maxLiability: z
    .number()
    .min(0)
    .nullable()
    .default(null)
    .describe('D: the largest loss of an account on one game, dollars; null: no limit (paper exchange)'),
  liveHoldSeconds: z
    .number()
    .min(0)
    .max(60)
    .default(0)
    .describe('C: seconds by which an order that would match is delayed on a game in play (paper exchange)'),
  cancelQueueSize: z
    .int()
    .min(1)
    .max(1_000_000)
    .default(1000)
    .describe(
      'D: the most ids that may wait to be cancelled; beyond it, a cancel is refused with CANCEL_QUEUE_FULL (paper exchange)',
    ),
  cancelQueuePerSecond: z
    .number()
    .min(1)
    .max(1_000_000)
    .default(300)
    .describe('D: cancels that the exchange carries out per second from the queue of cancelQueueSize (paper exchange)'),
  tokenMinutes: z
    .number()
    .min(0.01)
    .max(10_000_000)
    .default(20_160)
    .describe('C: lifetime of a session token (paper exchange)'),
  secondHalfOvertime: z
    .boolean()
    .default(true)
    .describe(
      'D: the score of a second half (a child game) counts overtime; a fourth quarter and a third period never do (paper exchange)',
    ),
  heartbeatPath: z
    .string()
    .nullable()
    .default(null)
    .describe(
      'C: POST {timeout} in seconds, the heartbeat without which the exchange cancels all orders (ordersHeartbeat of a related exchange); null: not used',
    ),
});

/** The settings by name, for descriptions of each. */
export const profileSettings = settings.shape;

type Settings = z.infer<typeof settings>;
type PresetSetting = 'bookPerspective' | 'endsAtStart' | 'cancelAllReply' | 'bookShape';
type Preset = Settings['preset'];

const PRESETS = {
  spec: { bookPerspective: 'offerer', endsAtStart: false, cancelAllReply: 'received', bookShape: 'spec' },
  family: { bookPerspective: 'taker', endsAtStart: true, cancelAllReply: 'results', bookShape: 'captured' },
} as const satisfies Record<Preset, Required<Pick<Settings, PresetSetting>>>;

export type WireProfile = Omit<Settings, PresetSetting> & {
  readonly [K in PresetSetting]-?: NonNullable<Settings[K]>;
};

export const wireProfileSchema = settings
  .refine(({ minOrderSize, maxOrderSize }) => minOrderSize <= maxOrderSize, {
    path: ['minOrderSize'],
    message: 'expected at most maxOrderSize: otherwise no order size is valid',
  })
  .transform(({ bookPerspective, endsAtStart, cancelAllReply, bookShape, ...rest }): WireProfile => ({
    ...rest,
    bookPerspective: bookPerspective ?? PRESETS[rest.preset].bookPerspective,
    endsAtStart: endsAtStart ?? PRESETS[rest.preset].endsAtStart,
    cancelAllReply: cancelAllReply ?? PRESETS[rest.preset].cancelAllReply,
    bookShape: bookShape ?? PRESETS[rest.preset].bookShape,
  }));

/** True when the preset gives the default of this setting. */
export const isOfPreset = (name: string): boolean => name in PRESETS.spec;

export const profileOf = (preset: Preset): WireProfile => wireProfileSchema.parse({ preset });
export const DEFAULT_PROFILE: WireProfile = profileOf('spec');

/** Every setting that differs from its preset, in the form of a settings file or command line. */
export const changedSettings = (profile: WireProfile): readonly (readonly [name: string, value: unknown])[] => {
  const untouched = profileOf(profile.preset);
  const changed = Object.entries(profile).filter(([name, value]) => value !== untouched[name as keyof WireProfile]);
  return profile.preset === DEFAULT_PROFILE.preset ? changed : [['preset', profile.preset], ...changed];
};

export function bookPerspectiveOf({ bookPerspective: shown }: Pick<WireProfile, 'bookPerspective'>): BookPerspective {
  return typeof shown === 'string' ? { odds: shown, side: shown, line: shown } : shown;
}
