// `oddsmaker sweep`: plays many settings of one configuration against tapes and tests whether the best of
// them is more than luck.
import { SCENARIOS } from '../report/index.ts';
import { availableParallelism } from 'node:os';
import type { Command } from 'commander';
import { InvalidArgumentError, Option } from 'commander';
import { latencyText, writeOut } from '../backtest/index.ts';
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
  localPlayers,
  candidatesOf,
  sweepReport,
} from '../sweep/index.ts';
import type {
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
import { showStatus } from './sweep-status.ts';
import { watchLoop } from '../live/index.ts';

type Flags = PlanFlags & {
  readonly out: string;
  readonly threads?: number;
  readonly budget: number;
  readonly resume?: true;
  readonly strict?: true;
} & Partial<QueueFlags>;

/** The flags as given. Flags that a sweep requires may be missing with --status. */
type GivenFlags = Partial<Flags> & { readonly status?: true; readonly json?: true };

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
const INTERRUPTED = 130;
const DEFAULT_WAIT_MS = 60_000;
const DEFAULT_BUDGET_MS = 30 * 60_000;
const DEFAULT_GAP_DAYS = 1;

export function registerSweep(command: Command, finish: (code: number) => void): void {
  withPlayOptions(
    withEnvFile(command)
      .description('Plays many settings against recorded markets, and says whether the best is more than luck.')
      .argument('[config]', 'YAML file')
      .option(
        '--tape <file|dir...>',
        'recorded feed, or a folder of them; repeat for several',
        (file: string, before: readonly string[] | undefined) => [...(before ?? []), file],
      )
      .option('--out <dir>', 'where the results go: a folder of their own')
      .option('--param <setting=values>', 'values to play: a list, from:to, or from:to:step', parsedBy(param))
      .addOption(
        new Option('--search <how>', 'which points are played').choices(['grid', 'random', 'halving']).default('grid'),
      )
      .option('--points <n>', 'number of points of random and halving (default: 64)', wholeNumber(1, 1_000_000_000))
      .option('--objective <figure>', 'figure to maximize or minimize', DEFAULT_OBJECTIVE)
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
      .option('--json', 'with --status: print one JSON object'),
  )
    .addHelpText('after', HELP)
    .action(async (file: string | undefined, given: GivenFlags, self: Command) => {
      const misused = (problem: string): never => self.error(`error: ${problem}`, { exitCode: EXIT.usage });
      if (given.status === true) {
        if (given.redis === undefined) misused('--status shows what is in Redis: give --redis URL');
        finish(await showStatus(given.redis ?? '', given.wait ?? DEFAULT_WAIT_MS, given.json === true));
        return;
      }
      if (file === undefined) misused("missing required argument 'config'");
      if (given.tape === undefined) misused("required option '--tape <file|dir...>' not specified");
      if (given.out === undefined) misused("required option '--out <dir>' not specified");
      if (given.redis !== undefined && given.key === undefined)
        misused(`with --redis give --key FILE, which workers have as well; ${makeKeyText('sweep.key')}`);
      finish(await sweep(file ?? '', given as Flags));
    });
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

const HELP = `
--param is <strategy>.<parameter>, or a key of the file such as risk.maxGameLoss:
  main.edge=0.01,0.015,0.02      these values
  main.edge=0.01:0.03:0.005      from, to, step
  main.edge=0.01:0.03            any value between; a grid uses five
  main.edge                      as the strategy's schema says: z.number().meta({ sweep: [0.01, 0.03] })
Without --param, every parameter whose schema has a range.

--search grid plays every combination; random spreads --points evenly (Sobol); halving plays the points on a ninth of the
games, the best third on a third, and the best third of these on all. --objective is a figure of the report of the run;
the default, edge.perPlace, is dollars of edge per place permit: at the close for fills before the start, 300 s later for
fills in play. It is maximized, except figures for which less is better (inventory.maxDrawdown, quoting.cancelsPerFill);
override that with quoting.meanDistance:least, or :most.

A setting that did best on the days that chose it does worse on others. --holdout 0.3 keeps the last 30 % of the days to
judge by; --walk-forward 5 chooses on all days before, and judges five days at a time. A game belongs to the day on
which it starts (days begin at risk.dayStartsAt), and its fills with it. A figure that is no sum over games
(quoting.atBest, inventory.worst) comes from runs over those games alone: with --holdout the best ten play once more,
with --walk-forward all points for each part. The verdict at the end may be no.

Writes into --out: sweep.json (settings, statistics, verdict), points.csv (one row per point), points.ndjson (each point
by game), heatmap.svg, best-1.html … (the report of the best three), and timing.json, the only file that depends on the
machine. The same inputs give the same bytes for any number of threads. After a kill, repeat the command with --resume.

With --redis the points are played by \`oddsmaker worker\` wherever it runs (docs/sweep.md): the results are the same
bytes. Redis carries strategy sources, the configuration without account and secrets, and results, all signed with
--key. Workers get missing tapes from this process; for other machines say where it listens: --serve 10.0.0.5:7070.

Exit:  0 done; 1 a point that ran twice had two results, or --strict a result that settles nothing; 2 a wrong
       command line, or --resume with other inputs; 65 a bad tape or results file, or something else writes into the
       keys of oddsmaker in Redis; 75 Redis is away or full for longer than --wait; 77 it refuses the password, or its
       certificate (rediss://) is not trusted; 78 a bad configuration or a folder that cannot be used, or no point could
       be played; 130 after Ctrl-C. A point that fails is a row with its problem, and the others continue.

Examples:
  oddsmaker sweep config/live.yaml --tape data/tapes --out data/edge --param main.edge=0.005:0.03:0.005
  oddsmaker sweep config/live.yaml --tape data/tapes --out data/two --search random --points 200 \\
    --param main.edge=0.005:0.03 --param main.skew=0:1 --holdout 0.3 --results scores.json
  oddsmaker sweep config/live.yaml --tape data/tapes --out data/two --search halving --points 500 --resume
  oddsmaker sweep config/live.yaml --tape data/tapes --out data/far --param main.edge --redis redis://10.0.0.5:6379 \\
    --key sweep.key --serve 10.0.0.7:7070
  oddsmaker sweep --status --redis redis://10.0.0.5:6379
`;

/** @throws InvalidArgumentError */
function openShare(text: string): number {
  const share = shareOfAll(text);
  if (share === 0 || share === 1) throw new InvalidArgumentError('expected a number above 0 and below 1');
  return share;
}

async function sweep(file: string, flags: Flags): Promise<ExitCode> {
  const unwatch = watchLoop(SIGNALS, () => {
    const workerNote = flags.redis === undefined ? '' : ', and workers play what is in the queue meanwhile';
    process.stderr.write(`\noddsmaker: interrupted; continue with the same command and --resume${workerNote}\n`);
    leave(INTERRUPTED);
  });
  try {
    // a bad key is reported before the tapes are read
    const key = flags.key === undefined ? undefined : readKey(flags.key);
    const plan = await planOf(file, flags);
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
  const players: Players =
    redis === undefined || key === undefined
      ? localPlayers(plan, options, progress)
      : await queuePlayer(plan, { out, budget, redis, serve, wait: wait ?? DEFAULT_WAIT_MS }, key, progress);
  try {
    return await runSearch(plan, {
      out,
      isFar: redis !== undefined,
      options,
      log,
      progress,
      players,
      isResumed: flags.resume === true,
    });
  } finally {
    players.close();
  }
}

type SearchRun = {
  readonly out: string;
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
  const ended = await searchPoints(search, log, play, (round, all, left) =>
    begin(search.kind === 'halving' ? `round ${round}: ` : '', all, left),
  );
  const separateTasks = await playSeparateRuns(search.inputs, plan, candidatesOf(plan, ended, log), log, (tasks, why) =>
    playMissing(tasks, log, play, (all, left) => begin(`${why}: `, all, left)),
  );
  return { ended, separateTasks };
}

async function runSearch(
  plan: Plan,
  { out, isFar, options, log, progress, players, isResumed }: SearchRun,
): Promise<ExitCode> {
  const begin = (name: string, all: number, left: number): void => {
    progress.beginSweep(name, all, left);
    if (left < all && isResumed) progress.note(`${all - left} of ${all} points are already known`);
  };
  const { ended, separateTasks } = await allPlayed(plan, log, players.play, begin).finally(() => progress.endSweep());
  const first = sweepReport(plan, ended, log);
  const { ranTwice, differences } = log;
  const knownDifferences = differences.length;
  const best = await bestReports(plan, first.judgement, log, options, progress);
  // a point with two different results is not judged
  const {
    files: figures,
    table,
    judgement,
  } = knownDifferences === differences.length ? first : sweepReport(plan, ended, log);
  const files = { ...figures, ...best };
  log.finish([...ended.tasks, ...separateTasks]);
  const { played: count, ms } = progress.timing;
  const timing = {
    schema: 1,
    ms,
    threads: isFar ? null : options.threads,
    points: count,
    pointsPerSecond: (1000 * count) / ms,
    ranTwice,
  };
  writeOut(out, { ...files, 'timing.json': jsonText(timing) });
  await players.end();
  for (const { task } of log.differences)
    process.stderr.write(
      `oddsmaker: POINTS_DIFFER: point ${task.point.number} (${settingsText(task.point)}) was played twice with different results; sweep.json has both, and the point is not judged\n`,
    );
  process.stdout.write(`${table}written to ${out}: ${Object.keys(files).join(', ')}, points.ndjson, timing.json\n`);
  if (log.differences.length > 0) return EXIT.failed;
  return judgement === undefined ? EXIT.badConfig : EXIT.done;
}
