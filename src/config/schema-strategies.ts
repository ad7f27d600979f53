// The keys of `strategies`: which strategies run, with which parameters, on which markets, within which limits.
import { z } from 'zod';
import { MARKET_TYPES, PERIODS } from '../domain/index.ts';
import { duration, league, money } from './schema-values.ts';

export const strategy = z.strictObject({
  use: z.string().min(1).describe('path of the strategy file, relative to the YAML file'),
  id: z
    .string()
    .regex(/^[\w-]{1,24}$/, 'expected 1 to 24 letters, digits, _ or -')
    .describe('name of the strategy in order references and logs'),
  params: z
    .record(z.string(), z.unknown())
    .default({})
    .describe('parameters of the strategy, checked by its own schema'),
  budget: z
    .strictObject({
      cpu: duration('250ms').describe('CPU time of the thread that the strategy may use for one input'),
      wall: duration('2s').describe('elapsed time that the strategy may use for one input'),
      strikes: z
        .int()
        .min(1)
        .max(1000)
        .default(3)
        .describe('after this many inputs over the budget, within budget.in, the strategy is disabled'),
      in: duration('10m').describe('time in which budget.strikes are counted'),
    })
    .prefault({})
    .describe('what a strategy may take for one input, live; an input of 5 times wall counts three times'),
  warmUp: duration('0s').describe(
    'history of a market that the strategy needs before it quotes there: of this run, of the tape before --from, or of the journal of the last run',
  ),
  markets: z
    .strictObject({
      leagues: z.array(league).min(1).nullable().default(null).describe('null: all of markets.leagues'),
      types: z.array(z.enum(MARKET_TYPES)).min(1).nullable().default(null).describe('null: all of markets.types'),
      periods: z.array(z.enum(PERIODS)).min(1).nullable().default(null).describe('null: all of markets.periods'),
      games: z
        .array(z.string().min(1))
        .min(1)
        .nullable()
        .default(null)
        .describe('ids of games; null: all of markets.games'),
    })
    .prefault({})
    .describe('the markets of the bot that this strategy quotes'),
  risk: z
    .strictObject({
      maxOrderRisk: money.nullable().default(null).describe('the most stake in one order, dollars'),
      maxMarketLoss: money
        .nullable()
        .default(null)
        .describe('the largest loss of its own fills and orders in one market, dollars'),
      maxGameLoss: money
        .nullable()
        .default(null)
        .describe('the largest loss of its own fills and orders in one game, dollars'),
      maxTotalLoss: money.nullable().default(null).describe('the largest loss of its own fills and orders, dollars'),
      maxOpenOrders: z.int().min(1).nullable().default(null).describe('the most orders of its own that are open'),
    })
    .prefault({})
    .describe('limits of this strategy within those of `risk`, which they only tighten; null: no limit of its own'),
  by: z
    .strictObject({
      league: z
        .record(league, z.record(z.string(), z.unknown()))
        .default({})
        .describe('parameters for games of a league, in place of those in `params`'),
    })
    .prefault({})
    .describe('parameters for some games'),
  impure: z
    .boolean()
    .default(false)
    .describe(
      'true: backtest the strategy even if it reads a clock, draws random numbers, sets timers or does I/O; results then say so',
    ),
});
