// Turns the results of one candidate's scenarios into files: result, report, timing, tables and plots.
import type { RunError, ScenarioRun } from './scenario-types.ts';
import type { BacktestResult } from './result.ts';
import type { Calibrated } from './scenarios.ts';
import { SHOWN } from './scenarios.ts';
import type { Tape } from '../tape/index.ts';
import { redactedConfig } from '../config/index.ts';
import { isoTime } from '../domain/index.ts';
import type { ReportData, RESULTS, Scenario } from '../report/index.ts';
import type { ScenarioSum } from '../run/index.ts';
import { limitations, reportScenario } from '../report/index.ts';
import { fillModelFigures } from '../run/index.ts';
import { curveCsv, fillsCsv, marketsCsv, ordersCsv, quotesCsv } from './csv.ts';
import { curveSvg } from './curve-svg.ts';
import { eventLogOf } from './event-log.ts';
import { notesOf } from './notes.ts';
import type { BacktestTiming, MoreResults } from './out.ts';
import type { Candidate, Outcome } from './play.ts';
import type { NamedFillModel } from './fill-model-file.ts';
import { fillModelText } from './fill-model-file.ts';
import { shownPath } from '../terminal/index.ts';

type Inputs = BacktestResult['inputs'];

/** Inputs of the reports that all candidates share. */
export type ReportGiven = {
  readonly inputs: Omit<Inputs, 'tapes' | 'config' | 'strategies' | 'calibratedShare' | 'fillModel' | 'calibratedBy'>;
  readonly tapes: readonly Tape[];
  readonly fills: Scenario | 'all';
  readonly depth: number | undefined;
  /** The file of the games' results. Undefined when none was given. */
  readonly scores: string | undefined;
  readonly realJournal: { readonly file: string; readonly sha256: string } | undefined;
  /** The file of the fill model. Null: the built-in model. */
  readonly modelFile: NamedFillModel['file'];
  /** The optimistic scenario was requested: it is drawn and shown beside the others. */
  readonly withOptimistic: boolean;
  /** The optional tables that were requested. */
  readonly more: { readonly orders: boolean; readonly quotes: boolean };
  /** Number of scenarios that run at once. */
  readonly atOnce: number;
  /** When the backtest began (performance.now() ms). */
  readonly began: number;
};

export type Report = {
  readonly files: Readonly<Record<(typeof RESULTS)[number], string>> & MoreResults;
  readonly result: BacktestResult;
  readonly timing: BacktestTiming;
  readonly notes: readonly string[];
  /** A result settled nothing: its game is not on the tapes, or cannot end that way. */
  readonly isOff: boolean;
  /** Signals of the tapes that no strategy subscribed to. */
  readonly unsubscribedSignals: readonly string[];
  readonly errors: readonly (RunError & { readonly scenario: Scenario })[];
};

/** The runs to show: the optimistic one only when it was requested, or is the only one. */
function shownRuns<Run>(runs: ReadonlyMap<Scenario, Run>, withOptimistic: boolean): ReadonlyMap<Scenario, Run> {
  return new Map(
    SHOWN.flatMap((name) => {
      const run = runs.get(name);
      const isShown = name !== 'optimistic' || withOptimistic || runs.size === 1;
      return run === undefined || !isShown ? [] : [[name, run] as const];
    }),
  );
}

/** The data from which `oddsmaker report` writes its page. */
function reportOf(
  { inputs, scenarios }: BacktestResult,
  runs: ReadonlyMap<Scenario, ScenarioRun>,
  calibrated: Calibrated,
  config: string,
): ReportData {
  const reported = Object.fromEntries(
    SHOWN.flatMap((name) => {
      const [run, result] = [runs.get(name), scenarios[name]];
      if (run === undefined || result === undefined) return [];
      const base = reportScenario(run.facts, run.busiest, eventLogOf(result), inputs.seed);
      if (name !== 'calibrated' || !('model' in calibrated)) return [[name, base]];
      const { name: model, lean, score = null } = calibrated.model;
      const fillModel = fillModelFigures({ name: model, lean, score }, sumsOf(scenarios));
      return [[name, { ...base, figures: { ...base.figures, fillModel } }]];
    }),
  );
  const [first] = runs.values();
  const { fillModel, calibratedShare } = inputs;
  const lean = fillModel === null || fillModel.lean === 0.5 ? '' : `, lean ${fillModel.lean}`;
  const model =
    fillModel === null ? `a share of ${calibratedShare ?? 0}` : `the model ${fillModel.file ?? 'that ships'}${lean}`;
  return {
    report: 2,
    title: `Backtest of ${config}`,
    from: first?.traded === undefined ? null : isoTime(first.traded.fromMs),
    to: first?.traded === undefined ? null : isoTime(first.traded.toMs),
    inputs: [
      ['configuration', config],
      ...inputs.strategies.map(({ file, sha256, impure }): [string, string] => [
        'strategy',
        `${file} ${sha256.slice(0, 12)}${impure ? ', impure' : ''}`,
      ]),
      ...inputs.tapes.map(({ file, sha256 }): [string, string] => ['tape', `${file} ${sha256.slice(0, 12)}`]),
      ['latency, one way', inputs.latency],
      ['calibrated by', model],
      ['seed', String(inputs.seed)],
      ['version', inputs.version],
    ],
    scenarios: reported,
    limitations: limitations(reported, true),
  };
}

const sumsOf = (scenarios: BacktestResult['scenarios']): Readonly<Record<string, ScenarioSum>> =>
  Object.fromEntries(
    Object.entries(scenarios).map(([name, { fills, riskFilled, pnl }]) => [
      name,
      { fills, risk: riskFilled, pnl: pnl.settled ?? pnl.marked },
    ]),
  );

/** The inputs of `result.json` that describe the calibrated scenario. */
function fillInputs(
  calibrated: Calibrated,
  file: NamedFillModel['file'],
): Pick<Inputs, 'calibratedShare' | 'fillModel'> {
  if ('share' in calibrated) return { calibratedShare: calibrated.share, fillModel: null };
  const { name, lean, horizonMs } = calibrated.model;
  const source = { file: file?.file ?? null, sha256: file?.sha256 ?? null };
  return { calibratedShare: null, fillModel: { name, ...source, lean, horizonMs } };
}

export const reporter =
  ({
    inputs: { version, ...inputs },
    tapes,
    fills,
    depth,
    scores,
    realJournal,
    modelFile,
    withOptimistic,
    more: tables,
    atOnce,
    began,
  }: ReportGiven) =>
  ({ run: number, loaded, strategies }: Candidate, { ended, calibrated, calibration, beganAt }: Outcome): Report => {
    // the run with most frames: it stands for all, since all scenarios read the same tapes
    const longest = ended.toSorted((a, b) => b.run.frames - a.run.frames)[0];
    const { frames, counts } = longest ?? { frames: [], counts: [] };
    const runs = new Map(ended.map(({ scenario, run }) => [scenario, run]));
    const timing: BacktestTiming = {
      schema: 1,
      // one of many candidates counts without the work done for all of them
      ms: Math.round(performance.now() - (number === '' ? began : beganAt)),
      threads: atOnce,
      scenarios: ended.map(({ scenario, ms, run }) => {
        return { scenario, ms, framesPerSecond: Math.round((run.frames / ms) * 1000) };
      }),
    };
    const result: BacktestResult = {
      schema: 1,
      inputs: {
        version,
        tapes: tapes.map(({ file, sha256 }, index) => ({
          file,
          sha256,
          frames: frames[index] ?? 0,
          skipped: counts[index]?.skipped ?? 0,
          torn: counts[index]?.torn ?? false,
        })),
        config: redactedConfig(loaded.config),
        strategies: strategies.map(({ file, sha256 }, index) => ({
          file,
          sha256,
          impure: loaded.config.strategies[index]?.impure === true,
        })),
        ...inputs,
        ...fillInputs(calibrated, modelFile),
        calibratedBy:
          calibration === undefined || realJournal === undefined ? null : { ...realJournal, ...calibration.by },
      },
      scenarios: Object.fromEntries([...runs].map(([name, run]) => [name, run.result])),
      frames: Math.max(0, ...ended.map(({ run }) => run.frames)),
    };
    return {
      files: {
        'result.json': `${JSON.stringify(result, null, 2)}\n`,
        'report.json': `${JSON.stringify(reportOf(result, runs, calibrated, shownPath(loaded.file)))}\n`,
        'timing.json': `${JSON.stringify(timing, null, 2)}\n`,
        'fills.csv': fillsCsv(runs),
        'markets.csv': marketsCsv(runs),
        'pnl.csv': curveCsv(runs),
        'pnl.svg': curveSvg(shownRuns(runs, withOptimistic)),
        ...(tables.orders ? { 'orders.csv': ordersCsv(runs) } : {}),
        ...(tables.quotes ? { 'quotes.csv': quotesCsv(runs) } : {}),
        ...(calibration !== undefined && 'model' in calibration.calibrated
          ? { 'fill-model.json': fillModelText(calibration.calibrated.model) }
          : {}),
      },
      result,
      timing,
      notes: notesOf(longest, { tapes, fills, results: scores, depth, live: loaded.config.markets.live }),
      isOff: (longest?.run.gamesNotOnTapes.length ?? 0) + (longest?.run.resultProblems.length ?? 0) > 0,
      unsubscribedSignals: longest?.run.unsubscribedSignals ?? [],
      errors: ended.flatMap(({ scenario, run }) => run.errors.map((error) => ({ scenario, ...error }))),
    };
  };
