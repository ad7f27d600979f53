// The YAML file, key by key, with the unit, range and default of each. Unknown keys are errors.
import { z } from 'zod';
import { DEVIG_METHODS } from '../pricing/index.ts';
import { DRAW_RULES, parseTimeOfDay, PERIODS, plainName, VOID_APART } from '../domain/index.ts';
import { exchange } from './schema-exchange.ts';
import { duration, decider, age, size, league, LEAST_DEADLINE_MS, money } from './schema-values.ts';

const alertTarget = z
  .strictObject({
    webhook: z
      .url({ protocol: /^https?$/, error: 'expected an http or https URL' })
      .optional()
      .describe('POSTed to'),
    body: z
      .enum(['json', 'slack', 'discord', 'telegram', 'ntfy'])
      .default('json')
      .describe('what the service behind the webhook reads'),
    command: z.string().min(1).optional().describe('a program, given one JSON object on standard input'),
    env: z
      .array(z.string().regex(/^[A-Za-z_]\w*$/, 'expected the name of a variable of the environment'))
      .default([])
      .describe(
        'variables of the environment that the command gets beside PATH, HOME, LANG, TZ, TMPDIR, those of proxies and ODDSMAKER_ALERT_*',
      ),
    level: z.enum(['info', 'warn', 'error']).default('warn').describe('least level that is told'),
    repeat: duration('30m').describe('told again while it lasts'),
  })
  .check((context) => {
    const { webhook, command, env } = context.value;
    if (webhook !== undefined && env.length > 0)
      context.issues.push({ code: 'custom', input: env, path: ['env'], message: 'expected none: it is for a command' });
    if ((webhook === undefined) === (command === undefined))
      context.issues.push({
        code: 'custom',
        input: context.value,
        path: [],
        message: 'expected either webhook or command',
      });
  });

const signalStream = z.strictObject({
  url: z
    .url({ protocol: /^rediss?$/, error: 'expected a redis or rediss URL' })
    .describe('of the server; with a password, take it from the environment'),
  stream: z.string().min(1).describe('its key'),
});

const oddsFeed = z
  .strictObject({
    url: z
      .url({ protocol: /^https?$/, error: 'expected an http or https URL' })
      .optional()
      .describe('polled; its key belongs into the environment'),
    file: z.string().min(1).optional().describe('read again when it changes'),
    every: duration('30s')
      .refine((ms) => ms >= 1000, 'expected at least 1s')
      .describe('between two readings'),
    ttl: duration('120s').describe('nothing in a price is older than this'),
    devig: z.enum(DEVIG_METHODS).default('shin').describe('how the margin of a bookmaker is taken out'),
    books: z
      .record(z.string().min(1), z.number().min(0).max(1e6))
      .refine(
        (weights) => Object.keys(weights).length === 0 || Object.values(weights).some((weight) => weight > 0),
        'expected at least one weight above 0',
      )
      .default({})
      .describe('weight of each bookmaker, by key or title: others weigh nothing; empty: all weigh 1'),
    teams: z
      .string()
      .min(1)
      .nullable()
      .default(null)
      .describe('YAML or JSON file: {name in the feed: name at the exchange}'),
  })
  .check((context) => {
    const { url, file, every, ttl } = context.value;
    const issue = (path: readonly string[], message: string): void => {
      context.issues.push({ code: 'custom', message, path: [...path], input: context.value });
    };
    if ((url === undefined) === (file === undefined)) issue([], 'expected either url or file');
    if (ttl <= every) issue(['ttl'], 'expected more than every: a price would be over before the next reading');
  });

/** What the paper exchange takes for an account: its own traders keep their names. */
const strategy = z.strictObject({
  use: z.string().min(1).describe('path of the strategy file, relative to this file'),
  id: z
    .string()
    .regex(/^[\w-]{1,24}$/, 'expected 1 to 24 letters, digits, _ or -')
    .describe('names it in references and logs'),
  params: z
    .record(z.string(), z.unknown())
    .default({})
    .describe('parameters of that strategy, checked by its own schema'),
  budget: z
    .strictObject({
      cpu: duration('250ms').describe('CPU of the thread that one input may take'),
      wall: duration('2s').describe('time by the clock that one input may take'),
      strikes: z.int().min(1).max(1000).default(3).describe('so many inputs that took more take it off'),
      in: duration('10m').describe('within this long'),
    })
    .prefault({})
    .describe('what a strategy may take for one input, live; an input of 5 times wall counts three times'),
  impure: z
    .boolean()
    .default(false)
    .describe('backtest it although it reads a clock, draws, sets timers or reaches outside; results say so'),
});

export const configSchema = z.strictObject({
  exchange,
  markets: z
    .strictObject({
      leagues: z
        .array(league)
        .min(1)
        .default(['NBA'])
        .describe(
          'leagues that are quoted; case and accents do not count, unless the exchange has two leagues that differ only so',
        ),
      types: z
        .array(z.enum(['moneyline', 'spread', 'total']))
        .min(1)
        .default(['moneyline', 'spread', 'total'])
        .describe('market types that are quoted'),
      lines: z
        .enum(['main', 'all'])
        .default('main')
        .describe('only the main spread and total of a game, or every line'),
      games: z
        .union([z.literal('all'), z.array(z.string().min(1)).min(1)], 'expected all, or a list of game ids')
        .default('all')
        .describe('all, or a list of game ids'),
      live: z.boolean().default(false).describe('quote in play'),
      stopBefore: duration('60s').describe('quotes end this long before the start'),
      periods: z
        .union([z.null(), z.array(z.enum(PERIODS))], `expected a list of periods: ${PERIODS.join(', ')}`)
        .default(['full'])
        .describe(
          'parts of games that are quoted: full is the game itself, reg without overtime, h1 and h2 halves, q1 to q4 quarters, p1 to p3 hockey periods, i1 to i9 innings, f5 the first five, s1 to s5 sets, m1 to m5 maps. null: as version 0.2, every child game and prop that the feed announces, each bounded apart',
        ),
      props: z
        .boolean()
        .default(false)
        .describe('quote prop games, such as the points of a player, of the games that are selected'),
      futures: z.boolean().default(false).describe('quote futures with two sides, such as a champion'),
    })
    .prefault({}),
  strategies: z
    .array(strategy)
    .min(1)
    .check((context) => {
      const ids = context.value.map(({ id }) => id);
      ids.forEach((id, index) => {
        if (ids.indexOf(id) !== index)
          context.issues.push({
            code: 'custom',
            message: `expected an id of its own, "${id}" is taken`,
            path: [index, 'id'],
            input: id,
          });
      });
    }),
  orders: z
    .strictObject({
      tolerance: z
        .number()
        .min(0)
        .max(0.5)
        .default(0.005)
        .describe('probability a resting price may differ from the wanted one'),
      reserve: z.int().min(0).default(5).describe('place permits kept for quotes that are too generous'),
      foreign: z
        .enum(['leave', 'cancel', 'refuse'])
        .default('leave')
        .describe('open orders on the account that no run of this instance placed'),
      expiry: z
        .union([z.null(), duration('1m')], 'expected null, or a duration such as 250ms, 5s, 10m or 2h')
        .default(null)
        .describe('every order expires by itself after this; whole minutes, rounded up: requests count in minutes'),
      giveUpFor: duration('1m')
        .nullable()
        .describe(
          'a quote that the window refused five times in a row waits this long, or until another price or size is wanted; null: 30s whatever is wanted',
        ),
      instance: z
        .string()
        .regex(/^[a-z0-9]{1,8}$/, 'expected 1 to 8 lower-case letters or digits')
        .default('a')
        .describe('marks our references on a shared account'),
    })
    .prefault({}),
  risk: z
    .strictObject({
      maxOrderRisk: money.max(1000).default(500).describe('dollars of stake in one order'),
      maxMarketLoss: money
        .nullable()
        .default(null)
        .describe('dollars, worst outcome of one market; null is no limit of its own'),
      maxGameLoss: money
        .default(2000)
        .describe('dollars, worst final score, over resting, in-flight, unknown and filled'),
      maxLeagueLoss: money
        .nullable()
        .default(null)
        .describe('dollars, all games of one league; null is no limit of its own'),
      maxTotalLoss: money.default(10_000).describe('dollars, all games'),
      maxDailyLoss: money
        .gt(0)
        .nullable()
        .default(null)
        .describe(
          'dollars, settled and marked, over all runs of the account since dayStartsAt: the bot closes what it can, then halts. `run` demands it for an exchange that is not embedded; embedded ones are left out',
        ),
      dayStartsAt: z
        .string()
        .refine(
          (text) => parseTimeOfDay(text) !== undefined,
          'expected a time of day such as 08:00Z, or 09:30:00+02:00',
        )
        .default('08:00Z')
        .describe('when the day of maxDailyLoss begins'),
      maxOpenOrders: z.int().min(1).max(100_000).default(200).describe('resting, in flight and unknown'),
      maxCreditUse: z.number().gt(0).max(1).default(0.9).describe('share of the balance that open orders may lock'),
      priceBand: z
        .number()
        .gt(0)
        .max(1)
        .default(0.15)
        .describe('farthest a quote may be from the consensus, probability'),
      bandWithout: z
        .enum(['hold', 'own', 'off'])
        .default('hold')
        .describe(
          'without a consensus the band goes by the odds feed (a price not past its ttl), then by the last good consensus for bandAge; without either a quote is held back. own: a fair price that the strategy gives with its intent counts too, as the last one, for those who open markets; off: no band then, any price is offered',
        ),
      bandAge: duration('5m').describe(
        'the last good consensus of a market stands in for the consensus for this long; in play for 10s at most',
      ),
      state: z
        .enum(['active', 'reduce-only', 'halted'])
        .default('active')
        .describe('kill switch at the start; it only tightens by itself, ctl resume sets it to active'),
      haltAtLoss: money
        .gt(0)
        .nullable()
        .default(null)
        .describe(
          'dollars, marked and settled: a run that has lost this halts; null never does. What former runs left open counts too, at its worst where the book shows no price',
        ),
      losingFills: z
        .strictObject({
          count: z.int().min(1).default(10).describe('this many losing fills …'),
          within: duration('60s').describe('… within this long'),
          pause: duration('5m').describe('pause the strategy for this long'),
          markout: duration('10s').describe('a fill is losing when the consensus is worse this much later'),
        })
        .nullable()
        .default(null)
        .describe('pauses a strategy that is picked off; null never does'),
      staleAfter: duration('10s').describe('a side without frame or read for this long is not quoted'),
      resumeAfter: duration('5s').describe('health of both feeds before quotes come back'),
    })
    .prefault({}),
  sports: z
    .record(
      z.string().trim().min(1),
      z
        .strictObject({
          moneyline: decider('what decides a moneyline: `score`, or `winner` where the score does not'),
          spread: decider('the score that spreads go by: score, games, sets …; `total` with the same name shares it'),
          total: decider('the score that totals go by, of which are the two numbers of a result'),
          draw: z
            .enum(DRAW_RULES)
            .optional()
            .describe(
              'what a level end makes of a moneyline: push (stakes return), both-lose, or impossible (play goes on)',
            ),
          voidApart: z
            .enum(VOID_APART)
            .optional()
            .describe(
              'market types that may be void while others stand, and hedge nothing of them: none, lines (spread and total apart from the moneyline) or each',
            ),
        })
        .refine((columns) => Object.keys(columns).length > 0, 'expected a column, such as draw: push'),
    )
    .check((context) => {
      const names = Object.keys(context.value);
      names.forEach((name, index) => {
        const isTaken = names.findIndex((other) => plainName(other) === plainName(name)) < index;
        if (isTaken)
          context.issues.push({
            code: 'custom',
            message: `expected each league or sport once, "${name}" is there in another spelling`,
            path: [name],
            input: name,
          });
      });
    })
    .default({})
    .describe(
      '`NAME: { draw: push }`: what decides bets of this league or sport, column by column; case and accents do not count. What is not set is built in, or unknown, as `check` shows',
    ),
  record: z
    .strictObject({
      dir: z.string().min(1).nullable().default(null).describe('folder for tapes of the raw feeds; null records none'),
    })
    .prefault({}),
  journal: z
    .strictObject({
      dir: z.string().min(1).nullable().default('./data/journal').describe('folder of the journals; null writes none'),
      keep: z
        .union([z.null(), age], 'expected null, or a duration such as 12h or 30d')
        .prefault('30d')
        .describe('older journals are removed, unless a fill in them may not be settled; null keeps all'),
      most: z
        .union([z.null(), size], 'expected null, or a size such as 500MB or 20GB')
        .prefault('20GB')
        .describe(
          'of more than this the oldest journals are removed, never the running one, nor one in which a fill may not be settled; null keeps all',
        ),
    })
    .prefault({}),
  ledger: z
    .strictObject({
      file: z
        .string()
        .min(1)
        .nullable()
        .default('./data/ledger.db')
        .describe(
          'SQLite database of runs, orders, fills and settlements (docs/reference/ledger.md); null keeps none, which maxDailyLoss does not allow',
        ),
    })
    .prefault({}),
  guard: z
    .strictObject({
      deadline: duration('10s')
        .refine((ms) => ms >= LEAST_DEADLINE_MS, 'expected at least 2s: the loop turns twice a second')
        .describe('the guard acts when the loop has not turned for this long; the bot places nothing after half of it'),
    })
    .prefault({}),
  ops: z
    .strictObject({
      host: z
        .string()
        .default('127.0.0.1')
        .describe('address of the admin port: the page, /live, /ready, /status, /metrics; 0.0.0.0 is every one'),
      port: z.int().min(0).max(65_535).default(9464).describe('admin port; 0 takes any free one'),
      required: z
        .boolean()
        .nullable()
        .default(null)
        .describe(
          'true: a bot whose port cannot be opened within 10 s ends with 75, before its login; false: it runs without, alerts, and tries again every 10 s; null: true unless the exchange is embedded',
        ),
      readyShare: z
        .number()
        .min(0)
        .max(1)
        .default(0.5)
        .describe(
          'share of the wanted quotes that must rest: /ready says degraded while fewer do for 10 s; 0 asks for none',
        ),
      token: z
        .string()
        .nullable()
        .default(null)
        .describe(
          'what commands by HTTP, and sees; without it only a loopback address is opened, and the page takes a token made for each run',
        ),
      viewToken: z
        .string()
        .nullable()
        .default(null)
        .describe('what sees and does not command: for the page, /metrics, /status and /api/events'),
      hosts: z
        .array(z.string())
        .default([])
        .describe('further names that the admin port is reached by, such as that of a container or a proxy'),
    })
    .prefault({}),
  signals: z
    .strictObject({
      http: z
        .boolean()
        .default(false)
        .describe('take signals by POST /api/signals on the admin port, from whoever has ops.token'),
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
        .describe('files that are followed: a JSON message with signals a line, as other programs append them'),
      redis: signalStream
        .nullable()
        .default(null)
        .describe('a Redis stream with a message in the field `signal` of each entry; null reads none'),
      odds: oddsFeed
        .nullable()
        .default(null)
        .describe('an odds feed, told as odds:<market>: either url or file; null reads none'),
    })
    .prefault({}),
  commission: z
    .strictObject({
      of: z
        .enum(['market', 'win'])
        .default('market')
        .describe('of the net winnings of each market, or of each play that won'),
      share: z.number().min(0).max(1).default(0).describe('what the exchange keeps of it, 0 to 1'),
    })
    .prefault({}),
  alerts: z
    .array(alertTarget)
    .default([])
    .describe('who is told what somebody should know of at once; `oddsmaker alert test` sends one'),
  log: z
    .strictObject({
      level: z
        .enum(['trace', 'debug', 'info', 'warn', 'error', 'silent'])
        .default('info')
        .describe('least level that is logged'),
    })
    .prefault({}),
  onExit: z.enum(['cancel', 'leave']).default('cancel').describe('what an orderly stop does with open orders'),
  onCrash: z
    .enum(['resume', 'wait'])
    .default('resume')
    .describe(
      'after a crash: go on where account and journals agree, or wait for `ctl resume`; three crashes in ten minutes always wait',
    ),
});

export type Config = z.output<typeof configSchema>;
