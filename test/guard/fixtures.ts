// A bot, its guard and an operator as processes of their own, against an exchange that outlives them.
import { mkdirSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { main } from '../../src/index.ts';
import type { Log, RunFiles } from '../../src/ops/index.ts';
import { runFiles } from '../../src/ops/index.ts';
import type { Ended, Exchange, Running, AccountCounts } from '../support/children.ts';
import {
  command as hosted,
  exchangeSection,
  folder,
  start,
  SHORT_WINDOWS,
  startExchange,
  countsOf,
  writeConfig,
  STRATEGIES,
} from '../support/children.ts';

/**
 * Calls `ask` until it returns something other than false and undefined; `condition` names that in the error.
 */
export async function eventually<T>(
  condition: string,
  ask: () => T | undefined | false | Promise<T | undefined | false>,
  withinMs = 30_000,
): Promise<T> {
  const giveUpAt = performance.now() + withinMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    if (performance.now() > giveUpAt) throw new Error(`within ${withinMs} ms it did not happen: ${condition}`);
    await sleep(40);
  }
}

export type Scene = {
  readonly venue: Exchange;
  readonly config: string;
  readonly files: RunFiles;
  readonly startBot: () => Running;
  readonly story: () => Promise<AccountCounts>;
  /** One command of the operator. */
  readonly ctl: (...args: readonly string[]) => Promise<Ended>;
  /** The bot's own view, read by ctl. */
  readonly status: () => Promise<Readonly<Record<string, unknown>>>;
  readonly quotes: (atLeast?: number) => Promise<AccountCounts>;
};

const QUICK = [
  SHORT_WINDOWS,
  'risk: { resumeAfter: 250ms, maxDailyLoss: 100000 }',
  'markets: { leagues: [NBA], types: [moneyline], lines: main }',
  'guard: { deadline: 2s }',
  'journal: { dir: ./run }',
  '',
].join('\n');

export async function scene(strategies = STRATEGIES): Promise<Scene> {
  const venue = await startExchange('--games', '2', '--account', 'alice:alice-pw');
  const workFolder = folder();
  const config = writeConfig(exchangeSection(venue.restUrl, venue.socketUrl) + QUICK + strategies, workFolder);
  const story = (): Promise<AccountCounts> => countsOf(venue, 'alice');
  const ctl = (...args: readonly string[]): Promise<Ended> => hosted(['ctl', config, ...args]);
  return {
    venue,
    config,
    files: runFiles(join(workFolder, 'run'), 'alice'),
    startBot: () => start(['run', config]),
    story,
    ctl,
    status: async () => JSON.parse((await ctl('status', '--json')).stdout) as Readonly<Record<string, unknown>>,
    quotes: (atLeast = 2) =>
      eventually('quotes rest', async () => {
        const current = await story();
        return current.openOrders >= atLeast && current;
      }),
  };
}

export const placesOf = ({ requests }: AccountCounts): number => requests.place + requests.edit;

/** A run folder for this test alone. */
export function ownFiles(account = 'alice'): RunFiles {
  const runFolder = join(folder(), 'run');
  mkdirSync(runFolder);
  return runFiles(runFolder, account);
}

/** A process that is certainly dead: no kernel gives this pid. */
export const DEAD = { pid: 2 ** 22 + 1, host: hostname(), ticks: '1' };

export type Line = { readonly level: string; readonly message: string };

/** Runs a command in this process. Returns its exit code and its stderr. */
export async function command(...args: readonly string[]): Promise<{ readonly code: number; readonly said: string }> {
  const { write } = process.stderr;
  let said = '';
  process.stderr.write = (text: string | Uint8Array): boolean => {
    said += String(text);
    return true;
  };
  try {
    return { code: await main(args), said };
  } finally {
    process.stderr.write = write;
  }
}

/** A log that keeps its lines in memory. */
export function memoryLog(): Log & { readonly lines: Line[]; readonly hasLogged: (pattern: RegExp) => boolean } {
  const lines: Line[] = [];
  const say =
    (level: string) =>
    (message: string): void => {
      lines.push({ level, message });
    };
  return {
    lines,
    hasLogged: (pattern) => lines.some(({ message }) => pattern.test(message)),
    debug: say('debug'),
    info: say('info'),
    warn: say('warn'),
    error: say('error'),
  };
}
