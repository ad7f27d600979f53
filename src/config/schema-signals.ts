// The section `signals:` of the YAML file: prices and scores from outside the exchange.
import { z } from 'zod';
import { DEVIG_METHODS } from '../pricing/index.ts';
import { duration } from './schema-values.ts';

const signalStream = z.strictObject({
  url: z
    .url({ protocol: /^rediss?$/, error: 'expected a redis or rediss URL' })
    .describe('URL of the Redis server; take one with a password from the environment'),
  stream: z.string().min(1).describe('key of the stream'),
});

const oddsFeed = z
  .strictObject({
    url: z
      .url({ protocol: /^https?$/, error: 'expected an http or https URL' })
      .optional()
      .describe('URL to poll; take its key from the environment'),
    file: z.string().min(1).optional().describe('file to read at the start and after each change'),
    every: duration('30s')
      .refine((ms) => ms >= 1000, 'expected at least 1s')
      .describe('time between two readings'),
    ttl: duration('120s').describe('prices of bookmakers that are older than this are ignored'),
    devig: z.enum(DEVIG_METHODS).default('shin').describe('method that removes the margin of a bookmaker'),
    model: z
      .enum(['fit', 'line'])
      .default('line')
      .describe(
        'fit: all lines of all bookmakers give one model of the game, which prices every market of it, as signals model:<market>. line: only lines that bookmakers quote have a price, odds:<market>',
      ),
    exchangeWeight: z
      .number()
      .min(0)
      .max(1e6)
      .default(0.25)
      .describe("weight of the exchange's own book, without own offers, beside the bookmakers in a fit; 0: none"),
    deviations: z
      .record(
        z.string().min(1),
        z.strictObject({
          margin: z.number().positive().describe('standard deviation of the margin, points'),
          total: z.number().positive().describe('standard deviation of the total, points'),
        }),
      )
      .default({})
      .describe('by sport or league: the constants of a sport without a model of its own'),
    books: z
      .record(z.string().min(1), z.number().min(0).max(1e6))
      .refine(
        (weights) => Object.keys(weights).length === 0 || Object.values(weights).some((weight) => weight > 0),
        'expected at least one weight above 0',
      )
      .default({})
      .describe(
        'weight of each bookmaker, by key or title. Bookmakers that are not listed have the weight 0. Empty: every bookmaker has the weight 1',
      ),
    teams: z
      .string()
      .min(1)
      .nullable()
      .default(null)
      .describe('YAML or JSON file that maps team names: {name in the feed: name at the exchange}'),
  })
  .check((context) => {
    const { url, file, every, ttl } = context.value;
    const issue = (path: readonly string[], message: string): void => {
      context.issues.push({ code: 'custom', message, path: [...path], input: context.value });
    };
    if ((url === undefined) === (file === undefined)) issue([], 'expected either url or file');
    if (ttl <= every) issue(['ttl'], 'expected more than every: a price would be over before the next reading');
  });

export const signals = z
  .strictObject({
    http: z
      .boolean()
      .default(false)
      .describe('accept signals by POST /api/signals on the admin port, from clients with ops.token'),
    files: z
      .array(z.string().min(1))
      .check((context) => {
        context.value.forEach((file, index) => {
          if (context.value.indexOf(file) !== index)
            context.issues.push({
              code: 'custom',
              input: file,
              path: [index],
              message: `expected each file once, "${file}" is there twice`,
            });
        });
      })
      .default([])
      .describe('files to follow: other programs append one JSON message with signals per line'),
    redis: signalStream
      .nullable()
      .default(null)
      .describe('a Redis stream with a message in the field `signal` of each entry; null: none'),
    scoreAge: duration('30s').describe(
      'the score of a game in play (signals lead:, clock:, scored:) is ignored when it is older; without a score a game in play has no price of a model',
    ),
    odds: oddsFeed
      .nullable()
      .default(null)
      .describe(
        'an odds feed, published as signals odds:<market> and model:<market>; give either url or file; null: none',
      ),
  })
  .prefault({});
