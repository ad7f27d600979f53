// What the scenarios of one candidate came to, as the files that tell it.
import type { RunError } from '../backtest/backtest.ts';
import type { BacktestResult } from '../backtest/result.ts';
import type { Calibrated, Scenario } from '../backtest/scenarios.ts';
import type { Tape } from '../backtest/tape-cache.ts';
import { redacted } from '../config/index.ts';
import { curveCsv, fillsCsv, marketsCsv } from './backtest-csv.ts';
import { curveSvg } from './backtest-curve.ts';
import { notesOf } from './backtest-notes.ts';
import type { BacktestTiming, MoreResults, RESULTS } from './backtest-out.ts';
import type { Candidate, Outcome } from './backtest-play.ts';
import type { NamedFillModel } from './fill-model-file.ts';
import { fillModelText } from './fill-model-file.ts';

type Inputs = BacktestResult['inputs'];

/** The same for all candidates. */
export type ReportGiven = {
  readonly inputs: Omit<
    Inputs,
    'tapes' | 'config' | 'strategies' | 'calibratedShare' | 'fillModel' | 'calibratedBy'
  >;
  readonly tapes: readonly Tape[];
  readonly fills: Scenario | 'all';
  readonly depth: number | undefined;
  /** The file of the scores. */
  readonly scores: string | undefined;
  readonly realJournal: { readonly file: string; readonly sha256: string } | undefined;
  /** Of the fill model; null: the one that ships. */
  readonly modelFile: NamedFillModel['file'];
  /** Scenarios at once. */
  readonly atOnce: number;
  /** When the backtest began (performance.now() ms). */
  readonly began: number;
};

export type Report = {
  readonly files: Readonly<Record<(typeof RESULTS)[number], string>> & MoreResults;
  readonly result: BacktestResult;
  readonly timing: BacktestTiming;
  readonly notes: readonly string[];
  /** Signals of the tapes that no strategy asked for. */
  readonly unasked: readonly string[];
  readonly errors: readonly (RunError & { readonly scenario: Scenario })[];
};

/** What the calibrated scenario went by. */
function fillInputs(
  calibrated: Calibrated,
  file: NamedFillModel['file'],
): Pick<Inputs, 'calibratedShare' | 'fillModel'> {
  if ('share' in calibrated) return { calibratedShare: calibrated.share, fillModel: null };
  const { name, lean, horizonMs } = calibrated.model;
  const of = { file: file?.file ?? null, sha256: file?.sha256 ?? null };
  return { calibratedShare: null, fillModel: { name, ...of, lean, horizonMs } };
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
    atOnce,
    began,
  }: ReportGiven) =>
  (
    { run: number, loaded, strategies }: Candidate,
    { ended, calibrated, calibration, beganAt }: Outcome,
  ): Report => {
    // of those that played to the end, all have read the same
    const longest = ended.toSorted((a, b) => b.run.frames - a.run.frames)[0];
    const { frames, counts } = longest ?? { frames: [], counts: [] };
    const runs = new Map(ended.map(({ scenario, run }) => [scenario, run]));
    const timing: BacktestTiming = {
      schema: 1,
      // what one of many took is told without what was done for all of them
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
        config: redacted(loaded.config),
        strategies: strategies.map(({ file, sha256 }, index) => ({
          ...{ file, sha256 },
          impure: loaded.config.strategies[index]?.impure === true,
        })),
        ...inputs,
        ...fillInputs(calibrated, modelFile),
        calibratedBy:
          calibration === undefined || realJournal === undefined
            ? null
            : { ...realJournal, ...calibration.by },
      },
      scenarios: Object.fromEntries([...runs].map(([name, run]) => [name, run.result])),
      frames: Math.max(0, ...ended.map(({ run }) => run.frames)),
    };
    return {
      files: {
        'result.json': `${JSON.stringify(result, null, 2)}\n`,
        'timing.json': `${JSON.stringify(timing, null, 2)}\n`,
        'fills.csv': fillsCsv(runs),
        'markets.csv': marketsCsv(runs),
        'pnl.csv': curveCsv(runs),
        'pnl.svg': curveSvg(runs),
        ...(calibration !== undefined && 'model' in calibration.calibrated
          ? { 'fill-model.json': fillModelText(calibration.calibrated.model) }
          : {}),
      },
      result,
      timing,
      notes: notesOf(longest, { tapes, fills, results: scores, depth }),
      unasked: longest?.run.unasked ?? [],
      errors: ended.flatMap(({ scenario, run }) => run.errors.map((error) => ({ scenario, ...error }))),
    };
  };
