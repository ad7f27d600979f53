// The keys of `markets`: what is quoted, and which markets first.
import { z } from 'zod';
import { MARKET_TYPES, PERIODS } from '../domain/index.ts';
import { duration, league } from './schema-values.ts';

const marketSelect = z
  .strictObject({
    by: z
      .enum(['value', 'all'])
      .default('all')
      .describe(
        'all: quote every market that the keys above select; value: quote those that bring most per place permit, ranked every 10s. A market stays selected or left out for 60s at least',
      ),
    most: z.int().min(1).nullable().default(null).describe('the most markets quoted at once; null: no limit'),
    gates: z
      .strictObject({
        minTakesPerHour: z
          .number()
          .min(0)
          .default(0)
          .describe('takes an hour that the book of the market shows, on both sides together'),
        maxSpread: z
          .number()
          .min(0)
          .max(1)
          .default(0.08)
          .describe('the widest distance between the best offers of others, as a probability'),
        pinned: z
          .number()
          .min(0)
          .max(0.5)
          .default(0.03)
          .describe('a market whose fair price is closer than this to 0 or 1 is left out'),
        maxPriceAge: z
          .union([z.null(), duration('10s')], 'expected null, or a duration such as 250ms, 5s, 10m or 2h')
          .default(null)
          .describe('both sides of the book were confirmed within this time; null: within risk.staleAfter'),
      })
      .prefault({})
      .describe('what keeps a market out, whatever it would bring. A book with one side is always left out'),
  })
  .prefault({})
  .describe('which of the selected markets are quoted');

export const markets = z
  .strictObject({
    leagues: z
      .array(league)
      .min(1)
      .default(['NBA'])
      .describe(
        'leagues to quote. Case and accents are ignored, unless the exchange has two leagues that differ only in them',
      ),
    types: z
      .array(z.enum(MARKET_TYPES))
      .min(1)
      .default([...MARKET_TYPES])
      .describe('market types to quote'),
    lines: z
      .enum(['main', 'all'])
      .default('main')
      .describe('main: only the main spread and total of a game; all: every line'),
    games: z
      .union([z.literal('all'), z.array(z.string().min(1)).min(1)], 'expected all, or a list of game ids')
      .default('all')
      .describe('all games, or a list of game ids'),
    live: z.boolean().default(false).describe('quote games in play'),
    stopBefore: duration('60s').describe('quoting stops this long before the start of a game'),
    periods: z
      .union([z.null(), z.array(z.enum(PERIODS))], `expected a list of periods: ${PERIODS.join(', ')}`)
      .default(['full'])
      .describe(
        'parts of games to quote: full is the game itself, reg the game without overtime, h1 and h2 halves, q1 to q4 quarters, p1 to p3 hockey periods, i1 to i9 innings, f5 the first five innings, s1 to s5 sets, m1 to m5 maps. null: as in version 0.2, every child game and prop that the feed announces, each with limits of its own',
      ),
    props: z
      .boolean()
      .default(false)
      .describe('quote prop games of the selected games, such as the points of a player'),
    futures: z.boolean().default(false).describe('quote futures with two sides, such as a champion'),
    select: marketSelect,
  })
  .prefault({});
