// `oddsmaker sweep`: plays many settings of one configuration against tapes and tests whether the best of
// them is more than luck.
import { SCENARIOS } from '../report/index.ts';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { InvalidArgumentError, Option } from 'commander';
import { latencyText, parseLatency, strategyLatency, writeOut } from '../backtest/index.ts';
import type { ExitCode } from '../domain/index.ts';
import { EXIT, printable } from '../domain/index.ts';
import { leave } from '../strategy/host/index.ts';
import {
  DEFAULT_OBJECTIVE,
  settingsText,
  ResultsLog,
  playSeparateRuns,
  playMissing,
  searchPoints,
  jsonText,
  takeFolder,
  param,
  homeOf,
  planOf,
  SweepProgress,
  address,
  queuePlayer,
  bestReports,
  checkLike,
  constraint,
  DEFAULT_BATCH,
  localPlayers,
  PlanThreads,
  readFormer,
  repeated,
  SEARCHES,
  candidatesOf,
  sweepReport,
} from '../sweep/index.ts';
import type {
  Former,
  SweepFiles,
  Task,
  Player,
  SearchResult,
  Plan,
  PlanFlags,
  Players,
  QueueFlags,
  ThreadOptions,
} from '../sweep/index.ts';
import type { SharedKey } from '../sweep/queue/index.ts';
import { makeKeyText, readKey } from '../sweep/queue/index.ts';
import { withEnvFile } from './env-file.ts';
import { duration, shareOfAll, tapeStart, wholeNumber, parsedBy } from './flags.ts';
import { HELP } from './sweep-help.ts';
import { showStatus } from './sweep-status.ts';
import { watchLoop } from '../live/index.ts';

type Flags = PlanFlags & {
  readonly out: string;
  readonly threads?: number;
  readonly budget: number;
  readonly resume?: true;
  readonly strict?: true;
  readonly json?: true;
} & Partial<QueueFlags>;

/** A former sweep that is repeated, and the names of the flags that were given beside it. */
type Like = { readonly former: Former; readonly named: ReadonlySet<string> };

/** The flags as given. Flags that a sweep requires may be missing with --status. */
type GivenFlags = Partial<Flags> & { readonly status?: true; readonly like?: string };

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
const INTERRUPTED = 130;
const DEFAULT_WAIT_MS = 60_000;
const DEFAULT_BUDGET_MS = 30 * 60_000;
const DEFAULT_GAP_DAYS = 1;

export function registerSweep(command: Command, finish: (code: number) => void): void {
  withPlayOptions(withQueueOptions(withSearchOptions(withEnvFile(command))))
    .addHelpText('after', HELP)
    .action(async (file: string | undefined, given: GivenFlags, self: Command) => {
      const misused = (problem: string): never => self.error(`error: ${problem}`, { exitCode: EXIT.usage });
      if (given.status === true) {
        if (given.redis === undefined) misused('--status shows what is in Redis: give --redis URL');
        finish(await showStatus(given.redis ?? '', given.wait ?? DEFAULT_WAIT_MS, given.json === true));
        return;
      }
      const named = new Set(Object.keys(given).filter((name) => self.getOptionValueSource(name) === 'cli'));
      if (file !== undefined) named.add('config');
      const former = given.like === undefined ? undefined : readFormer(given.like);
      const flags = former === undefined ? given : { ...given, ...repeated(former, only(given, named)) };
      const config = file ?? former?.config;
      const where = former === undefined ? '' : `: no timing.json beside ${former.file} says where it was`;
      if (config === undefined) misused(`missing required argument 'config'${where}`);
      if (flags.tape === undefined) misused(`required option '--tape <file|dir...>' not specified${where}`);
      if (flags.out === undefined) misused("required option '--out <dir>' not specified");
      if (flags.redis !== undefined && flags.key === undefined)
        misused(`with --redis give --key FILE, which workers have as well; ${makeKeyText('sweep.key')}`);
      finish(await sweep(config ?? '', flags as Flags, former === undefined ? undefined : { former, named }));
    });
}

/** The flags with these names. */
const only = (flags: GivenFlags, names: ReadonlySet<string>): GivenFlags =>
  Object.fromEntries(Object.entries(flags).filter(([name]) => names.has(name)));

/** Adds the options that say what is searched, by what, and how it is judged. */
function withSearchOptions(command: Command): Command {
  return command
    .description('Plays many settings against recorded markets, and says whether the best is more than luck.')
    .argument('[config]', 'YAML file')
    .option(
      '--tape <file|dir...>',
      'recorded feed, or a folder of them; repeat for several',
      (file: string, before: readonly string[] | undefined) => [...(before ?? []), file],
    )
    .option('--out <dir>', 'where the results go: a folder of their own')
    .option(
      '--param <setting=values>',
      'values to play: a list, from:to, from:to:step, from:to:log, from:to:int',
      parsedBy(param),
    )
    .addOption(new Option('--search <how>', 'which points are played').choices([...SEARCHES]).default('grid'))
    .option('--points <n>', 'number of points of random, halving and tpe (default: 64)', wholeNumber(1, 1_000_000_000))
    .option(
      '--batch <n>',
      `points that tpe and --stop-early ask for at once (default: ${DEFAULT_BATCH})`,
      wholeNumber(1, 10_000),
    )
    .option(
      '--objective <figure>',
      `figure to maximize or minimize (default: ${DEFAULT_OBJECTIVE}); repeat for a front of several`,
      (figure: string, before: readonly string[] | undefined) => [...(before ?? []), figure],
    )
    .option(
      '--such-that <condition>',
      'what a point must meet, such as "inventory.maxDrawdown <= 200"; repeat for several',
      parsedBy(constraint),
    )
    .option('--stop-early', 'do not finish points that are clearly worse than the best')
    .option('--no-stop-early', 'finish all points, also with --like a sweep that did not')
    .option('--holdout <share>', 'share of the days, the last ones, that judge and do not choose', openShare)
    .option(
      '--walk-forward <days>',
      'this many days at a time judge what all days before chose',
      wholeNumber(1, 10_000),
    )
    .option(
      '--gap <days>',
      'days before the judging ones that neither judge nor choose',
      wholeNumber(0, 1000),
      DEFAULT_GAP_DAYS,
    )
    .option('--seed <n>', 'seed of all random numbers', wholeNumber(0, 0xffffffff), 1)
    .option('--like <dir>', 'repeat the sweep in this folder, or of this sweep.json');
}

/** Adds the options that say where points are played. */
function withQueueOptions(command: Command): Command {
  return command
    .option('--threads <n>', 'points at once (default: as many as there are cores)', wholeNumber(1, 256))
    .addOption(
      new Option('--budget <time>', 'longest that one point may take')
        .argParser(duration)
        .default(DEFAULT_BUDGET_MS, '30m'),
    )
    .option('--resume', 'continue the sweep in --out')
    .option('--redis <url>', 'put the points on a queue, for workers on any number of machines')
    .option('--key <file>', 'key with which sweep and workers sign: 32 bytes or more, readable only by them')
    .option(
      '--serve <host:port>',
      'where workers get tapes that they do not have (default: 127.0.0.1, any port)',
      parsedBy(address),
    )
    .addOption(
      new Option('--wait <time>', 'how long Redis may be away').argParser(duration).default(DEFAULT_WAIT_MS, '60s'),
    )
    .option('--status', 'show the queues and workers of --redis, and nothing else')
    .option('--json', 'print the tables as lines of JSON; with --status one JSON object');
}

/** Adds the options that say how a point is played. */
function withPlayOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--fills <scenario>', 'how vanished offers are treated').choices([...SCENARIOS]).default('calibrated'),
    )
    .option(
      '--fill-model <file>',
      'model of the calibrated scenario, written by fit-fills (default: the one that ships)',
    )
    .option(
      '--calibrated-share <share>',
      'no model: the share of vanished offers at the top of a book that counts as taken',
      shareOfAll,
    )
    .option('--latency <time|journal>', 'one way, as of backtest (default: 80ms±30ms)', parsedBy(latencyText))
    .option(
      '--signal-latency <time|journal>',
      'one-way latency of signals to the bot (default: as prices)',
      parsedBy(latencyText),
    )
    .option(
      '--strategy-latency <time>',
      'virtual time of a strategy for an input, as of backtest: 2ms, or <strategy>=2ms (repeat for several)',
      parsedBy(strategyLatency),
    )
    .option('--results <file>', 'how games ended, for settlement')
    .option('--strict', 'exit 1 when a result is impossible, or its game is not on the tapes')
    .option('--from <time>', 'where trading starts: ISO time, or offset such as 20h', tapeStart)
    .option('--to <time>', 'where it ends', tapeStart)
    .option(
      '--depth <rows>',
      'rows that a ladder has at most, in tapes whose header does not say',
      wholeNumber(1, 100_000),
    )
    .option('--lenient', 'leave out lines that cannot be read');
}

/** @throws InvalidArgumentError */
function openShare(text: string): number {
  const share = shareOfAll(text);
  if (share === 0 || share === 1) throw new InvalidArgumentError('expected a number above 0 and below 1');
  return share;
}

async function sweep(file: string, flags: Flags, like: Like | undefined): Promise<ExitCode> {
  const unwatch = watchLoop(SIGNALS, () => {
    const workerNote = flags.redis === undefined ? '' : ', and workers play what is in the queue meanwhile';
    process.stderr.write(`\noddsmaker: interrupted; continue with the same command and --resume${workerNote}\n`);
    leave(INTERRUPTED);
  });
  try {
    // a bad key is reported before the tapes are read
    const key = flags.key === undefined ? undefined : readKey(flags.key);
    const plan = await planOf(file, flags);
    const changes = like === undefined ? [] : checkLike(like.former, plan.settings, like.named);
    for (const note of changes) process.stderr.write(`oddsmaker: ${printable(note)}\n`);
    for (const note of plan.resultNotes) process.stderr.write(`${printable(note)}\n`);
    const folder = takeFolder(flags.out, plan.settings, flags.resume === true);
    try {
      const ended = await playPlan(plan, file, flags, key);
      // results that settle nothing are named on stderr; with --strict they also fail the command
      return ended === EXIT.done && flags.strict === true && plan.resultNotes.length > 0 ? EXIT.failed : ended;
    } finally {
      folder.leave();
    }
  } finally {
    unwatch();
  }
}

async function playPlan(plan: Plan, file: string, flags: Flags, key: SharedKey | undefined): Promise<ExitCode> {
  const log = new ResultsLog(flags.out);
  const progress = new SweepProgress();
  const threads = flags.threads ?? availableParallelism();
  const { redis, serve, wait, out, budget } = flags;
  const options: ThreadOptions = { home: homeOf(file), threads, budgetMs: budget };
  const ownThreads = new PlanThreads(plan, options, progress);
  const players: Players =
    redis === undefined || key === undefined
      ? localPlayers(ownThreads, progress)
      : await queuePlayer(plan, { out, budget, redis, serve, wait: wait ?? DEFAULT_WAIT_MS }, key, progress);
  try {
    return await runSearch(plan, {
      out,
      isFar: redis !== undefined,
      threads: ownThreads,
      options,
      log,
      progress,
      players,
      isResumed: flags.resume === true,
      isJson: flags.json === true,
      files: filesOf(file, flags),
    });
  } finally {
    players.close();
    await ownThreads.close();
  }
}

const absolute = (file: string | undefined): string | null => (file === undefined ? null : resolve(file));

/** Where the files of the sweep are, for --like. */
function filesOf(config: string, { tape, results, fillModel, latency, signalLatency }: Flags): SweepFiles {
  const journal = (text: string | undefined): string | null =>
    text === undefined ? null : parseLatency(text) === undefined ? resolve(text) : text;
  return {
    config: resolve(config),
    tape: tape.map((file) => resolve(file)),
    results: absolute(results),
    fillModel: absolute(fillModel),
    latency: journal(latency),
    signalLatency: journal(signalLatency),
  };
}

type SearchRun = {
  readonly out: string;
  /** Threads of this process. */
  readonly threads: PlanThreads;
  readonly isJson: boolean;
  readonly files: SweepFiles;
  /** Workers on other machines play the points. */
  readonly isFar: boolean;
  readonly options: ThreadOptions;
  readonly log: ResultsLog;
  readonly progress: SweepProgress;
  readonly players: Players;
  readonly isResumed: boolean;
};

/** Plays the points of the search, and the extra runs that their judgement needs. */
async function allPlayed(
  plan: Plan,
  log: ResultsLog,
  play: Player,
  begin: (name: string, all: number, left: number) => void,
): Promise<{ readonly ended: SearchResult; readonly separateTasks: readonly Task[] }> {
  const { search } = plan;
  const ended = await searchPoints(search, log, play, (round, all, left) => begin(roundName(search, round), all, left));
  const separateTasks = await playSeparateRuns(search.inputs, plan, candidatesOf(plan, ended, log), log, (tasks, why) =>
    playMissing(tasks, log, play, (all, left) => begin(`${why}: `, all, left)),
  );
  return { ended, separateTasks };
}

const roundName = ({ kind, stopsEarly }: Plan['search'], round: number): string =>
  kind === 'halving' ? `round ${round}: ` : kind === 'tpe' || stopsEarly === true ? `batch ${round}: ` : '';

async function runSearch(
  plan: Plan,
  { out, isFar, threads, options, log, progress, players, isResumed, isJson, files: inputs }: SearchRun,
): Promise<ExitCode> {
  const begin = (name: string, all: number, left: number): void => {
    progress.beginSweep(name, all, left);
    if (left < all && isResumed) progress.note(`${all - left} of ${all} points are already known`);
  };
  const { ended, separateTasks } = await allPlayed(plan, log, players.play, begin).finally(() => progress.endSweep());
  const first = sweepReport(plan, ended, log);
  const { ranTwice, differences } = log;
  const knownDifferences = differences.length;
  const best = await bestReports(plan, first.judgement, log, threads, progress, ended.points.length);
  // a point with two different results is not judged
  const {
    files: figures,
    table,
    lines,
    isJudged,
  } = knownDifferences === differences.length ? first : sweepReport(plan, ended, log);
  const files = { ...figures, ...best };
  log.finish([...ended.tasks, ...(ended.compared ?? []), ...separateTasks]);
  const { played: count, ms } = progress.timing;
  const timing = {
    schema: 1,
    ms,
    threads: isFar ? null : options.threads,
    points: count,
    pointsPerSecond: (1000 * count) / ms,
    ranTwice,
    inputs,
  };
  writeOut(out, { ...files, 'timing.json': jsonText(timing) });
  await players.end();
  for (const { task } of log.differences)
    process.stderr.write(
      `oddsmaker: POINTS_DIFFER: point ${task.point.number} (${settingsText(task.point)}) was played twice with different results; sweep.json has both, and the point is not judged\n`,
    );
  process.stdout.write(
    isJson ? lines : `${table}written to ${out}: ${Object.keys(files).join(', ')}, points.ndjson, timing.json\n`,
  );
  if (log.differences.length > 0) return EXIT.failed;
  return isJudged ? EXIT.done : EXIT.badConfig;
}
