// The bot of `oddsmaker run` against the exchange over real sockets, axios and socket.io on loopback, under
// seeded fault plans, judged at the exchange (judge.ts). Both are in this process, so that the bot's status
// can be read at every event of the venue. A failing run is named with its seed, and its journal is kept: it
// replays what the bot did.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BotNet } from '../../src/live/bot-parts.ts';
import { Bot } from '../../src/live/bot.ts';
import { loadCoreSettings } from '../../src/setup/core-settings.ts';
import { NO_FORMER_RUNS } from '../../src/setup/former-runs.ts';
import { loadConfig } from '../../src/config/index.ts';
import { createLog, runFiles, SafetyNet } from '../../src/ops/index.ts';
import { cli } from '../support/journals.ts';
import { seeds } from '../support/seeds.ts';
import { Judge } from './judge.ts';
import type { Rule } from './live.ts';
import { comesTrue, replay, startVenue, writeBotConfig } from './live.ts';

const SENT = ['place', 'edit', 'cancel'] as const;
/** Half-open connections are found within this time. */
const SHORT_PING = { intervalMs: 400, timeoutMs: 400 };
const TRADE_MS = 5000;
const QUIET = createLog('silent');

type Scenario = {
  /** The seed of the generated market and of the fault plan. */
  readonly seed: number;
  readonly name: string;
  readonly rules: readonly Rule[];
  readonly ping?: { readonly intervalMs: number; readonly timeoutMs: number };
  /** The exit code with which the bot ends by itself. */
  readonly endsWith?: number;
};

const EVERYTHING: readonly Rule[] = [
  { fault: 'no-answer', on: SENT, rate: 0.06 },
  { fault: 'no-answer', on: SENT, rate: 0.06, acted: false },
  { fault: 'delay', on: SENT, rate: 0.1, by: { min: 100, max: 1200 } },
  { fault: 'status', on: SENT, status: 500, rate: 0.06, acted: true },
  { fault: 'drop', feeds: ['user'], rate: 0.06 },
  { fault: 'duplicate', rate: 0.1 },
  { fault: 'disconnect', every: { min: 2000, max: 4000 } },
  { fault: 'cancel-order', every: '1s' },
  { fault: 'expire-tokens', every: '2200ms' },
];

const everything = (seed: number): Scenario => ({
  seed,
  name: 'everything goes wrong at once',
  rules: EVERYTHING,
  ping: SHORT_PING,
});

/** `npm test` runs the last ones. */
const SCENARIOS: readonly Scenario[] = [
  ...[20, 21, 22, 23, 24].map(everything),
  {
    // the account is read every 15 s
    seed: 1,
    name: 'the player mode changes from outside',
    rules: [{ fault: 'switch-mode', at: '13s' }],
    endsWith: 77,
  },
  {
    seed: 2,
    name: 'answers are lost after acting',
    rules: [{ fault: 'no-answer', on: SENT, rate: 0.2 }],
  },
  {
    seed: 3,
    name: 'requests are lost',
    rules: [{ fault: 'no-answer', on: SENT, rate: 0.2, acted: false, close: 'reset' }],
  },
  {
    seed: 4,
    name: 'answers come after the timeout',
    rules: [{ fault: 'delay', on: SENT, rate: 0.25, side: 'after', by: { min: 750, max: 1700 } }],
  },
  {
    seed: 5,
    name: 'requests arrive late',
    rules: [{ fault: 'delay', on: SENT, rate: 0.3, by: { min: 200, max: 1500 } }],
  },
  {
    seed: 6,
    name: 'frames are doubled',
    rules: [{ fault: 'duplicate', rate: 0.4 }],
  },
  {
    seed: 7,
    name: 'frames are reordered',
    rules: [
      { fault: 'reorder', feeds: ['prices'], rate: 0.15 },
      { fault: 'reorder', feeds: ['user'], rate: 0.3, by: { min: 50, max: 600 } },
    ],
  },
  {
    seed: 8,
    name: 'frames of both feeds are dropped',
    rules: [
      { fault: 'drop', feeds: ['prices'], rate: 0.1 },
      { fault: 'drop', feeds: ['user'], rate: 0.2 },
    ],
  },
  {
    seed: 9,
    name: 'one feed disconnects, then both',
    rules: [
      { fault: 'disconnect', feeds: ['user'], every: { min: 1000, max: 2000 } },
      { fault: 'disconnect', at: '3500ms' },
    ],
  },
  {
    seed: 10,
    name: 'sockets are half open',
    rules: [{ fault: 'half-open', at: ['1500ms', '4s'] }],
    ping: SHORT_PING,
  },
  {
    seed: 11,
    name: 'tokens expire',
    rules: [{ fault: 'expire-tokens', every: { min: 1500, max: 2200 } }],
  },
  {
    seed: 12,
    name: 'cancels answer 423, and another client runs cancel-all',
    rules: [
      { fault: 'status', on: ['cancel'], status: 423, nth: [1, 3], retryAfter: '400ms' },
      { fault: 'cancel-all', every: { min: 1500, max: 2500 } },
    ],
  },
  {
    seed: 13,
    name: 'requests answer 500 in bursts, then 429 and 403',
    rules: [
      { fault: 'status', status: 500, from: '1s', until: '2s' },
      { fault: 'status', on: SENT, status: 500, acted: true, from: '2s', until: '3s' },
      { fault: 'status', on: SENT, status: 429, nth: [2, 6], from: '3s', retryAfter: '300ms' },
      { fault: 'status', on: ['edit'], status: 403, times: 3, from: '3s' },
    ],
  },
  {
    seed: 14,
    name: 'the system cancels orders and games close',
    rules: [
      { fault: 'cancel-order', orders: 2, every: '700ms' },
      { fault: 'close-game', every: '1500ms', for: '700ms' },
    ],
  },
  everything(19),
];

let folder = '';
const failed = new Set<number>();
const journals = new Map<number, string>();
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'oddsmaker-sockets-'));
});
afterAll(() => {
  if (failed.size === 0) rmSync(folder, { recursive: true, force: true });
});

type Verdict = {
  readonly broken: readonly string[];
  readonly code: number;
  readonly fills: number;
  readonly journal: string;
};

async function trade({ seed, rules, ping, endsWith }: Scenario): Promise<Verdict> {
  const venue = await startVenue(seed, rules, { ping });
  const { exchange, account, hits } = venue;
  const startedAt = performance.now();
  const judge = new Judge(account, () => (performance.now() - startedAt) / 1000);
  const botFolder = join(folder, String(seed));
  const { restUrl, socketUrl } = exchange;
  const target = { restUrl, socketUrl, username: 'bot', password: 'secret', former: NO_FORMER_RUNS };
  const loaded = loadConfig(writeBotConfig(venue, botFolder), process.env);
  const loadedCore = await loadCoreSettings(loaded);
  const run = join(botFolder, 'run');
  mkdirSync(run, { recursive: true });
  const net = new SafetyNet(runFiles(run, account.username), loaded.config.guard.deadline, QUIET);
  const judged: BotNet = {
    followsDead: false,
    beginRun: () => net.beginRun(),
    mayPlace: () => net.mayPlace(),
    fault: () => net.fault(),
    ending: () => net.ending(),
    ended: (orderly, sentNothing) => net.ended(orderly, sentNothing),
    // the bot's view changes with its steps, the venue's with its events: nothing can go wrong between them
    loopCompleted: () => {
      net.loopCompleted();
      judge.checkExposure(bot.status);
    },
  };
  const bot = new Bot(loaded, loadedCore, target, { log: QUIET, net: judged });
  try {
    judge.watch(exchange.venue, () => bot.status);
    const running = bot.run(exchange.failed);
    if (endsWith === undefined)
      void comesTrue(() => account.open.size > 0, 10_000)
        .then(() => sleep(TRADE_MS))
        .then(() => untilStruck(hits, 5 * TRADE_MS))
        .then(() => bot.stop('stop'));
    const { code, status } = await running;
    const journal = bot.view.journal ?? '';
    const core = await replay(loaded, journal, judge);
    judge.checkEnd({ code, status, positions: core.positions(), restarted: false });
    judge.checkFaults(rules, await hits());
    return { broken: judge.broken, code, fills: account.fills, journal };
  } finally {
    net.close();
    await exchange.close();
  }
}

/** Waits on while a rule of the plan has not struck: the number of requests depends on the machine. */
async function untilStruck(hits: () => Promise<readonly number[]>, withinMs: number): Promise<void> {
  const giveUpAt = performance.now() + withinMs;
  while ((await hits()).includes(0) && performance.now() < giveUpAt) await sleep(200);
}

describe.concurrent('the bot over real sockets', () => {
  it.each(SCENARIOS.slice(-seeds(2, SCENARIOS.length)))(
    'keeps every rule when $name (seed $seed)',
    { timeout: 90_000 },
    async (scenario) => {
      const { seed, endsWith = 0 } = scenario;
      failed.add(seed);
      const { broken, code, fills, journal } = await trade(scenario);
      journals.set(seed, journal);
      expect({ seed, broken, code }, journal).toEqual({ seed, broken: [], code: endsWith });
      expect(fills, journal).toBeGreaterThan(0);
      failed.delete(seed);
    },
  );
});

describe('the journal of a run in which everything goes wrong', () => {
  it('passes the commands `replay --verify` and `conform`', async () => {
    const journal = journals.get(19) ?? '';
    for (const command of [['replay', '--verify'], ['conform']]) {
      const { code, out, err } = await cli(...command, journal);
      expect({ code, err }, out).toEqual({ code: 0, err: '' });
    }
  });
});
