// One run of a backtest over all its tapes, in whatever thread: what it needs and what it came to are plain values.
import type { BacktestOptions, ScenarioRun } from './scenario-types.ts';
import { runScenario } from './backtest.ts';
import type { Longest, MarketSource } from './market-source.ts';
import type { Tape, TapeCount } from '../tape/index.ts';
import type { TransferredConfig, LoadedConfig } from '../config/index.ts';
import { OddsmakerError } from '../domain/index.ts';
import { beginGeneration, codeOf } from '../strategy/host/index.ts';
import { openJournal } from './out.ts';
import type { TapeFlags } from './tapes.ts';
import { openTapes } from './tapes.ts';
import { backtestSettings, expirationMinutesOf, loadCoreSettings, ruleOf } from '../setup/index.ts';

export type ScenarioJob = Pick<
  BacktestOptions,
  | 'latency'
  | 'signalLatency'
  | 'keepsQuotes'
  | 'keepsOrders'
  | 'seed'
  | 'fills'
  | 'calibrated'
  | 'fromMs'
  | 'toMs'
  | 'results'
> & {
  readonly tapes: readonly Tape[];
  readonly reading: TapeFlags;
  /** Of the strategy files, as they were when the backtest began (codeOf); undefined: nobody changes them meanwhile. */
  readonly code: string | undefined;
  /** The folder that its journal goes to; undefined: it writes none. */
  readonly journalIn: string | undefined;
};

/** A job as a thread gets it. */
export type ScenarioTask = {
  readonly job: ScenarioJob;
  /** As the backtest read it. */
  readonly loaded: TransferredConfig;
};

/** What a thread tells of it meanwhile: the calls of ScenarioProgress. */
export type ScenarioMessage =
  | { readonly what: 'read'; readonly tape: number; readonly share: number }
  | { readonly what: 'shown'; readonly frames: number; readonly atMs: number };

export type ScenarioDone = {
  readonly run: ScenarioRun;
  /** Of each tape: frames that were told, and what became of its lines. */
  readonly frames: readonly number[];
  readonly counts: readonly TapeCount[];
  readonly longest: readonly Longest[];
};

export type ScenarioProgress = {
  /** So much of one tape was read, 0 … 1. */
  readonly read: (tape: number, share: number) => void;
  /** So many frames were told, up to this time of the tapes, Unix ms. */
  readonly show: NonNullable<BacktestOptions['onProgress']>;
  readonly observe?: BacktestOptions['observe'];
};

/**
 * Strategy files are loaded anew: what they keep outside of `create` is of one run only, in whatever thread and order.
 * @throws OddsmakerError TAPE_INVALID, OUT_UNWRITABLE, STRATEGY_*
 */
export async function runJob(
  { tapes, reading, code, journalIn, ...job }: ScenarioJob,
  loaded: LoadedConfig,
  { read, show, observe }: ScenarioProgress,
): Promise<ScenarioDone> {
  const life = beginGeneration();
  const { settings, strategies } = await loadCoreSettings(loaded, life);
  if (code !== undefined && codeOf(life) !== code)
    throw new OddsmakerError(
      'STRATEGY_INVALID',
      'a strategy file, or one that it imports, was changed while the backtest ran',
    );
  const journal = journalIn === undefined ? undefined : openJournal(journalIn, job.fills, loaded, strategies);
  const { market, counts } = openTapes(tapes, reading, read);
  const run = await runScenario(market, {
    ...job,
    settings: backtestSettings(settings),
    impure: new Set(
      settings.strategies.flatMap(({ id }, at) => (loaded.config.strategies[at]?.impure === true ? [id] : [])),
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
  }).finally(() => journal?.close());
  const frames = [...market.frames];
  // what is left out is counted to the end, wherever the run stopped
  if (reading.lenient || tapes.some(({ isSegment }) => isSegment)) await readOn(market);
  await market.close();
  return { run, frames, counts, longest: market.longest };
}

/** What is wrong behind the end of the run does not concern it. */
async function readOn(market: MarketSource): Promise<void> {
  try {
    while (await market.fill()) while (market.next() !== undefined);
  } catch (error) {
    if (!(error instanceof OddsmakerError)) throw error;
  }
}
