// `exchange` of a configuration: where the exchange is, who trades there, its windows and its wire.
import { z } from 'zod';
import { wireProfileSchema } from '../wire/index.ts';
import { parseTapeStart } from '../domain/index.ts';

import { duration, size, EXCHANGE_LIMITS, window, url } from './schema-values.ts';

const embedded = z
  .strictObject({
    tapes: z.array(z.string().min(1)).default([]).describe('tapes to replay; an empty list means synthetic traders'),
    from: z
      .string()
      .refine((text) => parseTapeStart(text) !== undefined, 'expected an ISO time, or an offset such as 20h')
      .nullable()
      .default(null)
      .describe('where the tape starts: an ISO time or an offset'),
    speed: z
      .number()
      .positive()
      .max(100_000)
      .default(1)
      .describe('speed of tapes and of generated games, as a multiple of real time'),
    traders: z
      .enum(['none', 'synthetic', 'tape'])
      .default('synthetic')
      .describe('the other traders: none, synthetic (generated), or tape; if tapes are given, tape'),
    games: z.int().min(1).max(2000).default(6).describe('number of generated games'),
    seed: z
      .int()
      .min(0)
      .max(0xffffffff)
      .default(1)
      .describe('seed of the generated market: the same seed gives the same market'),
    port: z.int().min(0).max(65_535).default(0).describe('port of the embedded exchange; 0 takes any free port'),
  })
  .describe('run the paper exchange beside the bot');

const EMBEDDED_NAME = /^(?!(?:tape|maker-\d+|taker-\d+)$)[\w.@-]+$/;

export const exchange = z
  .strictObject({
    embedded: embedded.optional(),
    restUrl: url.optional().describe("URL of the exchange's REST API"),
    socketUrl: url.optional().describe("URL of the exchange's Socket.IO server"),
    username: z.string().min(1).optional().describe('account name, not the e-mail address'),
    password: z.string().min(1).optional().describe('password of the account; take it from the environment'),
    playerMode: z.enum(['cash', 'coins']).default('coins').describe('the only player mode in which the bot trades'),
    allowModeSwitch: z.boolean().default(false).describe('at the start, switch an account that is in the other mode'),
    startTimeout: duration('60s').describe('at the start, how long to retry an exchange that does not answer'),
    requestTimeout: duration('5s').describe('a request without an answer for this long has an unknown fate'),
    lateArrival: duration('30s').describe('the longest time that a request can take to reach the exchange'),
    gradesEvery: duration('8s')
      .refine((ms) => ms >= 2000, 'expected at least 2s')
      .nullable()
      .describe('how often to read the grade of a finished game in which a position is held; null: once a minute'),
    maxFrame: size
      .prefault('8MB')
      .describe(
        'the largest message. A longer frame of the price feed is dropped, and its side is not quoted until REST has read it. After a longer frame of the user feed, the account is read before anything is quoted. A longer answer to a request counts as no answer',
      ),
    modeAge: duration('5s').describe(
      'the bot places orders only if the exchange confirmed the player mode within this time',
    ),
    limits: z
      .strictObject({
        place: window(EXCHANGE_LIMITS.place, 'places and edits'),
        cancel: window(EXCHANGE_LIMITS.cancel, 'cancels'),
        reads: window({ requests: 10, window: '1s' }, 'reads'),
        margin: duration('20ms').describe('safety margin added to each window; doubles after an unexpected 429'),
      })
      .prefault({}),
    profile: wireProfileSchema.prefault({}).describe('settings of the wire profile'),
  })
  .check((context) => {
    const { embedded: own, restUrl, socketUrl, username, password } = context.value;
    const issue = (path: string, message: string): void => {
      context.issues.push({ code: 'custom', message, path: [path], input: context.value });
    };
    if (own !== undefined && (restUrl !== undefined || socketUrl !== undefined))
      issue('embedded', 'expected either embedded or restUrl and socketUrl, not both');
    if (own !== undefined) {
      if (username !== undefined && !EMBEDDED_NAME.test(username)) {
        issue('username', 'expected letters, digits and ._@- for an embedded exchange, and no name of its own traders');
      }
      return;
    }
    if (restUrl === undefined) issue('restUrl', 'expected a URL (or exchange.embedded, to run the paper exchange)');
    if (socketUrl === undefined) issue('socketUrl', 'expected a URL (or exchange.embedded, to run the paper exchange)');
    if (username === undefined) issue('username', 'expected the account name');
    if (password === undefined) issue('password', 'expected the password, such as ${ODDSMAKER_PASSWORD}');
  });
