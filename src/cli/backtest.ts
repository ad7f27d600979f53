// `oddsmaker backtest`: the strategies of a configuration against recorded markets, in two or three scenarios.
import { MORE_RESULTS, REPORTS, RESULTS, SCENARIOS, journalOf } from '../report/index.ts';
import type { Scenario } from '../report/index.ts';
import type { Command } from 'commander';
import { Option } from 'commander';
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
  latencyText,
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
  BacktestProgress,
  isVoid,
  lookAheadIn,
  lookAheadText,
  lookAheadThread,
  SHOWN,
  tapeFilesNow,
  varied,
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
import { attributeFault, takesStrategyOff, THROWN } from '../setup/index.ts';
import type { WatchedRun } from './backtest-watch.ts';
import { playOnChange, stateOf } from './backtest-watch.ts';
import { withEnvFile } from './env-file.ts';
import { shareOfAll, tapeStart, wholeNumber, parsedBy } from './flags.ts';
import { watchLoop } from '../live/index.ts';

const HELP = `
Runs the same engine and strategy files as live, on a virtual clock; the venue in this process applies windows, locks
and rejections when requests arrive. A tape names every resting order, so the queue ahead of an own offer is known: the
offer fills when takes reach offers behind it. A tape does not say whether an offer that vanishes was taken or cancelled:
  calibrated    decided by a model that looks at the moment: what vanished with it, what stayed, and the other side's
                price right before and shortly after (docs/fill-model.md)
  pessimistic   always cancelled
  optimistic    taken, unless something else explains it (depth, expiry, start, close, the id comes back): played with
                --fills all or --fills optimistic
Read calibrated; the spread shows how much the result depends on this unknown. The model that ships was fitted on a game
whose trades are known; fit-fills fits one on your recordings (--fill-model FILE). Or record a real run (record.dir, or
oddsmaker record beside it) and give its journal: --calibrate adjusts the model until the backtest of those tapes fills
as much as the run did, between the journal's first and last record, and writes it as fill-model.json.
--calibrated-share uses a fixed share of what vanishes at the top of a book instead of a model.

--latency is one way, for requests, answers and prices: 80ms, 80ms±30ms (or 80ms+-30ms), or a journal; then half of a
recorded round trip is drawn each time. --results is a JSON file of scores, winners and void games
(docs/reference/results.md). --tape takes files (.ndjson, .gz, .zst) and folders of them, merged by time; --from and
--to are ISO times or offsets such as 20h from the first frame. --depth says at how many rows the recorder cut ladders:
a row that drops off is no offer that vanished.

Several tapes with games of several days are played day by day, each day by a new bot: games of one evening share request
windows, credit and limits, and days share only the balance. A tape is never cut, so a file of several days is one day
here. Days run at once (--threads), their results are kept in --out as they end, and after Ctrl-C or a kill the same
command plays only the rest. --independent plays each game alone: faster guesses, without what games share.

Writes into --out and overwrites its files: result.json (schema: docs/reference/backtest-result.schema.json; the same
inputs give the same bytes), timing.json (how long it took, here), fills.csv (each with the fair price then and a minute
later), markets.csv, pnl.csv and pnl.svg (the result over time), and report-facts.bin, from which oddsmaker report
computes every other figure. --report json writes these figures as report.json instead, --report html also a page of
them. A tape is decoded once: its compact form is kept in the cache folder of the user ($XDG_CACHE_HOME/oddsmaker, or
~/.cache/oddsmaker), never beside the tape, and made again when the tape's hash changes. --vary plays every combination
of the values of settings: <strategy>.<parameter>=<value>,<value>… or any key of the file (risk.maxGameLoss=100,200, or
strategies.0.use=old.ts,new.ts of the same parameters). Each has its results in a folder of its own in --out (1, 2, …);
variations.csv and variations.svg have them side by side. Earlier results in folders with these numbers, 1 to 1000, are
removed when the first new one is written. A setting that was chosen because it did best on some tapes does worse on
others: choose on some tapes, judge on the rest. --journal adds <scenario>.ndjson, a journal like that of a run: why
shows the story of an order that fills.csv names. It holds every frame: half of a tape's size, or more.

Exit:  0 done; 1 --look-ahead-check found a difference, or nothing to compare, or --strict a result that settles
       nothing; 2 a wrong command line; 65 a bad tape, journal or results file; 78 a bad configuration, a folder that
       cannot be written, or a strategy that failed (the results are still written, unless it left a promise rejected or
       its file was edited meanwhile); the code of the bot where it ended early (74, 77: the results say why); 130 after
       Ctrl-C or SIGTERM. Without threads, signals wait for a strategy that does not return: after 5 s its line is
       shown, and the next signal ends the process.

Examples:
  oddsmaker backtest config/paper-nba.yaml --tape game.ndjson.gz --out data/backtest
  oddsmaker backtest config/paper.yaml --tape data/tapes --out out --fills pessimistic --latency 40ms±10ms --seed 7
  oddsmaker backtest config/live.yaml --tape data/tapes --out out --latency data/journal/<run>.ndjson
  oddsmaker backtest config/live.yaml --tape data/tapes --out out --calibrate data/journal/<run>.ndjson
  oddsmaker backtest config/live.yaml --tape data/tapes --out out --vary half.edge=0.01,0.02 --vary half.risk=20,50
  oddsmaker backtest config/live.yaml --tape data/tapes --out out --fills pessimistic --journal && \\
    oddsmaker why out/pessimistic.ndjson a.main.home-1.backtest-1
`;

export function registerBacktest(command: Command, finish: (code: number) => void): void {
  withEnvFile(command)
    .description('Replays recorded markets against the strategies of a configuration.')
    .argument('<config>', 'YAML file')
    .requiredOption(
      '--tape <file|dir...>',
      'recorded feed, or a folder of them; repeat for several',
      (file: string, before: readonly string[] | undefined) => [...(before ?? []), file],
    )
    .requiredOption('--out <dir>', 'where the results go')
    .option('--from <time>', 'where trading starts: ISO time, or offset such as 20h', tapeStart)
    .option('--to <time>', 'where it ends', tapeStart)
    .addOption(
      new Option('--fills <scenario>', 'how vanished offers are treated')
        .choices([...SCENARIOS, 'default', 'all'])
        .default('default', 'pessimistic and calibrated'),
    )
    .option(
      '--latency <time|journal>',
      'one way: 80ms, 80ms±30ms, or a journal (default: 80ms±30ms)',
      parsedBy(latencyText),
    )
    .option(
      '--signal-latency <time|journal>',
      'one-way latency of signals to the bot (default: as prices)',
      parsedBy(latencyText),
    )
    .option('--seed <n>', 'seed of all random numbers', wholeNumber(0, 0xffffffff), 1)
    .option('--results <file>', 'how games ended, for settlement')
    .option('--strict', 'exit 1 when a result is impossible, or its game is not on the tapes')
    .option('--calibrate <journal>', 'adjust the fill model until it fills as much as the recorded run did')
    .option(
      '--calibrated-share <share>',
      'no model: the share of vanished offers at the top of a book that counts as taken, 0 to 1',
      shareOfAll,
    )
    .option(
      '--fill-model <file>',
      'model of the calibrated scenario, written by fit-fills (default: the one that ships)',
    )
    .option(
      '--vary <setting=values>',
      'play every combination, such as half.edge=0.01,0.02; repeat for several',
      parsedBy(varied),
    )
    .option(
      '--look-ahead-check',
      'afterwards cut the tapes at 20 random moments: intents before the cut must be the same, else exit 1',
    )
    .addOption(
      new Option(
        '--report <kind>',
        'write report.json or report.html, or nothing for a report (default: what oddsmaker report reads)',
      ).choices(REPORTS),
    )
    .option('--orders', 'write orders.csv: each order that rested, and how it ended')
    .option('--quotes', 'write quotes.csv: how each market that was quoted looked over time')
    .option('--journal', 'write the journal of each scenario into --out, for why, replay and conform')
    .option(
      '--depth <rows>',
      'rows that a ladder has at most, in tapes whose header does not say',
      wholeNumber(1, 100_000),
    )
    .option('--lenient', 'leave out lines that cannot be read, and count them')
    .option('--no-cache', 'decode the lines of the tapes, and keep no compact form of them')
    .option(
      '--threads <n>',
      'scenarios, or days, at once (default: as many as there are cores; small tapes one by one)',
      wholeNumber(1, 64),
    )
    .option('--independent', 'play each game alone: request windows, credit and limits are not shared')
    .option('--only-market <text>', 'play only markets whose id, or whose game, contains this text')
    .option('--watch', 'stay, and play again when a strategy, the configuration or the tapes change; Ctrl-C ends it')
    .addHelpText('after', HELP)
    .action(async (file: string, flags: BacktestFlags, self: Command) => {
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
          { names: journalsOf(shared), beganMs: startedMs },
        );
      writeOut(candidate.out, files, MORE_RESULTS);
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
      ...(report === 'json' || report === 'html' ? [`report.${report}`] : []),
    ];
    const journals =
      jobs === undefined ? journalsOf(shared) : shared.withJournal ? ['and a folder of journals for each'] : [];
    const written = writtenText(out, [...RESULTS, ...optionalFiles, ...journals]);
    for (const { result, timing } of reports) process.stdout.write(tableOf(result, timing, written));
  }
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
  const { tapes, reading, latency, signalLatency, seed, calibrated, fromMs, toMs, results } = shared;
  const loaded = packConfig(candidate.loaded);
  const check = async (scenario: Scenario): Promise<LookAhead> => {
    const found = await lookAheadIn(thread, {
      job: {
        tapes,
        reading: { ...reading, cache: cache ? 'use' : 'none' },
        latency,
        signalLatency,
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
