// The schema of `result.json`, which a backtest writes; docs/reference/backtest-result.schema.json is
// generated from it. Money is in dollars, rounded to cents. Nothing in it depends on the machine or the time
// of day.
import { SCENARIOS } from '../report/index.ts';
import { z } from 'zod';

const count = z.int().min(0);
const dollars = z.number();

const edge = z.strictObject({
  fills: count.describe('those with a fair price at both times: the book had two sides'),
  atFill: dollars.nullable().describe('null: there are fills, and none has both prices'),
  after60s: dollars.nullable(),
});

const month = z.strictObject({
  month: z.string().describe('of the first trading day of each job, such as 2030-11'),
  games: count,
  fills: count,
  riskFilled: dollars.min(0),
  marked: dollars.describe('at the ends of its jobs'),
  settled: dollars.optional().describe('with the scores of --results'),
  edge,
});

const scenarioResult = z.strictObject({
  fills: count.describe('matched plays, by txID'),
  riskFilled: dollars.min(0).describe("the bot's stakes in them"),
  pnl: z.strictObject({
    marked: dollars.describe('at the end, open positions at the newest fair price'),
    settled: dollars.optional().describe('with the scores of --results; games without one are left out'),
    unsettled: z.array(z.string()).readonly().optional().describe('games with positions and no score'),
    edge: edge.describe(
      "what these fills were worth beyond their stakes by the others' book, right then and 60 s later",
    ),
    maxDrawdown: dollars.min(0).describe('largest fall of the marked result from its peak, looked at once a second'),
    worst: dollars
      .max(0)
      .describe(
        'worst case of everything resting and held over the whole run, looked at once a second, as the limits count it: what filled since the player mode was read last hedges nothing yet',
      ),
  }),
  strategies: z
    .record(
      z.string(),
      z.strictObject({
        fills: count,
        riskFilled: dollars.min(0),
        marked: dollars.describe('at the end; what was settled counts as such'),
        settled: dollars.optional().describe('with the scores of --results'),
        edge,
      }),
    )
    .describe('what the fills of each strategy came to, by its id'),
  orders: z.strictObject({
    placed: count.describe('accepted to rest, edits apart'),
    edited: count,
    cancelled: count.describe('ended by a request of the bot'),
    refused: count,
    refusals: z.record(z.string(), count).describe('the same by the reason that the exchange gave'),
    unknown: count.describe('without a readable answer, at some time'),
  }),
  permits: z.strictObject({
    place: count.describe('place and edit requests'),
    cancel: count,
    waitedMs: z
      .strictObject({ p50: dollars.min(0), p95: dollars.min(0) })
      .describe('how long a slot that needed something waited for its request'),
  }),
  http: z.record(z.string(), count).describe('answers by status; 0: none'),
  intents: count,
  quotedShare: z.number().min(0).max(1).describe('time-weighted share of wanted slots that really rested'),
  heldBack: z
    .record(z.string(), z.number().min(0).max(1))
    .describe('share of the wanted time for which a control kept slots empty, by control'),
  heldWhy: z
    .record(z.string(), z.string())
    .describe('the first reason that each of them gave, with strategy and market'),
  idle: z.record(z.string(), count).describe('intents without a quote, by the reason they gave'),
  alerts: z.record(z.string(), count).describe('by code'),
  signals: z
    .strictObject({ reads: count, p50Ms: count, p95Ms: count, lastMs: count })
    .nullable()
    .describe('how old signals were when strategies read them, ms, at most 5 % too high; null: none was read'),
  openAtExit: count.nullable().describe('null: not confirmed'),
  end: z.strictObject({ exit: z.int(), reason: z.string() }).nullable(),
  months: z.array(month).readonly().optional().describe('of a backtest that was played in jobs'),
});

const job = z.strictObject({
  name: z.string().describe('its trading day, the first and the last of several, or its only game'),
  games: count,
  to: z.string().describe('ISO time of its last event on the tapes'),
});

const namedFile = z.strictObject({
  file: z.string().describe('as it was named'),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});

export const resultSchema = z.strictObject({
  schema: z.literal(1),
  inputs: z.strictObject({
    version: z.string().describe('version of oddsmaker'),
    tapes: z
      .array(
        namedFile.extend({
          frames: count.describe('frames of the price feed that were replayed from it'),
          skipped: count.describe('lines left out: a tail torn off, others with --lenient'),
          torn: z.boolean().describe('a tail was torn off, as by a kill: read up to there'),
        }),
      )
      .readonly(),
    config: z.unknown().describe('effective configuration, secrets hidden'),
    strategies: z
      .array(
        z.strictObject({
          file: z.string(),
          sha256: z.string(),
          impure: z.boolean().describe('two runs of it may differ: the YAML says so'),
        }),
      )
      .readonly(),
    seed: z.int(),
    depth: z
      .int()
      .nullable()
      .describe('the most rows of a ladder, for tapes whose header does not say; null: not given'),
    latency: z.string().describe('one way'),
    signalLatency: z.string().describe('of signals on their way to the bot'),
    strategyLatency: z
      .string()
      .optional()
      .describe(
        'virtual time of a strategy for one input: measured, or the times that were given; absent: strategies took no time',
      ),
    strategyTimes: z
      .strictObject({ sha256: z.string() })
      .optional()
      .describe('strategy-latency.csv: what was measured. With it another backtest repeats this one'),
    latencyJournal: namedFile.nullable().describe('that measured the latency'),
    results: namedFile.nullable().describe('final scores'),
    from: z.string().nullable().describe('ISO time, or null: the first frame'),
    to: z.string().nullable(),
    onlyMarket: z
      .string()
      .optional()
      .describe('the text by which --only-market chose markets; absent: all were played'),
    calibratedShare: z
      .number()
      .min(0)
      .max(1)
      .nullable()
      .describe(
        'share of the stake that vanishes at the top of a book and counts as taken in the calibrated scenario; null: the model decides',
      ),
    fillModel: z
      .strictObject({
        name: z.string(),
        file: z.string().nullable().describe('null: the one that ships'),
        sha256: z.string().nullable(),
        lean: z
          .number()
          .min(0)
          .max(1)
          .describe('odds of a take are multiplied by lean / (1 - lean): 0.5 is the model itself'),
        horizonMs: count.describe('so far ahead of what vanishes it looks'),
      })
      .nullable()
      .describe('what the calibrated scenario goes by; null: by a share'),
    calibratedBy: namedFile
      .extend({
        fills: count.describe('of the real run'),
        riskFilled: dollars.describe('by the real run'),
        backtested: dollars.describe('risk filled by the backtest with the lean that was found'),
        backtestedFills: count.describe('in how many fills'),
      })
      .nullable()
      .describe('journal of the run that the lean was measured by; null: none'),
  }),
  jobs: z
    .strictObject({
      independent: z
        .boolean()
        .describe('each game was played alone: request windows, credit and limits are not shared'),
      played: z.array(job).readonly(),
    })
    .optional()
    .describe(
      'the parts that were played one by one, each by a new bot: days, or games with --independent; absent: one run played all tapes',
    ),
  scenarios: z.partialRecord(z.enum(SCENARIOS), scenarioResult),
  frames: count.describe('frames and games that were replayed'),
});

export type MonthFigures = z.infer<typeof month>;
export type ScenarioResult = z.infer<typeof scenarioResult>;
export type BacktestResult = z.infer<typeof resultSchema>;

/** Rounds a share (0 … 1) to a millionth. */
export const shareOf = (share: number): number => Math.round(share * 1e6) / 1e6;
