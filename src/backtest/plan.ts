// Plans a backtest from its command line. Every error is reported before anything is written.
import { RESULTS } from '../report/index.ts';
import type { ReportKind } from '../report/index.ts';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fillModelOf } from './fill-model-file.ts';
import { tooSlow } from './latency.ts';
import { readResults } from './results-file.ts';
import type { Tape } from '../tape/index.ts';
import { sha256Of } from '../tape/index.ts';
import type { LoadedConfig } from '../config/index.ts';
import { loadOffline } from '../config/index.ts';
import type { TapeStart } from '../domain/index.ts';
import { isoTime, OddsmakerError, parseTimeOfDay, tapeStartMs } from '../domain/index.ts';
import { beginGeneration, codeOf, filesOf } from '../strategy/host/index.ts';
import type { StrategyModule } from '../strategy/host/index.ts';
import { latencyOf, namedJournal, otherRunNote, realRunOf } from './read-journals.ts';
import type { Job } from './jobs/jobs.ts';
import { readJobs } from './jobs/read-jobs.ts';
import { prepareOut, VARIATIONS } from './out.ts';
import type { Candidate, Played } from './play.ts';
import type { ReportGiven } from './report-files.ts';
import type { FillsFlag } from './scenarios.ts';
import { selectedBy } from './scenarios.ts';
import type { StrategyLatencyFlag } from './strategy-time/latency-flag.ts';
import { latencyTextOf, refusedWith, unknownStrategyIn } from './strategy-time/latency-flag.ts';
import { readTimeTable } from './strategy-time/time-table.ts';
import { findTapes, firstFrameOf } from './tapes.ts';
import { VERSION } from '../files/index.ts';
import { loadCoreSettings, refuseImpure } from '../setup/index.ts';
import type { Varied, Variation } from './variations.ts';
import { overridesFor, variationsOf, withSettings } from './variations.ts';

export type BacktestFlags = {
  readonly tape: readonly string[];
  readonly out: string;
  readonly from?: TapeStart;
  readonly to?: TapeStart;
  readonly fills: FillsFlag;
  readonly report?: ReportKind;
  readonly latency?: string;
  readonly signalLatency?: string;
  readonly strategyLatency?: StrategyLatencyFlag;
  readonly seed: number;
  readonly results?: string;
  readonly strict?: true;
  readonly calibrate?: string;
  readonly calibratedShare?: number;
  readonly fillModel?: string;
  readonly vary?: readonly Varied[];
  readonly journal?: true;
  readonly profile?: true;
  readonly orders?: true;
  readonly lookAheadCheck?: true;
  readonly quotes?: true;
  readonly lenient?: true;
  readonly depth?: number;
  readonly cache: boolean;
  readonly threads?: number;
  readonly watch?: true;
  readonly onlyMarket?: string;
  readonly independent?: true;
};

export type BacktestPlan = {
  readonly candidates: readonly Candidate[];
  /** Several variations are played, each into a folder of its own. */
  readonly isVaried: boolean;
  readonly played: Played;
  /** The parts that are played one by one. Undefined: one run plays all tapes. */
  readonly jobs: readonly Job[] | undefined;
  readonly given: Omit<ReportGiven, 'began'>;
  /** Number of scenarios that run at once, and whether each runs in a thread of its own. */
  readonly atOnce: number;
  readonly inThreads: boolean;
  /** The requested start of trading, as text with its time. */
  readonly start: string;
};

/** Reports a problem of the command line with its usage, and ends the process. */
type Misused = (problem: string) => never;

/**
 * Bytes of tape from which threads pay off. With less, a thread has played most of it before its code is
 * optimized.
 */
const WORTH_THREADS = 20_000_000;
/** The same in frames, which are known when tapes are split into jobs. */
const WORTH_THREADS_FRAMES = 50_000;

/**
 * Checks the flags, reads the inputs and creates the folders of --out, without writing into them. `loaded`:
 * called with the strategy modules before tapes are read.
 * @throws OddsmakerError
 */
export async function backtestPlan(
  file: string,
  flags: BacktestFlags,
  misused: Misused,
  loaded: (modules: readonly StrategyModule[]) => void,
): Promise<BacktestPlan> {
  refuseContradictions(flags, misused);
  const { calibrate: journal, calibratedShare, fills } = flags;
  const fillModel = fillModelOf(flags.fillModel);
  const config = loadOffline(file, process.env);
  const candidates = await candidatesOf(config, flags);
  loaded([...new Map(candidates.flatMap(({ modules }) => modules.map((mod) => [mod.id + mod.url, mod]))).values()]);
  const results = flags.results === undefined ? undefined : readResults(flags.results);
  const resultsFile = flags.results === undefined ? null : await namedFile(flags.results);
  const latencies = await latenciesOf(flags, config, candidates, misused);
  const real = journal === undefined ? undefined : { ...(await realRunOf(journal)), journal };
  const realJournal = journal === undefined ? undefined : await namedJournal(journal);
  if (journal !== undefined) await noteOtherRun(journal, config, candidates);
  const tapes = await findTapes(flags.tape);
  noteSame(tapes);
  const isVaried = (flags.vary ?? []).length > 0;
  prepareOut(flags.out, isVaried ? VARIATIONS : RESULTS);
  for (const { out } of candidates) if (out !== flags.out) prepareOut(out, RESULTS);
  const { from, fromMs, toMs } = await windowOf(tapes, flags, real, misused);
  const scenarios = selectedBy(fills);
  const { jobs, atOnce, inThreads } = await splitting(tapes, flags, candidates);
  return {
    candidates,
    isVaried,
    jobs,
    atOnce,
    inThreads,
    start: `${flags.from === undefined && journal !== undefined ? `the run of ${journal}` : '--from'} (${isoTime(from)})`,
    played: {
      tapes,
      fromMs,
      toMs,
      results,
      scenarios,
      real,
      calibrated: calibratedShare === undefined ? { model: fillModel.model } : { share: calibratedShare },
      reading: {
        lenient: flags.lenient === true,
        // threads only use the cache, so that no two of them write it
        cache: !flags.cache ? 'none' : inThreads ? 'use' : 'make',
        depth: flags.depth,
        onlyMarket: flags.onlyMarket,
      },
      ...latencies.played,
      keepsQuotes: flags.quotes === true,
      keepsOrders: flags.orders === true,
      seed: flags.seed,
      withJournal: flags.journal === true,
      withProfile: flags.profile === true,
    },
    given: {
      tapes,
      fills,
      atOnce,
      realJournal,
      ...givenBy(flags, fillModel.file),
      inputs: {
        version: VERSION,
        seed: flags.seed,
        depth: flags.depth ?? null,
        ...latencies.inputs,
        results: resultsFile,
        from: fromMs === undefined ? null : isoTime(fromMs),
        to: toMs === undefined ? null : isoTime(toMs),
        ...(flags.onlyMarket === undefined ? {} : { onlyMarket: flags.onlyMarket }),
      },
    },
  };
}

/** The latencies of requests, prices, signals and strategies, as they are played and as the result names them. */
async function latenciesOf(
  flags: BacktestFlags,
  { config: { strategies } }: LoadedConfig,
  candidates: readonly Candidate[],
  misused: Misused,
) {
  const latency = await latencyOf(flags.latency);
  const signalLatency = flags.signalLatency === undefined ? undefined : await latencyOf(flags.signalLatency);
  const latencyJournal = latency.journal === undefined ? null : await namedJournal(latency.journal);
  refuseSlow(latency, candidates, misused);
  const { strategyLatency: asked } = flags;
  const ids = strategies.map(({ id }) => id);
  const unknown = unknownStrategyIn(asked, ids);
  if (unknown !== undefined) misused(unknown);
  const strategyLatency = asked?.kind === 'file' ? await readTimeTable(asked.file) : asked;
  return {
    played: { latency: latency.model, signalLatency: signalLatency?.model, strategyLatency },
    inputs: {
      latency: latency.text,
      signalLatency: signalLatency?.text ?? latency.text,
      latencyJournal,
      ...(asked === undefined ? {} : { strategyLatency: latencyTextOf(asked) }),
    },
  };
}

/** The jobs, and how many of them, or of the scenarios, run at once. @throws OddsmakerError TAPE_INVALID */
async function splitting(
  tapes: readonly Tape[],
  flags: BacktestFlags,
  candidates: readonly Candidate[],
): Promise<Pick<BacktestPlan, 'jobs' | 'atOnce' | 'inThreads'>> {
  const [first] = candidates;
  // --calibrate measures against one run of a bot, so it plays one as well
  const jobs =
    flags.calibrate === undefined && first !== undefined
      ? await readJobs(tapes, {
          lenient: flags.lenient === true,
          cache: flags.cache ? 'make' : 'none',
          threads: threadsFor(tapes, flags, 1, undefined),
          startsAtMs: parseTimeOfDay(first.loaded.config.risk.dayStartsAt) ?? 0,
          isIndependent: flags.independent === true,
        })
      : undefined;
  const most = jobs?.length ?? selectedBy(flags.fills).length * candidates.length;
  const atOnce = Math.min(threadsFor(tapes, flags, candidates.length, jobs), most);
  // a thread's end frees its strategy files, and an error in one run does not affect the others
  return { jobs, atOnce, inThreads: atOnce > 1 || (flags.vary ?? []).length > 0 };
}

/** The most scenarios, or jobs, that may run at once. */
function threadsFor(
  tapes: readonly Tape[],
  { watch, threads, strategyLatency }: BacktestFlags,
  candidates: number,
  jobs: readonly Job[] | undefined,
): number {
  // a thread compiles its code again: only this one stays warm
  if (watch === true) return 1;
  if (threads !== undefined) return threads;
  // a thread beside it slows what is measured
  if (strategyLatency?.kind === 'measured') return 1;
  const bytes = tapes.reduce((sum, tape) => sum + tape.bytes, 0);
  const frames = jobs?.reduce((sum, job) => sum + job.frames, 0) ?? 0;
  const isLong = bytes * candidates >= WORTH_THREADS || frames * candidates >= WORTH_THREADS_FRAMES;
  return isLong ? availableParallelism() : 1;
}

/** Prints a note to stderr when the run of the journal had another configuration. */
async function noteOtherRun(
  journal: string,
  { config }: LoadedConfig,
  candidates: Awaited<ReturnType<typeof candidatesOf>>,
): Promise<void> {
  const otherRun = await otherRunNote(journal, config, candidates[0]?.strategies ?? []);
  if (otherRun !== undefined) process.stderr.write(`${otherRun}\n`);
}

/** The flags in the form that the reports take. */
const givenBy = (flags: BacktestFlags, modelFile: ReturnType<typeof fillModelOf>['file']) => ({
  depth: flags.depth,
  scores: flags.results,
  modelFile,
  more: { orders: flags.orders === true, quotes: flags.quotes === true },
  report: flags.report,
});

/** Refuses flags that contradict each other. */
function refuseContradictions(
  {
    calibrate: journal,
    calibratedShare,
    fillModel,
    fills,
    vary = [],
    lookAheadCheck,
    watch,
    independent,
    strategyLatency,
    profile,
  }: BacktestFlags,
  misused: Misused,
): void {
  const isVaried = vary.length > 0;
  if (journal !== undefined && calibratedShare !== undefined)
    misused('--calibrate sets the lean of a model, and --calibrated-share uses no model: give only one of them');
  if (fillModel !== undefined && calibratedShare !== undefined)
    misused('--calibrated-share uses no model: give either it or --fill-model');
  if ((journal ?? calibratedShare ?? fillModel) !== undefined && !selectedBy(fills).includes('calibrated'))
    misused(
      `--calibrate, --calibrated-share and --fill-model concern the calibrated scenario: they have no effect with --fills ${fills}`,
    );
  if (journal !== undefined && isVaried)
    misused('--calibrate measures by the configuration of its run: measure first, then --vary with --fill-model');
  if (lookAheadCheck === true && isVaried) misused('--look-ahead-check plays one configuration: leave --vary out');
  if (watch === true && isVaried) misused('--watch plays one configuration: leave --vary out');
  if (independent === true && journal !== undefined)
    misused('--calibrate measures against one run, whose games share windows and limits: leave --independent out');
  const timed = refusedWith(strategyLatency, { vary: isVaried, calibrate: journal, lookAheadCheck, watch, profile });
  if (timed !== undefined) misused(timed);
  if (watch === true && journal !== undefined)
    misused('--watch plays one model: calibrate first, then --watch with --fill-model');
}

function refuseSlow(latency: Parameters<typeof tooSlow>[0], candidates: readonly Candidate[], misused: Misused): void {
  const problem = tooSlow(latency, Math.min(...candidates.map(({ loaded }) => loaded.config.exchange.requestTimeout)));
  if (problem !== undefined) misused(problem);
}

function noteSame(tapes: readonly Tape[]): void {
  for (const [index, { file, sha256 }] of tapes.entries()) {
    const earlier = tapes.slice(0, index).find((other) => other.sha256 === sha256);
    if (earlier !== undefined)
      process.stderr.write(`oddsmaker: ${file} is the same recording as ${earlier.file}: it is played twice\n`);
  }
}

/**
 * The time to trade, Unix ms. `fromMs`: undefined when nothing lies before the start. `toMs`: undefined to
 * play to the end of the tapes.
 */
async function windowOf(
  tapes: readonly Tape[],
  flags: BacktestFlags,
  real: Played['real'],
  misused: Misused,
): Promise<{
  readonly from: number;
  readonly fromMs: number | undefined;
  readonly toMs: number | undefined;
}> {
  const first = await firstFrameOf(tapes, flags.lenient === true);
  const from = flags.from === undefined && real !== undefined ? real.fromMs : tapeStartMs(flags.from, first);
  const toMs = flags.to === undefined ? real?.toMs : tapeStartMs(flags.to, first);
  if (toMs !== undefined && toMs <= Math.max(from, first))
    misused(
      real !== undefined && flags.to === undefined
        ? `the run of ${real.journal} ended (${isoTime(toMs)}) before the tapes begin (${isoTime(first)})`
        : `--to (${isoTime(toMs)}) is not after the start (${isoTime(from)})`,
    );
  // nothing can be traded before the first frame
  return { from, fromMs: from > first ? from : undefined, toMs };
}

/**
 * The candidates: the configuration, or its variations by --vary.
 * @throws OddsmakerError STRATEGY_*, CONFIG_INVALID
 */
async function candidatesOf(
  config: LoadedConfig,
  { vary = [], out }: Pick<BacktestFlags, 'vary' | 'out'>,
): Promise<readonly Candidate[]> {
  const variations = variationsOf(vary);
  const candidates: Candidate[] = [];
  for (const [index, variation] of variations.entries()) {
    const run = String(index + 1).padStart(String(variations.length).length, '0');
    const own =
      variation.length === 0
        ? { run: '', out, ...(await loadedWith(config)) }
        : { run, out: join(out, run), ...(await variedWith(variation, config)) };
    candidates.push({ variation, ...own });
  }
  return candidates;
}

/**
 * Loads the strategy files of a configuration.
 * @throws OddsmakerError STRATEGY_*, CONFIG_INVALID
 */
async function loadedWith(
  loaded: LoadedConfig,
): Promise<Pick<Candidate, 'loaded' | 'strategies' | 'modules' | 'code' | 'files'>> {
  const generation = beginGeneration();
  const { strategies, modules } = await loadCoreSettings(loaded, generation);
  refuseImpure(strategies, loaded.config.strategies);
  return { loaded, strategies, modules, code: codeOf(generation), files: filesOf(generation) };
}

/**
 * Loads a configuration with the settings of a variation.
 * @throws OddsmakerError as `loadedWith` does, with the settings in the message
 */
async function variedWith(variation: Variation, { config, file }: LoadedConfig): ReturnType<typeof loadedWith> {
  try {
    return await loadedWith(loadOffline(file, process.env, overridesFor(variation, config, file)));
  } catch (error) {
    throw error instanceof OddsmakerError ? withSettings(error, variation) : error;
  }
}

const namedFile = async (file: string): Promise<{ readonly file: string; readonly sha256: string }> => ({
  file,
  sha256: await sha256Of(file),
});
