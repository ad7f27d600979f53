// One point of a sweep, played from its bundle: what goes in and what comes out are plain values, in whatever thread or machine.
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
import { eventLogOf, runJob } from '../backtest/index.ts';
import { PointFigures } from './point-figures.ts';
import type { SweepBundle } from './bundle.ts';
import { configAt } from './bundle.ts';

/** A bundle where it can be played: its tapes and strategies lie on this machine. */
export type OpenBundle = {
  readonly bundle: SweepBundle;
  readonly tapes: readonly Tape[];
  /** Of each strategy. */
  readonly files: readonly string[];
  /** The folder that they were put into, and where packages that they import are looked for. */
  readonly folder: string;
  readonly home: string;
};

export type PointJob = {
  readonly open: OpenBundle;
  readonly settings: readonly Setting[];
  readonly games: readonly GameId[] | undefined;
  /** Its report is wanted as well. */
  readonly withReport?: true;
};

export type PointDone = {
  readonly outcome: Outcome;
  /** Undefined: it was not asked for, or the point failed. */
  readonly report?: PointReport;
  /** What it needs is not here, or cannot be read: it says nothing of the point. */
  readonly isOfMachine?: true;
};

export type PointReport = {
  readonly scenario: ReportScenario;
  /** When it traded, Unix ms. */
  readonly traded: ScenarioRun['traded'];
};

/** Tapes were read, and strategies unpacked, before: both were here. */
const OF_MACHINE: ReadonlySet<string> = new Set(['TAPE_INVALID', 'STRATEGY_NOT_FOUND']);

/** What is wrong with the point is its outcome. */
export async function playPoint(
  { open, settings, games, withReport }: PointJob,
  progress: (share: number) => void = () => undefined,
): Promise<PointDone> {
  const { bundle, tapes, files, folder, home } = open;
  findPackagesIn(home, folder);
  // where the files lie is of this machine
  const told = (text: string): string => text.replaceAll(`file://${folder}/`, '').replaceAll(`${folder}/`, '');
  try {
    // a bundle has no secrets: it names them
    const config = withEnvironment(configAt(bundle, settings), process.env);
    const strategies = config.strategies.map((one, index) => ({ ...one, use: files[index] ?? one.use }));
    const objective = objectiveOf(bundle.objective);
    const figures = new PointFigures();
    const results = bundle.results === null ? undefined : new Map(bundle.results);
    const bytes = tapes.reduce((sum, tape) => sum + tape.bytes, 0);
    const shares = tapes.map(() => 0);
    const { run } = await runJob(
      {
        tapes,
        reading: { lenient: bundle.lenient, cache: 'use', depth: bundle.depth ?? undefined, games },
        latency: bundle.latency,
        signalLatency: bundle.signalLatency,
        seed: bundle.seed,
        fills: bundle.scenario,
        results,
        calibrated: bundle.calibrated,
        fromMs: bundle.from ?? undefined,
        toMs: bundle.to ?? undefined,
        code: undefined,
        journalIn: undefined,
      },
      unpackConfig({ config: { ...config, strategies }, file: join(folder, bundle.configFile) }),
      {
        read: (tape, share) => {
          shares[tape] = share * ((tapes[tape]?.bytes ?? 0) / Math.max(1, bytes));
          progress(shares.reduce((sum, one) => sum + one, 0));
        },
        show: () => undefined,
        observe: (commands, phaseIn) => figures.observe(commands, phaseIn),
      },
    );
    if (run.traded === undefined)
      return {
        outcome: {
          status: 'failed',
          code: 'TAPE_INVALID',
          problem: 'nothing of the tapes lies between --from and --to',
        },
      };
    const outcome = figures.outcome(run, objective, bundle.seed);
    return {
      outcome: { ...outcome, errors: outcome.errors.map(told) },
      ...(withReport === true ? { report: reportOf(run, bundle.seed) } : {}),
    };
  } catch (error) {
    if (error instanceof OddsmakerError)
      return {
        outcome: { status: 'failed', code: error.code, problem: told(error.message) },
        ...(OF_MACHINE.has(error.code) ? { isOfMachine: true } : {}),
      };
    throw error;
  }
}

const reportOf = ({ facts, busiest, result, traded }: ScenarioRun, seed: number): PointReport => ({
  scenario: reportScenario(facts, busiest, eventLogOf(result), seed),
  traded,
});
