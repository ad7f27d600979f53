// Turns the results of one candidate's scenarios into files: result, report, timing, tables and plots.
import { createHash } from 'node:crypto';
import { appendFileSync, readFileSync } from 'node:fs';
import type { RunError, ScenarioRun } from './scenario-types.ts';
import type { BacktestResult } from './result.ts';
import type { Calibrated, FillsFlag } from './scenarios.ts';
import { SHOWN } from './scenarios.ts';
import type { Tape } from '../tape/index.ts';
import { redactedConfig } from '../config/index.ts';
import { isoTime } from '../domain/index.ts';
import type { BacktestFacts, ReportKind, RESULTS, Scenario } from '../report/index.ts';
import { backtestReport, FACTS_FILE, packFacts, packFactsPart, reportHtml, unpackFacts } from '../report/index.ts';
import { clvSum, drawnSeries } from '../run/index.ts';
import { curveCsv, fillsCsv, marketsCsv, monthsCsv, ordersCsv, quotesCsv, seriesCsv } from './csv.ts';
import { curveSvg } from './curve-svg.ts';
import { eventLogOf } from './event-log.ts';
import { notesOf } from './notes.ts';
import type { BacktestTiming, Content, Draft, MoreResults } from './out.ts';
import type { JobDrafts } from './jobs/job-files.ts';
import type { Candidate, Outcome, PlayedJobs } from './play.ts';
import type { NamedFillModel } from './fill-model-file.ts';
import type { RunProfile } from './profile/run-profile.ts';
import { addedProfiles, profileJson } from './profile/run-profile.ts';
import type { MeasuredTime } from './strategy-time/time-table.ts';
import { measuredTimesIn, TIME_TABLE, timeTableCsv } from './strategy-time/time-table.ts';
import { fillModelText } from './fill-model-file.ts';
import { shownPath } from '../terminal/index.ts';

type Inputs = BacktestResult['inputs'];

/** Inputs of the reports that all candidates share. */
export type ReportGiven = {
  readonly inputs: Omit<
    Inputs,
    'tapes' | 'config' | 'strategies' | 'calibratedShare' | 'fillModel' | 'calibratedBy' | 'strategyTimes'
  >;
  readonly tapes: readonly Tape[];
  readonly fills: FillsFlag;
  readonly depth: number | undefined;
  /** The file of the games' results. Undefined when none was given. */
  readonly scores: string | undefined;
  readonly realJournal: { readonly file: string; readonly sha256: string } | undefined;
  /** The file of the fill model. Null: the built-in model. */
  readonly modelFile: NamedFillModel['file'];
  /** The optional tables that were requested. */
  readonly more: { readonly orders: boolean; readonly quotes: boolean };
  /** The requested kind of report. Undefined: the facts for a later one. */
  readonly report: ReportKind | undefined;
  /** Number of scenarios that run at once. */
  readonly atOnce: number;
  /** When the backtest began (performance.now() ms). */
  readonly began: number;
};

export type Report = {
  readonly files: Readonly<Record<(typeof RESULTS)[number], Content>> & MoreResults;
  readonly result: BacktestResult;
  readonly timing: BacktestTiming;
  readonly notes: readonly string[];
  /** A result settled nothing: its game is not on the tapes, or cannot end that way. */
  readonly isOff: boolean;
  /** Signals of the tapes that no strategy subscribed to. */
  readonly unsubscribedSignals: readonly string[];
  readonly errors: readonly (RunError & { readonly scenario: Scenario })[];
  /** Closing line value of the scenario that is shown first, dollars. Null: no fill has a close. */
  readonly clv: number | null;
  /** What strategies took for an input. Empty unless it was measured. */
  readonly measuredTimes: readonly MeasuredTime[];
  /** Where the time of all scenarios went. Undefined unless it was asked for. */
  readonly profile: RunProfile | undefined;
};

/** The most realistic scenario is drawn first. */
const inShownOrder = (runs: ReadonlyMap<Scenario, ScenarioRun>): ReadonlyMap<Scenario, ScenarioRun> =>
  new Map(
    SHOWN.flatMap((name) => {
      const run = runs.get(name);
      return run === undefined ? [] : [[name, run]];
    }),
  );

/** The facts from which the report is computed. */
function factsOf(
  { inputs, scenarios }: BacktestResult,
  runs: ReadonlyMap<Scenario, ScenarioRun>,
  calibrated: Calibrated,
  config: string,
  inJobs: PlayedJobs | undefined,
): BacktestFacts {
  const [first] = runs.values();
  return {
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
      ...(inputs.strategyLatency === undefined
        ? []
        : [['latency of strategies', inputs.strategyLatency] as [string, string]]),
      ['calibrated by', modelText(inputs)],
      ['seed', String(inputs.seed)],
      ['version', inputs.version],
    ],
    seed: inputs.seed,
    scenarios: SHOWN.flatMap((name) => {
      const [run, result] = [runs.get(name), scenarios[name]];
      if (run === undefined || result === undefined) return [];
      const { fills, riskFilled, pnl } = result;
      return [
        {
          name,
          facts: run.facts,
          busiest: run.busiest,
          paths: run.paths,
          series: drawnSeries(run.series, run.paths),
          eventLog: eventLogOf(result),
          sum: { fills, risk: riskFilled, pnl: pnl.settled ?? pnl.marked },
          ...(inJobs === undefined ? {} : { months: result.months }),
        },
      ];
    }),
    model:
      'model' in calibrated
        ? {
            name: calibrated.model.name,
            lean: calibrated.model.lean,
            score: calibrated.model.score ?? null,
          }
        : undefined,
    ...(inJobs === undefined ? {} : { limits: limitsOf(inJobs, first?.series.length ?? 0) }),
  };
}

function modelText({ fillModel, calibratedShare }: Inputs): string {
  if (fillModel === null) return `a share of ${calibratedShare ?? 0}`;
  const lean = fillModel.lean === 0.5 ? '' : `, lean ${fillModel.lean}`;
  return `the model ${fillModel.file ?? 'that ships'}${lean}`;
}

/** The files of a report. Its figures are computed only when they are wanted. */
function reportFiles(facts: BacktestFacts, kind: ReportKind | undefined, inJobs: PlayedJobs | undefined): MoreResults {
  if (inJobs !== undefined) return jobsReportFiles(facts, kind, inJobs.drafts[FACTS_FILE]);
  switch (kind) {
    case 'none':
      return {};
    case 'json':
      return { 'report.json': `${JSON.stringify(backtestReport(facts))}\n` };
    case 'html':
      return { [FACTS_FILE]: packFacts(facts), 'report.html': reportHtml(backtestReport(facts)) };
    case undefined:
      return { [FACTS_FILE]: packFacts(facts) };
  }
}

/** The same where the fills are in a file: they are read only for the figures. */
function jobsReportFiles(facts: BacktestFacts, kind: ReportKind | undefined, parts: Draft): MoreResults {
  if (kind === 'none') return {};
  appendFileSync(parts.draft, packFactsPart({ facts }));
  if (kind === undefined) return { [FACTS_FILE]: parts };
  const report = backtestReport(unpackFacts(readFileSync(parts.draft)));
  return kind === 'json'
    ? { 'report.json': `${JSON.stringify(report)}\n` }
    : { [FACTS_FILE]: parts, 'report.html': reportHtml(report) };
}

/** The tables of fills, markets, orders and quotes. */
const tableFiles = (
  runs: ReadonlyMap<Scenario, ScenarioRun>,
  { orders, quotes }: ReportGiven['more'],
  drafts: JobDrafts | undefined,
) => ({
  'fills.csv': drafts?.['fills.csv'] ?? fillsCsv(runs),
  'markets.csv': drafts?.['markets.csv'] ?? marketsCsv(runs),
  ...(orders ? { 'orders.csv': drafts?.['orders.csv'] ?? ordersCsv(runs) } : {}),
  ...(quotes ? { 'quotes.csv': drafts?.['quotes.csv'] ?? quotesCsv(runs) } : {}),
  ...([...runs.values()].some(({ series }) => series.length > 0)
    ? { 'series.csv': drafts?.['series.csv'] ?? seriesCsv(runs) }
    : {}),
});

/** The table of what was measured of strategies, with its hash and its figures. */
function timeTable(runs: ReadonlyMap<Scenario, ScenarioRun>, drafts: JobDrafts | undefined) {
  const table = drafts?.[TIME_TABLE] ?? timeTableCsv(runs);
  const csv = typeof table === 'string' ? table : readFileSync(table.draft, 'utf8');
  const sha256 = createHash('sha256').update(csv).digest('hex');
  return { files: { [TIME_TABLE]: table }, inputs: { strategyTimes: { sha256 } }, measured: measuredTimesIn(csv) };
}

/** What a backtest in jobs leaves out. */
const limitsOf = ({ jobs }: PlayedJobs, series: number): readonly string[] => [
  jobs.independent
    ? 'The games were played independently: request windows, credit and limits are not shared.'
    : `Each of the ${jobs.played.length} days was played by a new bot, without what it held or learned the day before.`,
  ...(series === 0
    ? []
    : ['Series of strategies are drawn of the part with most fills: series.csv has those of all parts.']),
];

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

/** Closing line value of the scenario that is shown first. */
function clvInJobs({ clv }: PlayedJobs, shown: ReadonlyMap<Scenario, ScenarioRun>): number | null {
  const [first] = shown.keys();
  return (first && clv.get(first)) ?? null;
}

function profileOf(ended: Outcome['ended']): RunProfile | undefined {
  const profiles = ended.flatMap(({ profile }) => profile ?? []);
  return profiles.length === 0 ? undefined : addedProfiles(profiles);
}

/** How long it took. `began`: performance.now() ms. */
const timingOf = (ended: Outcome['ended'], began: number, threads: number): BacktestTiming => ({
  schema: 1,
  ms: Math.round(performance.now() - began),
  threads,
  scenarios: ended.map(({ scenario, ms, run }) => {
    return { scenario, ms, framesPerSecond: Math.round((run.frames / ms) * 1000) };
  }),
});

export const reporter =
  ({
    inputs: { version, ...inputs },
    tapes,
    fills,
    depth,
    scores,
    realJournal,
    modelFile,
    more: tables,
    report: kind,
    atOnce,
    began,
  }: ReportGiven) =>
  (
    { run: number, loaded, strategies }: Candidate,
    { ended, calibrated, calibration, beganAt, inJobs }: Outcome,
  ): Report => {
    // the run with most frames: it stands for all, since all scenarios read the same tapes
    const longest = ended.toSorted((a, b) => b.run.frames - a.run.frames)[0];
    const { frames, counts } = longest ?? { frames: [], counts: [] };
    const runs = new Map(ended.map(({ scenario, run }) => [scenario, run]));
    const shown = inShownOrder(runs);
    const [first] = shown.values();
    // one of many candidates counts without the work done for all of them
    const timing = timingOf(ended, number === '' ? began : beganAt, atOnce);
    const profile = profileOf(ended);
    const times = inputs.strategyLatency === 'measured' ? timeTable(runs, inJobs?.drafts) : undefined;
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
        ...times?.inputs,
        ...fillInputs(calibrated, modelFile),
        calibratedBy:
          calibration === undefined || realJournal === undefined ? null : { ...realJournal, ...calibration.by },
      },
      ...(inJobs === undefined ? {} : { jobs: inJobs.jobs }),
      scenarios: Object.fromEntries([...runs].map(([name, run]) => [name, run.result])),
      frames: Math.max(0, ...ended.map(({ run }) => run.frames)),
    };
    return {
      files: {
        'result.json': `${JSON.stringify(result, null, 2)}\n`,
        'timing.json': `${JSON.stringify(timing, null, 2)}\n`,
        ...tableFiles(runs, tables, inJobs?.drafts),
        ...times?.files,
        ...(profile === undefined ? {} : { 'profile.json': profileJson(profile) }),
        'pnl.csv': curveCsv(runs),
        'pnl.svg': curveSvg(shown),
        ...(inJobs === undefined ? {} : { 'months.csv': monthsCsv(result.scenarios) }),
        ...reportFiles(factsOf(result, runs, calibrated, shownPath(loaded.file), inJobs), kind, inJobs),
        ...(calibration !== undefined && 'model' in calibration.calibrated
          ? { 'fill-model.json': fillModelText(calibration.calibrated.model) }
          : {}),
      },
      result,
      timing,
      notes: notesOf(longest, { tapes, fills, results: scores, depth, live: loaded.config.markets.live }),
      isOff: (longest?.run.gamesNotOnTapes.length ?? 0) + (longest?.run.resultProblems.length ?? 0) > 0,
      unsubscribedSignals: longest?.run.unsubscribedSignals ?? [],
      measuredTimes: times?.measured ?? [],
      profile,
      clv: inJobs === undefined ? clvSum(first?.fills ?? []) : clvInJobs(inJobs, shown),
      errors: ended.flatMap(({ scenario, run }) => run.errors.map((error) => ({ scenario, ...error }))),
    };
  };
