// The wire profile: every gap of the exchange's spec as a named setting with a default, in this one place.
// Confidence: A certain, B high, C medium, D guess. A preset gives the defaults of a few settings; explicit
// settings override it. `oddsmaker check` prints the profile and marks assumed settings and those of the
// preset.
import { z } from 'zod';
import type { BookPerspective, Perspective } from '../domain/index.ts';

const perspective = z.enum(['offerer', 'taker']) satisfies z.ZodType<Perspective>;

/** The perspective of all aspects, or of each aspect separately. */
export const perspectiveSchema = z.union(
  [perspective, z.strictObject({ odds: perspective, side: perspective, line: perspective })],
  'expected offerer, taker, or { odds, side, line } with one of these each',
);

const settings = z.strictObject({
  preset: z
    .enum(['spec', 'family'])
    .default('spec')
    .describe(
      'A: spec, the specification to the letter; family, what clients in the wild meet: other defaults of bookPerspective, endsAtStart, cancelAllReply and bookShape',
    ),
  loginPath: z.string().startsWith('/').default('/user/login').describe('A: POST, JSON username and password'),
  userPath: z.string().startsWith('/').default('/user/getMe').describe('B: GET, the current user'),
  placePath: z.string().startsWith('/').default('/session/v2/place').describe('A: POST'),
  openOrdersPath: z.string().startsWith('/').default('/user/getUnmatched').describe('B: GET, own open orders'),
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
  riskField: z.enum(['risk', 'bet']).default('risk').describe('B: the name written for an order size; both are read'),
  bookPerspective: perspectiveSchema
    .optional()
    .meta({ default: 'offerer' })
    .describe(
      'spec against B: whose odds, side and line the public book shows; checked before any quote (family: taker)',
    ),
  endsAtStart: z
    .boolean()
    .optional()
    .meta({ default: false })
    .describe(
      'A: an order without expirationMinutes, or with 0, ends at the start of its game; the bot sends minutes for games that have begun (family: true)',
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
      'B: captured: mainHomeSpread and mainTotal of a game are text, takenRatio is a number on every row (paper exchange; both are read; family: captured)',
    ),
  oddsStep: z
    .number()
    .min(0.1)
    .max(100)
    .default(1)
    .describe('B: smallest distance of two own prices, in points of American odds'),
  maxOrdersPerPlace: z.int().min(1).max(1000).default(20).describe('D: orders in one place request'),
  maxIdsPerCancel: z.int().min(1).max(10_000).default(100).describe('D: ids in one cancelMultiple'),
  cancelIdsField: z.string().min(1).default('sessionIDs').describe('B: the array of ids in cancelMultiple'),
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
    .describe('D: records of own orders and plays contain the player mode (paper exchange); read where present'),
  referenceOnRecords: z
    .boolean()
    .default(true)
    .describe('A: records of own orders and plays contain the reference (paper exchange); read where present'),
  showsSpent: z
    .boolean()
    .default(false)
    .describe(
      'D: a side shows an offer once more, with nothing left, when takers had the last of it (paper exchange); read where it is',
    ),
  editExpiryMinutes: z
    .number()
    .min(0)
    .max(100_000)
    .default(5)
    .describe('C: lifetime of an edited order when the edit names none; 0 is none; in preset family in play alone'),
  minOrderSize: z.number().min(0.01).default(1).describe('D: MIN_ORDER_SIZE, dollars'),
  maxOrderSize: z.number().max(1_000_000).default(1000).describe('A: the largest order, dollars'),
  socketPath: z.string().startsWith('/').default('/socket.io').describe('B: engine path'),
  priceNamespace: z.string().startsWith('/').default('/priceUpdates').describe('A'),
  userNamespace: z
    .string()
    .startsWith('/')
    .default('/v2/user/')
    .describe('A: prefix of the user feed; the username follows'),
  socketTokenIn: z.enum(['header', 'query']).default('header').describe('A: where the handshake carries the token'),
  subscribe: z
    .strictObject({ event: z.string().min(1), payload: z.json().optional() })
    .nullable()
    .default(null)
    .describe('D: an event sent on each feed once it is connected; null: none'),
  pageSize: z.int().min(1).max(1000).default(100).describe('D: `limit` of getOrderbook'),
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
    .describe('C: delay of an order on a live game that would match (paper exchange)'),
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
    .describe('D: cancels executed per second from that queue (paper exchange)'),
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
    .describe('C: POST {timeout} in seconds, ordersHeartbeat of the sister exchange; null is off'),
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
