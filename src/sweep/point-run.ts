// Plays one point of a sweep from its bundle. Input and output are plain values, for any thread or machine.
import type { ScenarioRun } from '../backtest/index.ts';
import type { Tape } from '../tape/index.ts';
import { unpackConfig, withEnvironment } from '../config/index.ts';
import type { GameId } from '../domain/index.ts';
import { OddsmakerError } from '../domain/index.ts';
import { join } from 'node:path';
import type { ReportScenario } from '../report/index.ts';
import { reportScenario } from '../report/index.ts';
import { findPackagesIn } from '../strategy/host/index.ts';
import { objectiveOf } from './objective.ts';
import type { Outcome } from './outcome.ts';
import type { Setting } from './point.ts';
import { eventLogOf, playInTurn } from '../backtest/index.ts';
import { PointFigures } from './point-figures.ts';
import type { SweepBundle } from './bundle.ts';
import { configAt } from './bundle.ts';

/** A bundle with its tapes and strategies on this machine. */
export type OpenBundle = {
  readonly bundle: SweepBundle;
  readonly tapes: readonly Tape[];
  /** The unpacked file of each strategy. */
  readonly files: readonly string[];
  /** The folder of the unpacked files, and the folder from which packages that they import are resolved. */
  readonly folder: string;
  readonly home: string;
};

export type PointJob = {
  readonly open: OpenBundle;
  readonly settings: readonly Setting[];
  readonly games: readonly GameId[] | undefined;
  /** Present when the report is wanted as well. */
  readonly withReport?: true;
};

export type PointDone = {
  readonly outcome: Outcome;
  /** The report. Undefined when it was not wanted, or the point failed. */
  readonly report?: PointReport;
  /**
   * Present when this machine lacks what the point needs or cannot read it: the failure says nothing about
   * the point.
   */
  readonly isMachineFault?: true;
};

export type PointReport = {
  readonly scenario: ReportScenario;
  /** The time range in which the run traded, Unix ms. */
  readonly traded: ScenarioRun['traded'];
};

/** Errors of this machine: the tapes were read and the strategies unpacked before, so both existed. */
const MACHINE_FAULTS: ReadonlySet<string> = new Set(['TAPE_INVALID', 'STRATEGY_NOT_FOUND']);

/** Plays a point. An error of the point is its outcome, not an exception. */
export async function playPoint(
  { open, settings, games, withReport }: PointJob,
  progress: (share: number) => void = () => undefined,
): Promise<PointDone> {
  const { bundle, tapes, files, folder, home } = open;
  findPackagesIn(home, folder);
  // results must not contain paths of this machine
  const withoutPaths = (text: string): string => text.replaceAll(`file://${folder}/`, '').replaceAll(`${folder}/`, '');
  try {
    // a bundle has no secrets, only the names of environment variables
    const config = withEnvironment(configAt(bundle, settings), process.env);
    const strategies = config.strategies.map((strategy, index) => ({ ...strategy, use: files[index] ?? strategy.use }));
    const objective = objectiveOf(bundle.objective);
    const figures = new PointFigures();
    const results = bundle.results === null ? undefined : new Map(bundle.results);
    const run = await playInTurn(
      {
        tapes,
        reading: { lenient: bundle.lenient, cache: 'use', depth: bundle.depth ?? undefined, games },
        latency: bundle.latency,
        signalLatency: bundle.signalLatency,
        strategyTime: bundle.strategyLatency,
        seed: bundle.seed,
        fills: bundle.scenario,
        results,
        calibrated: bundle.calibrated,
        fromMs: bundle.from ?? undefined,
        toMs: bundle.to ?? undefined,
        code: undefined,
        journalIn: undefined,
      },
      bundle.jobs ?? undefined,
      unpackConfig({ config: { ...config, strategies }, file: join(folder, bundle.configFile) }),
      { progress, observe: (commands, phaseIn) => figures.observe(commands, phaseIn) },
    );
    if (run.traded === undefined)
      return {
        outcome: {
          status: 'failed',
          code: 'TAPE_INVALID',
          problem: 'the tapes have nothing between --from and --to',
        },
      };
    const outcome = figures.outcome(run, objective, bundle.seed);
    return {
      outcome: { ...outcome, errors: outcome.errors.map(withoutPaths) },
      ...(withReport === true ? { report: reportOf(run, bundle.seed) } : {}),
    };
  } catch (error) {
    if (error instanceof OddsmakerError)
      return {
        outcome: { status: 'failed', code: error.code, problem: withoutPaths(error.message) },
        ...(MACHINE_FAULTS.has(error.code) ? { isMachineFault: true } : {}),
      };
    throw error;
  }
}

const reportOf = ({ facts, busiest, result, traded }: ScenarioRun, seed: number): PointReport => ({
  scenario: reportScenario(facts, busiest, eventLogOf(result), seed),
  traded,
});
