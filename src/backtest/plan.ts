// What a backtest is to play, out of its command line: everything that can be wrong with it is told before anything is written.
import { RESULTS, SCENARIOS } from '../report/index.ts';
import type { Scenario } from '../report/index.ts';
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
import { isoTime, OddsmakerError, tapeStartMs } from '../domain/index.ts';
import { beginGeneration, codeOf } from '../strategy/host/index.ts';
import type { StrategyModule } from '../strategy/host/index.ts';
import { latencyOf, namedJournal, otherRunNote, realRunOf } from './read-journals.ts';
import { prepareOut, VARIATIONS } from './out.ts';
import type { Candidate, Played } from './play.ts';
import type { ReportGiven } from './report-files.ts';
import { findTapes, firstFrameOf } from './tapes.ts';
import { loadCoreSettings, refuseImpure, VERSION } from '../setup/index.ts';
import type { Varied, Variation } from './variations.ts';
import { overridesFor, variationsOf, withSettings } from './variations.ts';

export type BacktestFlags = {
  readonly tape: readonly string[];
  readonly out: string;
  readonly from?: TapeStart;
  readonly to?: TapeStart;
  readonly fills: Scenario | 'all';
  readonly latency?: string;
  readonly signalLatency?: string;
  readonly seed: number;
  readonly results?: string;
  readonly strict?: true;
  readonly calibrate?: string;
  readonly calibratedShare?: number;
  readonly fillModel?: string;
  readonly vary?: readonly Varied[];
  readonly journal?: true;
  readonly orders?: true;
  readonly lookAheadCheck?: true;
  readonly quotes?: true;
  readonly lenient?: true;
  readonly depth?: number;
  readonly cache: boolean;
  readonly threads?: number;
};

export type BacktestPlan = {
  readonly candidates: readonly Candidate[];
  /** Several settings are played, each into a folder of its own. */
  readonly isVaried: boolean;
  readonly played: Played;
  readonly given: Omit<ReportGiven, 'began' | 'withOptimistic'>;
  /** Scenarios at once; and whether each has a thread of its own. */
  readonly atOnce: number;
  readonly inThreads: boolean;
  /** Where trading was asked to start, as it is said, with its time. */
  readonly start: string;
};

/** Says what is wrong with the command line, and how it is used; ends it. */
type Misused = (problem: string) => never;

/** Bytes of tape to play. Of less, a thread has played most before its code is compiled well. */
const WORTH_THREADS = 20_000_000;

/** Makes the folders of --out, and writes nothing into them. `loaded`: told of the strategies before tapes are read. @throws OddsmakerError */
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
  loaded([...new Map(candidates.flatMap(({ modules }) => modules.map((one) => [one.id + one.url, one]))).values()]);
  const results = flags.results === undefined ? undefined : readResults(flags.results);
  const resultsFile = flags.results === undefined ? null : await namedFile(flags.results);
  const latency = await latencyOf(flags.latency);
  const signalLatency = flags.signalLatency === undefined ? undefined : await latencyOf(flags.signalLatency);
  const latencyJournal = latency.journal === undefined ? null : await namedJournal(latency.journal);
  refuseSlow(latency, candidates, misused);
  const real = journal === undefined ? undefined : { ...(await realRunOf(journal)), journal };
  const realJournal = journal === undefined ? undefined : await namedJournal(journal);
  if (journal !== undefined) await noteOtherRun(journal, config, candidates);
  const tapes = await findTapes(flags.tape);
  noteSame(tapes);
  const isVaried = (flags.vary ?? []).length > 0;
  prepareOut(flags.out, isVaried ? VARIATIONS : RESULTS);
  for (const { out } of candidates) if (out !== flags.out) prepareOut(out, RESULTS);
  const { from, fromMs, toMs } = await windowOf(tapes, flags, real, misused);
  const scenarios = fills === 'all' ? SCENARIOS : [fills];
  const bytes = tapes.reduce((sum, tape) => sum + tape.bytes, 0);
  const wanted = flags.threads ?? (bytes * candidates.length < WORTH_THREADS ? 1 : availableParallelism());
  const atOnce = Math.min(wanted, scenarios.length * candidates.length);
  // what many runs load goes with the thread that loaded it, and what one of them does wrong is its own
  const inThreads = atOnce > 1 || isVaried;
  return {
    candidates,
    isVaried,
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
        // threads do not get in each other's way
        cache: !flags.cache ? 'none' : inThreads ? 'use' : 'make',
        depth: flags.depth,
      },
      latency: latency.model,
      signalLatency: signalLatency?.model,
      keepsQuotes: flags.quotes === true,
      keepsOrders: flags.orders === true,
      seed: flags.seed,
      withJournal: flags.journal === true,
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
        latency: latency.text,
        signalLatency: signalLatency?.text ?? latency.text,
        latencyJournal,
        results: resultsFile,
        from: fromMs === undefined ? null : isoTime(fromMs),
        to: toMs === undefined ? null : isoTime(toMs),
      },
    },
  };
}

/** Says on stderr where the run of a journal was of another configuration. */
async function noteOtherRun(
  journal: string,
  { config }: LoadedConfig,
  candidates: Awaited<ReturnType<typeof candidatesOf>>,
): Promise<void> {
  const otherRun = await otherRunNote(journal, config, candidates[0]?.strategies ?? []);
  if (otherRun !== undefined) process.stderr.write(`${otherRun}\n`);
}

/** What the command line says, as the results name it. */
const givenBy = (flags: BacktestFlags, modelFile: ReturnType<typeof fillModelOf>['file']) => ({
  depth: flags.depth,
  scores: flags.results,
  modelFile,
  more: { orders: flags.orders === true, quotes: flags.quotes === true },
});

/** Flags of which one makes nothing of the other. */
function refuseContradictions(
  { calibrate: journal, calibratedShare, fillModel, fills, vary = [], lookAheadCheck }: BacktestFlags,
  misused: Misused,
): void {
  const isVaried = vary.length > 0;
  if (journal !== undefined && calibratedShare !== undefined)
    misused('--calibrate leans a model, and --calibrated-share uses none: give one of them');
  if (fillModel !== undefined && calibratedShare !== undefined)
    misused('--calibrated-share uses no model: give it or --fill-model');
  if ((journal ?? calibratedShare ?? fillModel) !== undefined && fills !== 'all' && fills !== 'calibrated')
    misused(`what vanished offers were in the calibrated scenario is of no use with --fills ${fills}`);
  if (journal !== undefined && isVaried)
    misused('--calibrate measures by the configuration of its run: measure first, then --vary with --fill-model');
  if (lookAheadCheck === true && isVaried) misused('--look-ahead-check plays one configuration: leave --vary out');
}

function refuseSlow(latency: Parameters<typeof tooSlow>[0], candidates: readonly Candidate[], misused: Misused): void {
  const problem = tooSlow(latency, Math.min(...candidates.map(({ loaded }) => loaded.config.exchange.requestTimeout)));
  if (problem !== undefined) misused(problem);
}

function noteSame(tapes: readonly Tape[]): void {
  for (const [index, { file, sha256 }] of tapes.entries()) {
    const same = tapes.slice(0, index).find((other) => other.sha256 === sha256);
    if (same !== undefined)
      process.stderr.write(`oddsmaker: ${file} is the recording of ${same.file} again: it is told twice\n`);
  }
}

/** Unix ms. `fromMs`: undefined where there is nothing before it; `toMs`: undefined: until the tapes end. */
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
  // before the first frame there is nothing to trade
  return { from, fromMs: from > first ? from : undefined, toMs };
}

/** The configuration, or what --vary makes of it. @throws OddsmakerError STRATEGY_*, CONFIG_INVALID */
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

/** A configuration with its strategy files. @throws OddsmakerError STRATEGY_*, CONFIG_INVALID */
async function loadedWith(
  loaded: LoadedConfig,
): Promise<Pick<Candidate, 'loaded' | 'strategies' | 'modules' | 'code'>> {
  const life = beginGeneration();
  const { strategies, modules } = await loadCoreSettings(loaded, life);
  refuseImpure(strategies, loaded.config.strategies);
  return { loaded, strategies, modules, code: codeOf(life) };
}

/** The same with other settings. @throws OddsmakerError as they are refused, with the settings */
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
