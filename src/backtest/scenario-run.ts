// Runs one scenario of a backtest over all its tapes, in any thread. The job and its results are plain
// values, so that they pass between threads.
import type { BacktestOptions, ScenarioRun } from './scenario-types.ts';
import { runScenario } from './run-scenario.ts';
import type { Longest, MarketSource } from './market-source.ts';
import type { Tape, TapeCount } from '../tape/index.ts';
import type { TransferredConfig, LoadedConfig } from '../config/index.ts';
import { OddsmakerError } from '../domain/index.ts';
import { beginGeneration, codeOf } from '../strategy/host/index.ts';
import { openJournal } from './out.ts';
import { startProfile } from './profile/profile-run.ts';
import type { RunProfile } from './profile/run-profile.ts';
import type { TapeFlags } from './tapes.ts';
import { openTapes } from './tapes.ts';
import { backtestSettings, expirationMinutesOf, loadCoreSettings, ruleOf } from '../setup/index.ts';

export type ScenarioJob = Pick<
  BacktestOptions,
  | 'latency'
  | 'signalLatency'
  | 'strategyTime'
  | 'keepsQuotes'
  | 'keepsOrders'
  | 'seed'
  | 'fills'
  | 'calibrated'
  | 'fromMs'
  | 'toMs'
  | 'results'
  | 'balance'
> & {
  readonly tapes: readonly Tape[];
  readonly reading: TapeFlags;
  /**
   * The hash of the strategy files when the backtest began (codeOf). Undefined when they cannot change
   * meanwhile.
   */
  readonly code: string | undefined;
  /** The folder for the journal. Undefined when no journal is written. */
  readonly journalIn: string | undefined;
  /** The folder for the profiles of the thread. Undefined when the run is not profiled. */
  readonly profileIn?: string | undefined;
};

/** The job in the form that is sent to a thread. */
export type ScenarioTask = {
  readonly job: ScenarioJob;
  /** The configuration that the backtest read. */
  readonly loaded: TransferredConfig;
};

/** Progress messages of a thread: the calls of ScenarioProgress. */
export type ScenarioMessage =
  | { readonly what: 'read'; readonly tape: number; readonly share: number }
  | { readonly what: 'shown'; readonly frames: number; readonly atMs: number };

export type ScenarioDone = {
  readonly run: ScenarioRun;
  /** Per tape: the frames that were played, and the counts of its lines. */
  readonly frames: readonly number[];
  readonly counts: readonly TapeCount[];
  readonly longest: readonly Longest[];
  /** Where the time went. Undefined unless it was asked for. */
  readonly profile?: RunProfile | undefined;
};

export type ScenarioProgress = {
  /** Reports the share of one tape that has been read, 0 … 1. */
  readonly read: (tape: number, share: number) => void;
  /** Reports the number of frames played, and the tape time reached, Unix ms. */
  readonly show: NonNullable<BacktestOptions['onProgress']>;
  readonly observe?: BacktestOptions['observe'];
};

/**
 * Runs a job. Strategy files are loaded afresh, so state that they keep outside `create` belongs to this run
 * only, in any thread and order.
 * @throws OddsmakerError TAPE_INVALID, OUT_UNWRITABLE, STRATEGY_*
 */
export async function runJob(
  { tapes, reading, code, journalIn, profileIn, ...job }: ScenarioJob,
  loaded: LoadedConfig,
  { read, show, observe }: ScenarioProgress,
): Promise<ScenarioDone> {
  const generation = beginGeneration();
  const { settings, strategies, modules } = await loadCoreSettings(loaded, generation);
  if (code !== undefined && codeOf(generation) !== code)
    throw new OddsmakerError(
      'STRATEGY_INVALID',
      'a strategy file, or a file that it imports, changed while the backtest ran',
    );
  const journal = journalIn === undefined ? undefined : openJournal(journalIn, job.fills, loaded, strategies);
  const { market, counts } = openTapes(tapes, reading, read);
  const profiling = profileIn === undefined ? undefined : await startProfile(profileIn, job.fills, modules, generation);
  const played = backtestSettings(settings);
  const run = await runScenario(market, {
    ...job,
    settings: profiling?.marked(played) ?? played,
    impure: new Set(
      settings.strategies.flatMap(({ id }, index) => (loaded.config.strategies[index]?.impure === true ? [id] : [])),
    ),
    windows: {
      place: ruleOf(loaded, 'place'),
      cancel: ruleOf(loaded, 'cancel'),
      read: ruleOf(loaded, 'reads'),
    },
    requestTimeoutMs: loaded.config.exchange.requestTimeout,
    expirationMinutes: expirationMinutesOf(loaded),
    journal,
    onProgress: show,
    observe,
  })
    .catch((error: unknown) => {
      profiling?.cancel();
      throw error;
    })
    .finally(() => journal?.close());
  const profile = await profiling?.end();
  const frames = [...market.frames];
  // left-out lines are counted to the end of the tapes, even when the run stopped before
  if (reading.lenient || tapes.some(({ isSegment }) => isSegment)) await readOn(market);
  await market.close();
  return { run, frames, counts, longest: market.longest, ...(profile === undefined ? {} : { profile }) };
}

/** Reads the tapes to their end. Errors after the end of the run do not concern it. */
async function readOn(market: MarketSource): Promise<void> {
  try {
    while (await market.fill()) while (market.next() !== undefined);
  } catch (error) {
    if (!(error instanceof OddsmakerError)) throw error;
  }
}
