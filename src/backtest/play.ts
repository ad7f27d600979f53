// What a backtest plays: every candidate, a configuration with what --vary made of it, in each scenario, some at once.
import type { Scenario } from '../report/index.ts';
import type { ScenarioRun, TapeContents } from './scenario-types.ts';
import type { RealRun } from './calibration.ts';
import { calibrate, filledBetween } from './calibration.ts';
import type { FillModel } from './fill-model.ts';
import type { BacktestResult } from './result.ts';
import { cents } from '../run/index.ts';
import type { Calibrated } from './scenarios.ts';
import type { LoadedConfig } from '../config/index.ts';
import { packConfig } from '../config/index.ts';
import { isoTime, OddsmakerError } from '../domain/index.ts';
import { attributeFault, isOfStrategy } from '../setup/index.ts';
import type { LoadedCore } from '../setup/index.ts';
import type { BacktestProgress } from './progress.ts';
import type { ScenarioDone, ScenarioJob, ScenarioTask, ScenarioMessage } from './scenario-run.ts';
import { runJob } from './scenario-run.ts';
import { inTurns, threadFile, ThreadPool } from './thread-pool.ts';
import type { Variation } from './variations.ts';
import { withSettings } from './variations.ts';

export type Candidate = {
  readonly variation: Variation;
  /** Its number, as its folder is named; empty where there is only one. */
  readonly run: string;
  /** The folder that its results go to. */
  readonly out: string;
  readonly loaded: LoadedConfig;
  readonly strategies: LoadedCore['strategies'];
  readonly modules: LoadedCore['modules'];
  /** Of its strategy files (codeOf). */
  readonly code: string;
};

/** What all of them share. */
export type Played = Pick<
  ScenarioJob,
  | 'tapes'
  | 'reading'
  | 'latency'
  | 'signalLatency'
  | 'keepsQuotes'
  | 'keepsOrders'
  | 'seed'
  | 'fromMs'
  | 'toMs'
  | 'results'
> & {
  readonly scenarios: readonly Scenario[];
  /** What the calibrated scenario goes by, as it was told; a model may be measured yet. */
  readonly calibrated: Calibrated;
  /** The run that the lean of the model is measured by. */
  readonly real: (RealRun & { readonly journal: string }) | undefined;
  readonly withJournal: boolean;
};

export type Calibration = {
  readonly calibrated: Calibrated;
  readonly by: Omit<NonNullable<BacktestResult['inputs']['calibratedBy']>, 'file' | 'sha256'>;
};

export type Outcome = {
  /** In the order of the scenarios. */
  readonly ended: readonly (ScenarioDone & { readonly scenario: Scenario; readonly ms: number })[];
  readonly calibrated: Calibrated;
  readonly calibration: Calibration | undefined;
  /** When the first of them began (performance.now() ms). */
  readonly beganAt: number;
};

/** One run over all tapes, under a name for its progress. */
type Once = (scenario: Scenario, calibrated: Calibrated, name: string, journalIn?: string) => Promise<ScenarioDone>;

/**
 * `ended`: called for each candidate whose scenarios have all been played. `untraded`: nothing of the tapes lies in the time
 * that is asked for. Rejects with the first that fails.
 */
export async function playAll(
  candidates: readonly Candidate[],
  played: Played,
  { atOnce, inThreads }: { readonly atOnce: number; readonly inThreads: boolean },
  progress: BacktestProgress,
  on: {
    readonly ended: (candidate: Candidate, outcome: Outcome) => void;
    readonly untraded: (seen: TapeContents) => never;
  },
): Promise<void> {
  const { scenarios, real, withJournal, ...shared } = played;
  const threads = new ThreadPool<ScenarioTask, ScenarioDone, ScenarioMessage>(
    threadFile('scenario-thread', import.meta.url),
    atOnce,
  );
  const onceOf =
    ({ run, variation, loaded, modules, code }: Candidate): Once =>
    async (scenario, calibrated, name, journalIn) => {
      const shown = progress.begin(run === '' ? name : `${run} of ${candidates.length} ${name}`);
      const job: ScenarioJob = { ...shared, code, journalIn, fills: scenario, calibrated };
      const done = await (
        inThreads
          ? threads.run(
              { job, loaded: packConfig(loaded) },
              {
                hear: (told) => (told.what === 'read' ? shown.read(told.tape, told.share) : shown.show(told)),
              },
            )
          : runJob(job, loaded, shown)
      )
        .catch((error: unknown) => {
          const told = error instanceof OddsmakerError ? error : attributeFault(modules, error);
          throw told instanceof OddsmakerError && isOfStrategy(told.code) ? withSettings(told, variation) : told;
        })
        .finally(() => shown.end());
      return done.run.traded === undefined ? on.untraded(done.run.seen) : done;
    };
  // what takes longest begins first, and a journal that nothing can be scored by is told at once
  const inOrder = real === undefined ? scenarios : [...scenarios].sort(calibratedFirst);
  const tasks = candidates.flatMap((candidate) => {
    const once = onceOf(candidate);
    let calibration: Calibration | undefined;
    let firstAt = Number.POSITIVE_INFINITY;
    const dones = new Map<Scenario, ScenarioDone & { readonly ms: number }>();
    return inOrder.map((scenario) => async () => {
      firstAt = Math.min(firstAt, performance.now());
      if (scenario === 'calibrated' && real !== undefined && 'model' in played.calibrated)
        calibration = await score(real, played.calibrated.model, once);
      const calibrated = calibration?.calibrated ?? played.calibrated;
      const beganAt = performance.now();
      const done = await once(scenario, calibrated, scenario, withJournal ? candidate.out : undefined);
      dones.set(scenario, { ...done, ms: Math.round(performance.now() - beganAt) });
      if (dones.size < scenarios.length) return;
      const ended = scenarios.flatMap((of) => {
        const one = dones.get(of);
        return one === undefined ? [] : [{ scenario: of, ...one }];
      });
      on.ended(candidate, {
        ended,
        calibrated: calibration?.calibrated ?? played.calibrated,
        calibration,
        beganAt: firstAt,
      });
      // of many candidates, each leaves its figures alone behind
      dones.clear();
    });
  });
  try {
    await inTurns(tasks, atOnce);
  } finally {
    await threads.stop();
  }
}

const calibratedFirst = (a: Scenario, b: Scenario): number => Number(b === 'calibrated') - Number(a === 'calibrated');

/**
 * The lean of the model at which the backtest fills as much as the run did while both were at it.
 * @throws OddsmakerError JOURNAL_INVALID when the run filled nothing in that time
 */
async function score(real: RealRun & { readonly journal: string }, model: FillModel, once: Once): Promise<Calibration> {
  const fillsAt = new Map<number, number>();
  const runAt = async (lean: number): Promise<ScenarioRun> => {
    const leaning = { model: { ...model, lean } };
    const { run } = await once('calibrated', leaning, `calibrating ${fillsAt.size + 1}: lean ${lean}`);
    fillsAt.set(lean, run.result.fills);
    return run;
  };
  // where the tapes end is known once they were played
  const none = await runAt(0);
  const { fromMs, toMs } = none.traded ?? { fromMs: 0, toMs: 0 };
  const { fills, riskFilled } = filledBetween(real, fromMs, toMs);
  if (fills === 0)
    throw new OddsmakerError(
      'JOURNAL_INVALID',
      `${real.journal}: no fill between ${isoTime(fromMs)} and ${isoTime(toMs)}, so nothing to score by`,
    );
  const found = await calibrate(riskFilled, async (lean) =>
    lean === 0 ? none.result.riskFilled : (await runAt(lean)).result.riskFilled,
  );
  return {
    calibrated: { model: { ...model, lean: found.lean } },
    by: {
      fills,
      riskFilled: cents(riskFilled),
      backtested: found.riskFilled,
      backtestedFills: fillsAt.get(found.lean) ?? 0,
    },
  };
}
