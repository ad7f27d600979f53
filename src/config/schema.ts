// The YAML file, key by key, with the unit, range and default of each. Unknown keys are errors.
import { z } from 'zod';
import { DRAW_RULES, parseTimeOfDay, plainName, VOID_APART } from '../domain/index.ts';
import { exchange } from './schema-exchange.ts';
import { markets } from './schema-markets.ts';
import { signals } from './schema-signals.ts';
import { strategy } from './schema-strategies.ts';
import { duration, decider, age, size, LEAST_DEADLINE_MS, money } from './schema-values.ts';

const alertTarget = z
  .strictObject({
    webhook: z
      .url({ protocol: /^https?$/, error: 'expected an http or https URL' })
      .optional()
      .describe('URL that receives alerts by POST'),
    body: z
      .enum(['json', 'slack', 'discord', 'telegram', 'ntfy'])
      .default('json')
      .describe('format that the service behind the webhook reads'),
    command: z.string().min(1).optional().describe('program that gets one JSON object on standard input'),
    env: z
      .array(z.string().regex(/^[A-Za-z_]\w*$/, 'expected the name of a variable of the environment'))
      .default([])
      .describe(
        'environment variables that the command gets, besides PATH, HOME, LANG, TZ, TMPDIR, proxy variables and ODDSMAKER_ALERT_*',
      ),
    level: z.enum(['info', 'warn', 'error']).default('warn').describe('lowest level that is sent'),
    repeat: duration('30m').describe('how often an alert is repeated while it lasts'),
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

export const configSchema = z.strictObject({
  exchange,
  markets,
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
        .describe('how far a resting price may differ from the wanted one, as a probability'),
      reserve: z.int().min(0).default(5).describe('place permits reserved for replacing quotes that are too generous'),
      foreign: z
        .enum(['leave', 'cancel', 'refuse'])
        .default('leave')
        .describe(
          'what to do with open orders that no run of this instance placed: leave them, cancel them, or refuse to start',
        ),
      expiry: z
        .union([z.null(), duration('1m')], 'expected null, or a duration such as 250ms, 5s, 10m or 2h')
        .default(null)
        .describe('lifetime of every order, rounded up to whole minutes; null: no limit'),
      giveUpFor: duration('1m')
        .nullable()
        .describe(
          'how long a quote is not sent again after five refusals in a row because of a full request window (429); another price or size may go at once. null: the slot waits 30s, whatever its price and size',
        ),
      instance: z
        .string()
        .regex(/^[a-z0-9]{1,8}$/, 'expected 1 to 8 lower-case letters or digits')
        .default('a')
        .describe("marks the bot's order references on a shared account"),
    })
    .prefault({}),
  risk: z
    .strictObject({
      maxOrderRisk: money.max(1000).default(500).describe('the most stake in one order, dollars'),
      maxMarketLoss: money
        .nullable()
        .default(null)
        .describe('the largest loss in the worst outcome of one market, dollars; null: no separate limit'),
      maxGameLoss: money
        .default(2000)
        .describe(
          'the largest loss at the worst final score of one game, dollars; resting, in-flight, unknown and filled orders count',
        ),
      maxGameShortfall: money
        .nullable()
        .default(null)
        .describe(
          'the largest mean loss at the worst 5 % of the scores of one game, dollars, by the odds feed or the exchange’s own book; the worst case where neither says anything of the score; null: no such limit',
        ),
      maxLeagueLoss: money
        .nullable()
        .default(null)
        .describe('the largest loss over all games of one league, dollars; null: no separate limit'),
      maxTotalLoss: money.default(10_000).describe('the largest loss over all games, dollars'),
      maxDailyLoss: money
        .gt(0)
        .nullable()
        .default(null)
        .describe(
          'the largest loss of the account since dayStartsAt, over all runs, settled and marked, dollars; when it is reached, the bot closes what it can and halts. `run` requires it for an exchange that is not embedded. An embedded exchange has no loss of the day',
        ),
      dayStartsAt: z
        .string()
        .refine(
          (text) => parseTimeOfDay(text) !== undefined,
          'expected a time of day such as 08:00Z, or 09:30:00+02:00',
        )
        .default('08:00Z')
        .describe('when the day of maxDailyLoss begins'),
      maxOpenOrders: z
        .int()
        .min(1)
        .max(100_000)
        .default(200)
        .describe('the most open orders: resting, in flight and unknown'),
      maxCreditUse: z
        .number()
        .gt(0)
        .max(1)
        .default(0.9)
        .describe('the largest share of the balance that open orders may lock'),
      priceBand: z
        .number()
        .gt(0)
        .max(1)
        .default(0.15)
        .describe('the largest distance of a quote from the consensus, as a probability'),
      bandWithout: z
        .enum(['hold', 'own', 'off'])
        .default('hold')
        .describe(
          'reference of the price band when there is no consensus. hold: the price of the odds feed, if it is within its ttl, else the last good consensus, for bandAge; without both, the quote is held back. own: like hold, but without both, the fair price that the strategy sends with its intent; for makers who open markets. off: without a consensus there is no band, and any price may be offered',
        ),
      bandAge: duration('5m').describe(
        'how long the last good consensus of a market replaces a missing one; in play at most 10s',
      ),
      heldHedges: z
        .boolean()
        .default(false)
        .describe(
          'true: what is held on other exchanges (signals held:<market>:first and :second) may lower the worst case of a game; false: it counts only where it makes the worst case worse',
        ),
      state: z
        .enum(['active', 'reduce-only', 'halted'])
        .default('active')
        .describe(
          'state of the kill switch at the start. The bot itself only makes it stricter; `ctl resume` sets it to active',
        ),
      haltAtLoss: money
        .gt(0)
        .nullable()
        .default(null)
        .describe(
          'a run with this loss, settled and marked, halts; dollars; null: never. Open positions of earlier runs count too, at their worst outcome if the book shows no price',
        ),
      losingFills: z
        .strictObject({
          count: z
            .int()
            .min(1)
            .default(10)
            .describe('a strategy with this many losing fills within losingFills.within is paused'),
          within: duration('60s').describe('time in which losing fills are counted'),
          pause: duration('5m').describe('how long the strategy is paused'),
          markout: duration('10s').describe(
            'a fill is losing if, this long after it, the consensus makes it worth less than it cost',
          ),
        })
        .nullable()
        .default(null)
        .describe('pause a strategy after losing fills; null: never'),
      staleAfter: duration('10s').describe(
        'a side of a book is not quoted if it had no frame and no read for this long',
      ),
      resumeAfter: duration('5s').describe('how long both feeds must be healthy before quoting resumes'),
    })
    .prefault({}),
  sports: z
    .record(
      z.string().trim().min(1),
      z
        .strictObject({
          moneyline: decider('what settles a moneyline: `score`, or `winner` if the score does not'),
          spread: decider(
            'the count that settles spreads: score, games, sets …; `total` with the same name uses the same count',
          ),
          total: decider('the count that settles totals; the two numbers of a result are in it'),
          draw: z
            .enum(DRAW_RULES)
            .optional()
            .describe(
              'how a draw settles a moneyline: push (stakes are returned), both-lose, or impossible (play continues)',
            ),
          voidApart: z
            .enum(VOID_APART)
            .optional()
            .describe(
              'market types that may be void separately and so hedge no other type: none, lines (spread and total, but not the moneyline) or each',
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
      '`NAME: { draw: push }`: settlement rules of a league or sport, by column; case and accents are ignored. Columns that are not set have the built-in value of the sport, or are unknown: `check` shows which',
    ),
  record: z
    .strictObject({
      dir: z.string().min(1).nullable().default(null).describe('folder for tapes of the raw feeds; null: no recording'),
    })
    .prefault({}),
  journal: z
    .strictObject({
      dir: z.string().min(1).nullable().default('./data/journal').describe('folder for journals; null: no journal'),
      keep: z
        .union([z.null(), age], 'expected null, or a duration such as 12h or 30d')
        .prefault('30d')
        .describe('older journals are removed, unless they contain a fill that may be unsettled; null: keep all'),
      most: z
        .union([z.null(), size], 'expected null, or a size such as 500MB or 20GB')
        .prefault('20GB')
        .describe(
          'the largest size of all journals: beyond it the oldest are removed, but never the current one or one with a fill that may be unsettled; null: keep all',
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
          'SQLite database of runs, orders, fills and settlements (docs/reference/ledger.md); null: no ledger; then maxDailyLoss cannot be set',
        ),
    })
    .prefault({}),
  guard: z
    .strictObject({
      deadline: duration('10s')
        .refine((ms) => ms >= LEAST_DEADLINE_MS, 'expected at least 2s: the loop turns twice a second')
        .describe(
          'the guard acts if the event loop has not turned for this long; the bot stops placing after half of it',
        ),
    })
    .prefault({}),
  ops: z
    .strictObject({
      host: z
        .string()
        .default('127.0.0.1')
        .describe('address of the admin port (the page, /live, /ready, /status, /metrics); 0.0.0.0 for all addresses'),
      port: z.int().min(0).max(65_535).default(9464).describe('admin port; 0 takes any free port'),
      required: z
        .boolean()
        .nullable()
        .default(null)
        .describe(
          'true: if the port cannot be opened within 10 s, the bot ends with 75 before its login. false: the bot runs without the port, raises an alert and retries every 10 s. null: true unless the exchange is embedded',
        ),
      readyShare: z
        .number()
        .min(0)
        .max(1)
        .default(0.5)
        .describe(
          'share of the wanted quotes that must rest. If fewer rest for 10 s, the bot is degraded; 0: no check',
        ),
      token: z
        .string()
        .nullable()
        .default(null)
        .describe(
          'token for commands and views by HTTP. Without it, ops.host must be a loopback address, and the page uses a token made for each run',
        ),
      viewToken: z
        .string()
        .nullable()
        .default(null)
        .describe('token for views without commands: the page, /metrics, /status and /api/events'),
      hosts: z
        .array(z.string())
        .default([])
        .describe('additional host names of the admin port, such as that of a container or a proxy'),
    })
    .prefault({}),
  signals,
  commission: z
    .strictObject({
      of: z
        .enum(['market', 'win'])
        .default('market')
        .describe('what commission is charged on: the net winnings of each market, or each winning play'),
      share: z.number().min(0).max(1).default(0).describe('share that the exchange keeps, 0 to 1'),
    })
    .prefault({}),
  alerts: z.array(alertTarget).default([]).describe('targets of alerts; `oddsmaker alert test` sends a test alert'),
  log: z
    .strictObject({
      level: z
        .enum(['trace', 'debug', 'info', 'warn', 'error', 'silent'])
        .default('info')
        .describe('lowest level that is logged'),
    })
    .prefault({}),
  onExit: z.enum(['cancel', 'leave']).default('cancel').describe('what an orderly stop does with open orders'),
  onCrash: z
    .enum(['resume', 'wait'])
    .default('resume')
    .describe(
      'after a crash: resume if account and journals agree, or wait for `ctl resume`. After three crashes in ten minutes, the bot always waits',
    ),
});

export type Config = z.output<typeof configSchema>;
