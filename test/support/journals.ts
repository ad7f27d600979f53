// Journals for tests: of a bot that ran under faults against the exchange in the same process, and changed
// copies of them.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadCoreSettings } from '../../src/setup/core-settings.ts';
import { main } from '../../src/index.ts';
import { buildVersion } from '../../src/setup/version.ts';
import { loadConfig, redactedConfig } from '../../src/config/index.ts';
import type { JournalHeader } from '../../src/journal/journal.ts';
import { JournalWriter } from '../../src/journal/journal.ts';
import type { JournalStep } from '../../src/journal/journal-reader.ts';
import { readJournal } from '../../src/journal/journal-reader.ts';
import { runFaulty } from '../fault/harness.ts';
import { TWO_SIDED, writeConfig } from './children.ts';
import { GOOD_DISK } from './disk.ts';

export const LATE_ARRIVAL_MS = 8000;
const SENT = ['place', 'edit', 'cancel'] as const;
/** The faults: answers, requests and events are lost, late or repeated. */
const FAULTS = [
  { fault: 'no-answer', on: SENT, rate: 0.04 },
  { fault: 'no-answer', on: SENT, rate: 0.04, acted: false },
  { fault: 'delay', on: SENT, rate: 0.05, by: { min: 300, max: 4000 } },
  { fault: 'status', on: SENT, status: 500, rate: 0.03, acted: true },
  { fault: 'status', on: ['place'], status: 403, rate: 0.05 },
  { fault: 'status', on: ['cancel'], status: 429, rate: 0.1 },
  { fault: 'cancel-all', every: '9s' },
  { fault: 'duplicate', rate: 0.05 },
  { fault: 'disconnect', every: { min: 7000, max: 15_000 } },
];

/** A seed under which each of the faults occurs. */
const SEED = 62;

export type FaultyRun = {
  /** The source of the strategy. */
  readonly source?: string;
  /** The parameters of the strategy, YAML. */
  readonly params?: string;
  /** Further lines of `exchange`. */
  readonly exchange?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The seconds at which the bot is killed with kill -9. */
  readonly killsAt?: readonly number[];
  readonly seconds?: number;
  readonly seed?: number;
};
export type FaultyJournal = { readonly config: string; readonly journal: string };

/**
 * Writes `bot.yaml` and its strategy `quotes.ts` into a folder, and `run/journal.ndjson` of the last run of a
 * bot with them.
 * @param killsAt seconds at which the bot is killed and runs again
 */
export async function writeFaultyJournal(
  folder: string,
  {
    source = readFileSync(TWO_SIDED, 'utf8'),
    params = '{ edge: 0.02, risk: 100 }',
    exchange = [],
    env = {},
    killsAt = [],
    seconds = 25,
    seed = SEED,
  }: FaultyRun = {},
): Promise<FaultyJournal> {
  writeFileSync(join(folder, 'quotes.ts'), source);
  const config = writeConfig(
    [
      'exchange:',
      '  restUrl: http://127.0.0.1:9',
      '  socketUrl: http://127.0.0.1:9',
      '  username: bot',
      '  password: secret-word',
      '  requestTimeout: 2s',
      `  lateArrival: ${LATE_ARRIVAL_MS}ms`,
      ...exchange.map((line) => `  ${line}`),
      'strategies:',
      `  - { use: ./quotes.ts, id: main, params: ${params} }`,
      'journal: { dir: ./run }',
      '',
    ].join('\n'),
    folder,
  );
  const loaded = loadConfig(config, env);
  const { settings, strategies } = await loadCoreSettings(loaded);
  let steps: JournalStep[] = [];
  runFaulty({
    plan: { seed, rules: FAULTS },
    seed,
    seconds,
    settings,
    killsAt,
    lateArrivalMs: LATE_ARRIVAL_MS,
    record: (input, commands, events) => {
      if (input.in.type === 'boot') steps = [];
      steps.push({ input, commands, events });
    },
  });
  const header = {
    version: buildVersion(),
    config: redactedConfig(loaded.config),
    strategies,
    profile: loaded.config.exchange.profile,
    configFile: '../bot.yaml',
  };
  const journal = join(folder, 'run', 'journal.ndjson');
  await writeJournal(journal, header, steps);
  return { config, journal };
}

export async function writeJournal(
  file: string,
  header: JournalHeader,
  steps: readonly JournalStep[],
  partChars?: number,
): Promise<string> {
  const writer = new JournalWriter(file, header, GOOD_DISK, partChars);
  for (const { input, commands, events } of steps) writer.record(input, commands, events);
  await writer.close();
  return file;
}

/** Writes a changed copy of a journal with a valid chain. */
export async function rewrite(
  file: string,
  to: string,
  change: {
    readonly header?: (header: JournalHeader) => JournalHeader;
    readonly steps?: (steps: readonly JournalStep[]) => readonly JournalStep[];
  },
): Promise<string> {
  const { header, steps } = await readJournal(file);
  return writeJournal(to, change.header?.(header) ?? header, change.steps?.(steps) ?? steps);
}

/** Runs a command in this process. */
export async function cli(
  ...args: readonly string[]
): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  const { stdout, stderr } = process;
  const write = { stdout: stdout.write.bind(stdout), stderr: stderr.write.bind(stderr) };
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    process[name].write = (text: string | Uint8Array): boolean => {
      output[name] += String(text);
      return true;
    };
  try {
    return { code: await main(args), out: output.stdout, err: output.stderr };
  } finally {
    stdout.write = write.stdout;
    stderr.write = write.stderr;
  }
}
