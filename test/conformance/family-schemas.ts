// The fields that third-party clients read beyond the specification (wire profile, "The family").
import { z } from 'zod';
import * as schemas from './schemas.ts';

const { iso, marketType, mode, odds, sideOrder, text } = schemas;
const amount = z.number().min(0);
const line = z.number().nullable();
/** A line as text, as real answers have it. */
const lineText = z.string().regex(/^-?\d+(\.\d+)?$/);

const counted = {
  periodName: text,
  isFutures: z.boolean(),
  isSpecials: z.boolean(),
  userCreated: z.boolean(),
  featured: z.boolean(),
  isMarketOpen: z.boolean(),
  openInterest: amount,
  matchedVolume: amount,
};
/** A game header with the counts of its game. */
export const header = schemas.gameHeader.extend(counted);
export type Header = z.infer<typeof header>;

const spreads = z.array(sideOrder.extend({ type: z.literal('spread'), spread: z.number() }));
const totals = z.array(
  sideOrder.extend({ type: z.literal('total'), total: z.number(), OU: z.enum(['over', 'under']) }),
);
const flatFields = {
  awayMoneylines: z.array(sideOrder),
  homeMoneylines: z.array(sideOrder),
  awaySpreads: spreads,
  homeSpreads: spreads,
  over: totals,
  under: totals,
  mainAwaySpread: line,
};
export type Preset = 'spec' | 'family';
const mainLine = { spec: line, family: lineText } as const;
const flatIn = (preset: Preset) =>
  header.extend({ ...flatFields, mainHomeSpread: mainLine[preset], mainTotal: mainLine[preset] });
export type FlatGame = z.infer<ReturnType<typeof flatIn>>;

export const flatReply = (preset: Preset) =>
  z.strictObject({ data: z.strictObject({ games: z.array(flatIn(preset)) }) });
export const topReply = (preset: Preset) =>
  z.strictObject({ data: z.strictObject({ topTradedOrderbooks: z.array(flatIn(preset)) }) });
/** The reply with one game whose ladders are keyed by line. */
export const gameReply = (preset: Preset) => {
  const game = schemas.game.extend({
    ...counted,
    mainHomeSpread: mainLine[preset],
    mainTotal: mainLine[preset],
  });
  return z.looseObject({
    data: z.looseObject({
      game,
      orderSummary: z.array(openOrder),
      childGames: z.array(z.looseObject(counted)),
      propGames: z.array(z.looseObject(counted)),
    }),
  });
};

const gameOfRecord = z.looseObject({
  id: text,
  league: text,
  sport: text,
  start: iso,
  ended: z.boolean(),
  participants: z.tuple([schemas.participant, schemas.participant]),
});
export const openOrder = schemas.openOrder.extend({
  otherParticipantID: text.nullable(),
  takenRatio: z.number().min(0).max(1),
  origin: z.enum(['offer', 'wager']),
  graded: z.boolean(),
  closed: z.boolean(),
  wagerRequestID: text.nullable(),
  playerMode: mode,
  game: gameOfRecord,
});
export const lookedUp = z.strictObject({
  data: z.strictObject({
    order: openOrder.extend({
      cancelled: z.boolean(),
      isTheBestOffer: z.boolean(),
      participant: schemas.participant.nullable(),
      matchedRisk: amount,
      unmatchedRisk: amount,
    }),
  }),
});
const ticket = {
  ticketNumber: z.int().nonnegative(),
  platform: text,
  closed: z.boolean(),
  adminRefund: z.boolean(),
};
export const ticketed = z.looseObject(ticket);
export const matchedBet = z.looseObject({
  ...ticket,
  id: text,
  txID: text,
  participantID: text.nullable(),
  spread: line,
  total: line,
  OU: z.enum(['over', 'under']).optional(),
  type: marketType,
  odds,
  risk: amount,
  win: amount,
  matchedTime: iso,
  graded: z.boolean(),
  origin: z.enum(['offer', 'wager']),
  userReference: text.optional(),
  playerMode: mode,
  game: gameOfRecord,
});
export const trail = z.strictObject({
  data: z.strictObject({
    unmatched: z.array(openOrder),
    matched: z.array(matchedBet),
    graded: z.array(matchedBet),
  }),
});
export const betsReply = z.looseObject({ data: z.looseObject({ matchedBets: z.array(matchedBet) }) });
export const openReply = z.looseObject({ data: z.looseObject({ unmatched: z.array(openOrder) }) });
export const gradedReply = z.strictObject({
  data: z.strictObject({
    graded: z.array(matchedBet),
    summary: z.strictObject({ pnl: z.number(), volume: amount }),
  }),
});
export const secondGradedReply = z.strictObject({
  data: z.strictObject({
    graded: z.array(matchedBet.extend({ outcome: z.enum(['won', 'lost', 'half-win', 'half-loss', 'refunded']) })),
    cursor: text.nullable().optional(),
    hasMore: z.boolean().optional(),
  }),
});
export const liabilityReply = z.strictObject({ data: z.strictObject({ liability: z.number().max(0) }) });
export const cancelled = z.strictObject({ data: z.array(schemas.cancelled) });

const listReply = <N extends string, T>(name: N, itemSchema: z.ZodType<T>) =>
  z.strictObject({ data: z.strictObject({ [name]: z.array(itemSchema) } as Record<N, z.ZodArray<z.ZodType<T>>>) });
export const gamesReply = listReply('games', header);
export const eventsReply = listReply('availableEvents', header);
export const participantsReply = listReply(
  'participants',
  z.strictObject({ participantID: text, longName: text, shortName: text, league: text, sport: text }),
);
export const sportsReply = z.strictObject({
  data: z.strictObject({ sportsAvailable: z.record(z.string(), z.array(text)) }),
});
