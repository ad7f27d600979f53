// `exchange` of a configuration: where the exchange is, who trades there, its windows and its wire.
import { z } from 'zod';
import { wireProfileSchema } from '../wire/index.ts';
import { parseTapeStart } from '../domain/index.ts';

import { duration, size, EXCHANGE_LIMITS, window, url } from './schema-values.ts';

const embedded = z
  .strictObject({
    tapes: z.array(z.string().min(1)).default([]).describe('recorded feeds to play; none: synthetic traders'),
    from: z
      .string()
      .refine((text) => parseTapeStart(text) !== undefined, 'expected an ISO time, or an offset such as 20h')
      .nullable()
      .default(null)
      .describe('ISO time or offset where the tape starts'),
    speed: z
      .number()
      .positive()
      .max(100_000)
      .default(1)
      .describe('how much faster tapes play, and the lives of made-up games'),
    traders: z.enum(['none', 'synthetic', 'tape']).default('synthetic').describe('who else trades; tapes imply tape'),
    games: z.int().min(1).max(2000).default(6).describe('how many games synthetic traders make up'),
    seed: z.int().min(0).max(0xffffffff).default(1).describe('the same seed makes the same market'),
    port: z.int().min(0).max(65_535).default(0).describe('0: any free one'),
  })
  .describe('run the paper exchange beside the bot');

const EMBEDDED_NAME = /^(?!(?:tape|maker-\d+|taker-\d+)$)[\w.@-]+$/;

export const exchange = z
  .strictObject({
    embedded: embedded.optional(),
    restUrl: url.optional().describe('the exchange, REST'),
    socketUrl: url.optional().describe('the exchange, Socket.IO'),
    username: z.string().min(1).optional().describe('account name; not the e-mail'),
    password: z.string().min(1).optional().describe('take it from the environment'),
    playerMode: z.enum(['cash', 'coins']).default('coins').describe('the only mode the bot trades in'),
    allowModeSwitch: z
      .boolean()
      .default(false)
      .describe('switch the account at the start when it is in the other mode'),
    startTimeout: duration('60s').describe('how long an exchange that does not answer is asked again at the start'),
    requestTimeout: duration('5s').describe('after this a request without answer has an unknown fate'),
    lateArrival: duration('30s').describe('no request lives longer than this'),
    gradesEvery: duration('8s')
      .refine((ms) => ms >= 2000, 'expected at least 2s')
      .nullable()
      .describe(
        'while something is held in a game that is over, its grade is asked for this often; null: once a minute',
      ),
    maxFrame: size
      .prefault('8MB')
      .describe(
        'a longer frame of a feed is dropped before it is read: its side is unknown until it was read by REST, of the user feed the account is read again before anything is quoted; a longer body of an answer is none',
      ),
    modeAge: duration('5s').describe('nothing is placed unless the exchange confirmed the player mode this recently'),
    limits: z
      .strictObject({
        place: window(EXCHANGE_LIMITS.place, 'places and edits'),
        cancel: window(EXCHANGE_LIMITS.cancel, 'cancels'),
        reads: window({ requests: 10, window: '1s' }, 'reads'),
        margin: duration('20ms').describe('kept beyond each window; doubles after an unexpected 429'),
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
