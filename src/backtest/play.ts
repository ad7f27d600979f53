// Plays a backtest: every candidate (the configuration, or a variation of it by --vary) in each scenario,
// several at once.
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
import { ownModule } from '../files/index.ts';
import { attributeFault, isOfStrategy } from '../setup/index.ts';
import type { LoadedCore } from '../setup/index.ts';
import type { JobDrafts } from './jobs/job-files.ts';
import type { BacktestProgress } from './progress.ts';
import type { ScenarioDone, ScenarioJob, ScenarioTask, ScenarioMessage } from './scenario-run.ts';
import { runJob } from './scenario-run.ts';
import { inTurns, ThreadPool } from './thread-pool.ts';
import type { StrategyLatency } from './strategy-time/latency-flag.ts';
import { timeSourceOf } from './strategy-time/latency-flag.ts';
import type { Variation } from './variations.ts';
import { withSettings } from './variations.ts';

export type Candidate = {
  readonly variation: Variation;
  /** The number of the candidate, which names its folder. Empty when there is only one. */
  readonly run: string;
  /** The folder for its results. */
  readonly out: string;
  readonly loaded: LoadedConfig;
  readonly strategies: LoadedCore['strategies'];
  readonly modules: LoadedCore['modules'];
  /** The hash of its strategy files (codeOf), and the paths of these files. */
  readonly code: string;
  readonly files: readonly string[];
};

/** Inputs that all candidates share. */
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
  /** What decides the calibrated scenario, as given. The lean of a model may still be measured. */
  readonly calibrated: Calibrated;
  /** The real run by which the lean of the model is measured. */
  readonly real: (RealRun & { readonly journal: string }) | undefined;
  readonly withJournal: boolean;
  /** Each run is profiled in its thread. */
  readonly withProfile?: boolean;
  /** The virtual time that strategies take. Undefined: none. */
  readonly strategyLatency?: StrategyLatency | undefined;
};

export type Calibration = {
  readonly calibrated: Calibrated;
  readonly by: Omit<NonNullable<BacktestResult['inputs']['calibratedBy']>, 'file' | 'sha256'>;
};

export type Outcome = {
  /** The scenarios that were played, in their order. */
  readonly ended: readonly (ScenarioDone & { readonly scenario: Scenario; readonly ms: number })[];
  readonly calibrated: Calibrated;
  readonly calibration: Calibration | undefined;
  /** When the first scenario began (performance.now() ms). */
  readonly beganAt: number;
  /** Undefined when one run played all tapes. Otherwise the scenarios are sums without fills and markets. */
  readonly inJobs?: PlayedJobs | undefined;
};

/** What jobs add to an outcome: their list, and what is too large for memory as drafts. */
export type PlayedJobs = {
  readonly jobs: NonNullable<BacktestResult['jobs']>;
  readonly drafts: JobDrafts;
  /** Closing line value of each scenario, dollars. Null: no fill has a close. */
  readonly clv: ReadonlyMap<Scenario, number | null>;
};

const NO_FOLDERS = { journalIn: undefined };

/** Plays one run over all tapes. `name`: its name in the progress line. `folders`: for a run that is a result. */
type PlayRun = (
  scenario: Scenario,
  calibrated: Calibrated,
  name: string,
  folders?: Pick<ScenarioJob, 'journalIn' | 'profileIn'>,
) => Promise<ScenarioDone>;

/**
 * Plays all candidates. `ended` is called for each candidate when all its scenarios have been played;
 * `untraded` when no event of the tapes lies in the requested time. Rejects with the first failure.
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
  const { scenarios, real, withJournal, withProfile, strategyLatency, ...shared } = played;
  const threads = new ThreadPool<ScenarioTask, ScenarioDone, ScenarioMessage>(
    ownModule('backtest/scenario-thread'),
    atOnce,
  );
  const playerOf =
    (candidate: Candidate): PlayRun =>
    async (scenario, calibrated, name, folders = NO_FOLDERS) => {
      const { run, loaded, code } = candidate;
      const shown = progress.beginScenario(run === '' ? name : `${run} of ${candidates.length} ${name}`);
      const strategyTime = timeSourceOf(strategyLatency, scenario, '');
      const job: ScenarioJob = { ...shared, strategyTime, code, ...folders, fills: scenario, calibrated };
      const done = await (
        inThreads
          ? threads.run(
              { job, loaded: packConfig(loaded) },
              {
                onMessage: (event) => (event.what === 'read' ? shown.read(event.tape, event.share) : shown.show(event)),
              },
            )
          : runJob(job, loaded, shown)
      )
        .catch((error: unknown) => {
          throw failureOf(candidate, error);
        })
        .finally(() => shown.end());
      return done.run.traded === undefined ? on.untraded(done.run.seen) : done;
    };
  // the longest scenario begins first, so a journal that cannot be used for scoring fails at once
  const inOrder = real === undefined ? scenarios : [...scenarios].sort(calibratedFirst);
  const tasks = candidates.flatMap((candidate) => {
    const playRun = playerOf(candidate);
    let calibration: Calibration | undefined;
    let firstBeganAt = Number.POSITIVE_INFINITY;
    const dones = new Map<Scenario, ScenarioDone & { readonly ms: number }>();
    return inOrder.map((scenario) => async () => {
      firstBeganAt = Math.min(firstBeganAt, performance.now());
      if (scenario === 'calibrated' && real !== undefined && 'model' in played.calibrated)
        calibration = await score(real, played.calibrated.model, playRun);
      const calibrated = calibration?.calibrated ?? played.calibrated;
      const beganAt = performance.now();
      const done = await playRun(scenario, calibrated, scenario, {
        journalIn: withJournal ? candidate.out : undefined,
        profileIn: withProfile === true ? candidate.out : undefined,
      });
      dones.set(scenario, { ...done, ms: Math.round(performance.now() - beganAt) });
      if (dones.size < scenarios.length) return;
      const ended = scenarios.flatMap((name) => {
        const done = dones.get(name);
        return done === undefined ? [] : [{ scenario: name, ...done }];
      });
      on.ended(candidate, {
        ended,
        calibrated: calibration?.calibrated ?? played.calibrated,
        calibration,
        beganAt: firstBeganAt,
      });
      // frees the runs: only the figures of each candidate are kept
      dones.clear();
    });
  });
  try {
    await inTurns(tasks, atOnce);
  } finally {
    await threads.stop();
  }
}

/** The error of a run, attributed to its strategy, with the settings of the variation. */
export function failureOf({ modules, variation }: Pick<Candidate, 'modules' | 'variation'>, error: unknown): unknown {
  const reported = error instanceof OddsmakerError ? error : attributeFault(modules, error);
  return reported instanceof OddsmakerError && isOfStrategy(reported.code)
    ? withSettings(reported, variation)
    : reported;
}

const calibratedFirst = (a: Scenario, b: Scenario): number => Number(b === 'calibrated') - Number(a === 'calibrated');

/**
 * Measures the lean of the model at which the backtest fills as much as the real run did, while both ran.
 * @throws OddsmakerError JOURNAL_INVALID when the run filled nothing in that time
 */
async function score(
  real: RealRun & { readonly journal: string },
  model: FillModel,
  playRun: PlayRun,
): Promise<Calibration> {
  const fillsAt = new Map<number, number>();
  const runAt = async (lean: number): Promise<ScenarioRun> => {
    const leaning = { model: { ...model, lean } };
    const { run } = await playRun('calibrated', leaning, `calibrating ${fillsAt.size + 1}: lean ${lean}`);
    fillsAt.set(lean, run.result.fills);
    return run;
  };
  // the end of the tapes is known only after they have been played
  const none = await runAt(0);
  const { fromMs, toMs } = none.traded ?? { fromMs: 0, toMs: 0 };
  const { fills, riskFilled } = filledBetween(real, fromMs, toMs);
  if (fills === 0)
    throw new OddsmakerError(
      'JOURNAL_INVALID',
      `${real.journal}: no fill between ${isoTime(fromMs)} and ${isoTime(toMs)}, so the model cannot be scored`,
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
