// `oddsmaker backtest`: the strategies of a configuration against recorded markets, in two or three scenarios.
import { MORE_RESULTS, RESULTS, SCENARIOS, journalOf, profilesOf } from '../report/index.ts';
import type { Scenario } from '../report/index.ts';
import type { Command } from 'commander';
import type {
  TapeContents,
  BacktestFlags,
  BacktestPlan,
  Candidate,
  Outcome,
  Report,
  LookAhead,
} from '../backtest/index.ts';
import {
  variationsCsv,
  seenText,
  unsubscribedNotes,
  removeVariations,
  VARIATIONS,
  writeOut,
  backtestPlan,
  playAll,
  playAllJobs,
  reporter,
  spreadSvg,
  storedIn,
  TIME_TABLE,
  BacktestProgress,
  isVoid,
  lookAheadIn,
  lookAheadText,
  lookAheadThread,
  SHOWN,
  tapeFilesNow,
  variationsOf,
} from '../backtest/index.ts';
import type { Tape } from '../tape/index.ts';
import { compactTape } from '../tape/index.ts';
import { packConfig } from '../config/index.ts';
import type { ExitCode } from '../domain/index.ts';
import { EXIT, LeagueNames, OddsmakerError } from '../domain/index.ts';
import { stackText } from '../files/index.ts';
import { leave } from '../strategy/host/index.ts';
import type { StrategyModule } from '../strategy/host/index.ts';
import { errorLines, tableOf, variationsTable } from './backtest-text.ts';
import { profileText } from './profile-text.ts';
import { attributeFault, takesStrategyOff, THROWN } from '../setup/index.ts';
import type { WatchedRun } from './backtest-watch.ts';
import { playOnChange, stateOf } from './backtest-watch.ts';
import { withBacktestFlags } from './backtest-flags.ts';
import { watchLoop } from '../live/index.ts';

export function registerBacktest(command: Command, finish: (code: number) => void): void {
  withBacktestFlags(command).action(async (file: string, flags: BacktestFlags, self: Command) => {
    finish(await backtestOrEnd(file, flags, self));
  });
}

/**
 * Runs the backtest. When it is interrupted, or a strategy throws outside its calls, it prints what was
 * written and ends the process.
 */
async function backtestOrEnd(file: string, flags: BacktestFlags, self: Command): Promise<number> {
  // an orderly exit removes a half-written compact tape
  const end = (why: string, code: number): never => {
    const journals = flags.journal === true ? '; journals there may break off' : '';
    process.stderr.write(`\noddsmaker: ${why}; ${leftText()}${journals}\n`);
    return leave(code);
  };
  const isWatching = flags.watch === true;
  const interrupt = (): never => (isWatching ? leave(EXIT.done) : end('interrupted', INTERRUPTED));
  let modules: readonly StrategyModule[] = [];
  let written = 0;
  const leftText = (): string =>
    flags.vary !== undefined && written > 0
      ? `${written} of ${variationsOf(flags.vary).length} variations were written to ${flags.out}, each in its folder, and no table`
      : `no results were written to ${flags.out}${storedIn(flags.out) > 0 ? '; what was played is kept there, and the same command continues' : ''}`;
  // a rejected promise or a callback of a strategy: the results cannot be trusted
  let isSpoiled = false;
  const thrown = (error: unknown): void => {
    const fault = attributeFault(modules, error);
    const isOfStrategy = fault instanceof OddsmakerError;
    const why = isOfStrategy ? fault.message : `something was thrown outside of a step: ${stackText(fault)}`;
    if (!isWatching) return end(why, isOfStrategy ? fault.exit : EXIT.bug);
    process.stderr.write(`oddsmaker: ${why}\n`);
    isSpoiled = true;
  };
  for (const event of THROWN) process.on(event, thrown);
  const unwatch = watchLoop(SIGNALS, interrupt);
  const callbacks: Callbacks = {
    misused: (problem) => self.error(`error: ${problem}`, { exitCode: EXIT.usage }),
    loaded: (loadedModules) => (modules = loadedModules),
    wrote: () => (written += 1),
  };
  try {
    if (!isWatching) return await backtest(file, flags, callbacks);
    const isTrusted = (): boolean => {
      const wasSpoiled = isSpoiled;
      isSpoiled = false;
      return !wasSpoiled;
    };
    return await watchBacktest(file, flags, callbacks, isTrusted);
  } catch (error) {
    if (flags.vary !== undefined && written > 0) process.stderr.write(`oddsmaker: ${leftText()}\n`);
    throw error;
  } finally {
    unwatch();
    for (const event of THROWN) process.off(event, thrown);
  }
}

/** Exit code of a shell after Ctrl-C. */
const INTERRUPTED = 130;
const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

type Callbacks = {
  readonly misused: (problem: string) => never;
  readonly loaded: (modules: readonly StrategyModule[]) => void;
  /** Called when the results of one candidate are written. */
  readonly wrote: () => void;
};

async function backtest(file: string, flags: BacktestFlags, { misused, loaded, wrote }: Callbacks): Promise<ExitCode> {
  const plan = await backtestPlan(file, flags, misused, loaded);
  const reports = await playCandidates(plan, flags, wrote);
  printResults(reports, plan, flags);
  const ended = exitOf(reports);
  // results that settle nothing are named on stderr; with --strict they also fail the command
  const exit =
    ended === EXIT.done && flags.strict === true && reports.some((report) => report.isOff) ? EXIT.failed : ended;
  if (flags.lookAheadCheck !== true || exit !== EXIT.done) return exit;
  const thread = lookAheadThread();
  try {
    return await checkLookAhead(plan, flags, thread);
  } finally {
    await thread.stop();
  }
}

/**
 * Plays, and plays again after each change of what it reads. The first run prints its table; the first error
 * ends the command, as it would without --watch. `isTrusted`: whether no strategy threw outside of its calls
 * since the last call.
 */
async function watchBacktest(
  file: string,
  flags: BacktestFlags,
  { misused, loaded, wrote }: Callbacks,
  isTrusted: () => boolean,
): Promise<never> {
  const thread = lookAheadThread();
  let isFirst = true;
  let strategyFiles: readonly string[] = [];
  let state = '';
  const { results, fillModel, tape } = flags;
  const files = (): readonly string[] => [
    ...[file, ...[results, fillModel].flatMap((name) => name ?? []), ...strategyFiles],
    ...tapeFilesNow(tape),
  ];
  const play = async (): Promise<WatchedRun | undefined> => {
    const plan = await backtestPlan(file, flags, misused, loaded);
    strategyFiles = plan.candidates.flatMap(({ files }) => files);
    state = stateOf(files());
    const reports = await playCandidates(plan, flags, wrote);
    if (isFirst) printResults(reports, plan, flags);
    else printErrors(reports);
    isFirst = false;
    if (flags.lookAheadCheck === true) await checkLookAhead(plan, flags, thread);
    const [report] = reports;
    return report === undefined || !isTrusted() ? undefined : watchedRun(report);
  };
  // an error of the first run is no matter of waiting
  const first = await play();
  return playOnChange(play, first, files, () => state);
}

function watchedRun({ result: { scenarios }, clv }: CandidateReport): WatchedRun | undefined {
  const scenario = SHOWN.find((name) => scenarios[name] !== undefined);
  const shown = scenario && scenarios[scenario];
  if (scenario === undefined || shown === undefined) return undefined;
  const { fills, pnl } = shown;
  return { scenario, fills, pnl: pnl.settled ?? pnl.marked, clv, worst: pnl.worst };
}

/** The report of a candidate, without its files, which may be large. */
type CandidateReport = Omit<Report, 'files'> & { readonly candidate: Candidate };

/**
 * Plays all candidates and writes the results of each when it ends. Returns the reports in the order of the
 * candidates.
 */
async function playCandidates(
  { candidates, isVaried, played: shared, jobs, given, atOnce, inThreads, start }: BacktestPlan,
  { out }: BacktestFlags,
  wrote: () => void,
): Promise<readonly CandidateReport[]> {
  const { tapes, scenarios, real, toMs, reading } = shared;
  const startedAt = performance.now();
  // jobs have read their tapes
  if (jobs === undefined && reading.cache === 'use' && toMs === undefined) await compactAll(tapes, reading.lenient);
  // the number of runs that a calibration takes is not known in advance
  const runs = real === undefined ? scenarios.length * candidates.length : undefined;
  const progress = new BacktestProgress(process.stderr, tapes, runs);
  const reportOf = reporter({ ...given, began: startedAt });
  const startedMs = Date.now();
  const reports: CandidateReport[] = [];
  const on: Parameters<typeof playAll>[4] = {
    untraded: (seen) => {
      throw notOnTapes(`the tapes end before ${start}`, seen);
    },
    ended: (candidate, outcome) => {
      refuseOtherLeagues(candidate, outcome);
      const { files, ...report } = reportOf(candidate, outcome);
      // former results stay until there are new ones
      if (isVaried && reports.length === 0)
        removeVariations(
          out,
          candidates.map(({ run }) => run),
          { names: [...journalsOf(shared), ...profilesIn(shared)], beganMs: startedMs },
        );
      writeOut(candidate.out, files, [...MORE_RESULTS, ...formerProfiles(shared)]);
      wrote();
      reports.push({ ...report, candidate });
    },
  };
  if (jobs === undefined) await playAll(candidates, shared, { atOnce, inThreads }, progress, on);
  else await playAllJobs(candidates, shared, jobs, { atOnce, inThreads }, on);
  return reports.sort((a, b) => candidates.indexOf(a.candidate) - candidates.indexOf(b.candidate));
}

const journalsOf = ({ withJournal, scenarios }: BacktestPlan['played']): readonly string[] =>
  withJournal ? scenarios.map(journalOf) : [];

const profilesIn = ({ withProfile, scenarios }: BacktestPlan['played']): readonly string[] =>
  withProfile === true ? scenarios.flatMap((scenario) => profilesOf(scenario)) : [];

/** Profiles that an earlier backtest may have left. */
function formerProfiles(played: BacktestPlan['played']): readonly string[] {
  const now = new Set(profilesIn(played));
  return SCENARIOS.flatMap((scenario) => profilesOf(scenario)).filter((name) => !now.has(name));
}

function printResults(
  reports: readonly CandidateReport[],
  { isVaried, played: shared, jobs }: BacktestPlan,
  { out, report }: BacktestFlags,
): void {
  const [firstReport, ...others] = reports;
  const unsubscribed =
    firstReport?.unsubscribedSignals.filter((name) =>
      others.every((other) => other.unsubscribedSignals.includes(name)),
    ) ?? [];
  for (const note of [...(firstReport?.notes ?? []), ...unsubscribedNotes(unsubscribed)])
    process.stderr.write(`${note}\n`);
  if (isVaried) {
    const rows = reports.map(({ candidate: { run, variation }, result }) => ({ run, variation, result }));
    writeOut(out, {
      'variations.csv': variationsCsv(rows),
      'variations.svg': spreadSvg(rows),
    });
    process.stdout.write(variationsTable(rows, writtenText(out, [...VARIATIONS, 'and a folder for each'])));
  } else {
    const optionalFiles = [
      ...(jobs === undefined ? [] : ['months.csv']),
      ...(shared.keepsOrders ? ['orders.csv'] : []),
      ...(shared.keepsQuotes ? ['quotes.csv'] : []),
      ...(reports.some(({ result }) => result.inputs.strategyTimes !== undefined) ? [TIME_TABLE] : []),
      ...(shared.withProfile === true ? ['profile.json'] : []),
      ...(report === 'json' || report === 'html' ? [`report.${report}`] : []),
    ];
    const ofRuns = [...journalsOf(shared), ...profilesIn(shared)];
    const perJob = [...(shared.withJournal ? ['journals'] : []), ...(shared.withProfile === true ? ['profiles'] : [])];
    const more =
      jobs === undefined ? ofRuns : perJob.length > 0 ? [`and a folder of ${perJob.join(' and ')} for each`] : [];
    const written = writtenText(out, [...RESULTS, ...optionalFiles, ...more]);
    for (const { result, timing, measuredTimes } of reports)
      process.stdout.write(tableOf(result, timing, written, measuredTimes));
  }
  for (const { candidate, profile } of reports)
    if (profile !== undefined) process.stdout.write(profileText(profile, candidate.run));
  printErrors(reports);
}

function printErrors(reports: readonly CandidateReport[]): void {
  const errors = reports.flatMap(({ candidate: { run }, errors: runErrors }) =>
    runErrors.map(({ scenario, code, text }) => ({
      run,
      where: `${run} ${scenario}`.trim(),
      text: `${code}: ${text}`,
    })),
  );
  for (const line of errorLines(errors)) process.stderr.write(`oddsmaker: ${line}\n`);
}

const writtenText = (out: string, files: readonly string[]): string => `${out}: ${files.join(', ')}`;

async function checkLookAhead(
  { candidates: [candidate], played: shared }: BacktestPlan,
  { cache }: BacktestFlags,
  thread: ReturnType<typeof lookAheadThread>,
): Promise<ExitCode> {
  if (candidate === undefined) return EXIT.done;
  const {
    tapes,
    reading,
    latency,
    signalLatency,
    strategyLatency: given,
    seed,
    calibrated,
    fromMs,
    toMs,
    results,
  } = shared;
  const loaded = packConfig(candidate.loaded);
  const check = async (scenario: Scenario): Promise<LookAhead> => {
    const found = await lookAheadIn(thread, {
      job: {
        tapes,
        reading: { ...reading, cache: cache ? 'use' : 'none' },
        latency,
        signalLatency,
        strategyTime: given?.kind === 'given' ? given : undefined,
        seed,
        calibrated,
        fromMs,
        toMs,
        results,
        fills: scenario,
      },
      loaded,
    });
    process.stdout.write(`${lookAheadText(found, scenario)}\n`);
    return found;
  };
  // the pessimistic scenario never looks ahead by itself
  const [scenario = 'pessimistic'] = shared.scenarios;
  let checked = await check(scenario);
  // a fill model whose horizon covers a short tape leaves nothing to compare
  if (isVoid(checked) && scenario !== 'pessimistic') checked = await check('pessimistic');
  return checked.difference === undefined && !isVoid(checked) ? EXIT.done : EXIT.failed;
}

/** Makes the compact forms of all tapes, so that the threads do not decode them again. */
async function compactAll(tapes: readonly Tape[], lenient: boolean): Promise<void> {
  const shown = new BacktestProgress(process.stderr, tapes, undefined).beginScenario('reading the tapes');
  for (const [index, tape] of tapes.entries())
    await compactTape(tape, { lenient, progress: (share) => shown.read(index, share) });
  shown.end();
}

const notOnTapes = (problem: string, seen: TapeContents): OddsmakerError =>
  new OddsmakerError('TAPE_INVALID', `${problem}: ${seenText(seen)}`);

/**
 * Throws when no game of the tapes is in a quoted league: nothing was traded, and nothing is written. @throws
 * OddsmakerError TAPE_INVALID
 */
function refuseOtherLeagues({ loaded: { config } }: Candidate, { ended }: Outcome): void {
  const seen = ended[0]?.run.seen;
  const { leagues } = config.markets;
  if (seen === undefined) return;
  const names = new LeagueNames();
  for (const { league } of seen.games) names.see(league);
  if (seen.games.some(({ league }) => names.isAmong(leagues, league))) return;
  throw notOnTapes(`no game of markets.leagues (${leagues.join(', ')}) is on the tapes`, seen);
}

/** The exit code. A failed strategy takes precedence over how a run ended. */
function exitOf(reports: readonly CandidateReport[]): ExitCode {
  if (reports.some(({ errors }) => errors.some(({ code }) => takesStrategyOff(code)))) return EXIT.badConfig;
  const ends = reports.flatMap(({ result }) => Object.values(result.scenarios).flatMap(({ end }) => end ?? []));
  return (ends.find(({ exit }) => exit !== EXIT.done)?.exit ?? EXIT.done) as ExitCode;
}
