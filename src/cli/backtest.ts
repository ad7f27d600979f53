// `oddsmaker backtest`: the strategies of a configuration against recorded markets, in three scenarios.
import { MORE_RESULTS, RESULTS, SCENARIOS, journalOf } from '../report/index.ts';
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
  unaskedNotes,
  removeVariations,
  VARIATIONS,
  writeOut,
  backtestPlan,
  playAll,
  reporter,
  spreadSvg,
  BacktestProgress,
  isVoid,
  lookAheadInThread,
  lookAheadText,
  varied,
  variationsOf,
} from '../backtest/index.ts';
import type { Tape } from '../tape/index.ts';
import { compactTape } from '../tape/index.ts';
import { packConfig } from '../config/index.ts';
import type { ExitCode } from '../domain/index.ts';
import { EXIT, LeagueNames, OddsmakerError } from '../domain/index.ts';
import { leave } from '../strategy/host/index.ts';
import type { StrategyModule } from '../strategy/host/index.ts';
import { errorLines, tableOf, variationsTable } from './backtest-text.ts';
import { attributeFault, takesStrategyOff, THROWN } from '../setup/index.ts';
import { withEnvFile } from './env-file.ts';
import { shareOfAll, tapeStart, wholeNumber, parsedBy } from './flags.ts';
import { watchLoop } from '../live/index.ts';

const HELP = `
The same engine and strategy files as live, on a virtual clock; the venue in process counts windows, locks and rejections
when requests arrive. A tape names every resting order, so the queue before an own offer is known: it is filled by takes
of offers that stand behind it. What no tape says is whether an offer that vanishes was taken or cancelled:
  calibrated    by a model of what was taken and what cancelled, which looks at the moment: what went with it, what
                stayed, where the other side's price was right before and a moment after (docs/fill-model.md)
  pessimistic   cancelled, always
  optimistic    taken, wherever nothing else explains it (depth, expiry, start, close, the id comes back): a line of
                text, unless --fills asks for it
Read calibrated; the spread says how far the result hangs on what nobody knows. The model that ships was fitted on a game
of which it is known what was traded; fit-fills fits one on recordings of yours (--fill-model FILE). Or record a real run
(record.dir, or oddsmaker record beside it) and give its journal: --calibrate leans the model until the backtest of those
tapes fills as much as the run did, between the journal's first and last record, and writes it as fill-model.json.
--calibrated-share takes a flat share of what vanishes at the top of a book instead of a model.

--latency is one way, for requests, answers and prices alike: 80ms, 80ms±30ms (or 80ms+-30ms), or a journal, of which half
of each round trip is drawn. --results is a JSON file of scores, winners and void games (docs/reference/results.md). --tape takes files
(.ndjson, .gz, .zst) and folders of them, merged by time; --from and --to are ISO times or offsets such as 20h from the
first frame. --depth tells where the ladders of a recording were cut: a row that falls off is no offer that vanished.

Writes into --out, over what is there: result.json (schema: docs/reference/backtest-result.schema.json; the same inputs give the same
bytes), timing.json (how long it took, here), fills.csv (each with the fair price then and a minute later), markets.csv,
pnl.csv and pnl.svg (the result over time). A tape is decoded once: its compact form
is kept in the cache folder of the user ($XDG_CACHE_HOME/oddsmaker, or ~/.cache/oddsmaker), never beside the tape, and made anew
when the tape's hash changes.
--vary plays every combination of the values of settings: <strategy>.<parameter>=<value>,<value>… or any key of the file
(risk.maxGameLoss=100,200, or strategies.0.use=old.ts,new.ts of the same parameters). Each has its results in a folder of its own in --out (1, 2, …);
variations.csv and variations.svg have them side by side. Results that are in folders of such numbers, 1 to 1000, are taken
away when the first of them is written. What was chosen because it did best on some tapes does worse on
others: choose on some, judge on the rest.
--journal adds <scenario>.ndjson, a journal like that of a run: why tells the whole story of an order that fills.csv names.
It holds every frame: half of a tape's size, or more.

Exit:  0 done; 1 --look-ahead-check found a difference, or nothing to compare, or --strict a result that settles nothing; 2 a wrong command line; 65 a bad tape, journal or results file; 78 a bad configuration, a folder that
       cannot be written, or a strategy that failed (the results are written all the same, unless it left a promise rejected
       or its file was edited meanwhile); that of the bot where it
       ended early (74, 77: the results say why); 130 after Ctrl-C or SIGTERM. Without threads a strategy that does not
       return keeps them from being heard: after 5 s its line is told, and the next one ends the process.

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
      new Option('--fills <scenario>', 'what vanished offers were').choices([...SCENARIOS, 'all']).default('all'),
    )
    .option(
      '--latency <time|journal>',
      'one way: 80ms, 80ms±30ms, or a journal (default: 80ms±30ms)',
      parsedBy(latencyText),
    )
    .option(
      '--signal-latency <time|journal>',
      'of signals on their way to the bot (default: that of prices)',
      parsedBy(latencyText),
    )
    .option('--seed <n>', 'of everything drawn', wholeNumber(0, 0xffffffff), 1)
    .option('--results <file>', 'how games ended, for settlement')
    .option('--strict', 'exit 1 where a result is of a game that the tapes do not have, or cannot be')
    .option(
      '--calibrate <journal>',
      'lean the fill model until it fills as much as the run did that the tapes recorded',
    )
    .option(
      '--calibrated-share <share>',
      'no model: of what vanishes at the top of a book, so much is taken, 0 to 1',
      shareOfAll,
    )
    .option('--fill-model <file>', 'what calibrated goes by, as fit-fills wrote it (default: the one that ships)')
    .option(
      '--vary <setting=values>',
      'play every combination, such as half.edge=0.01,0.02; repeat for several',
      parsedBy(varied),
    )
    .option(
      '--look-ahead-check',
      'then cut the tapes at 20 random moments: what was wanted before has to be the same, else exit 1',
    )
    .option('--orders', 'write orders.csv: each order that rested, and how it ended')
    .option('--quotes', 'write quotes.csv: how each market that was quoted looked over time')
    .option('--journal', 'write the journal of each scenario into --out, for why, replay and conform')
    .option(
      '--depth <rows>',
      'rows that a ladder has at most, in tapes whose header does not tell',
      wholeNumber(1, 100_000),
    )
    .option('--lenient', 'leave out lines that cannot be read, and count them')
    .option('--no-cache', 'decode the lines of the tapes, and keep no compact form of them')
    .option(
      '--threads <n>',
      'scenarios at once (default: as many as there are cores; small tapes one by one)',
      wholeNumber(1, 64),
    )
    .addHelpText('after', HELP)
    .action(async (file: string, flags: BacktestFlags, self: Command) => {
      finish(await backtestOrEnd(file, flags, self));
    });
}

/** An interrupted run, or one that a strategy threw into, says what was written before the process ends. */
async function backtestOrEnd(file: string, flags: BacktestFlags, self: Command): Promise<number> {
  // an orderly end: half of a compact tape is taken away again
  const end = (why: string, code: number): never => {
    const journals = flags.journal === true ? '; journals there may break off' : '';
    process.stderr.write(`\noddsmaker: ${why}; ${leftText()}${journals}\n`);
    return leave(code);
  };
  const interrupt = (): never => end('interrupted', INTERRUPTED);
  let modules: readonly StrategyModule[] = [];
  let written = 0;
  const leftText = (): string =>
    flags.vary !== undefined && written > 0
      ? `${written} of ${variationsOf(flags.vary).length} variations were written to ${flags.out}, each in its folder, and no table`
      : `no results were written to ${flags.out}`;
  // a strategy’s promise, or what it asked the process to call: the run is not what its steps say
  const thrown = (error: unknown): never => {
    const told = attributeFault(modules, error);
    return told instanceof OddsmakerError
      ? end(told.message, told.exit)
      : end(`something was thrown outside of a step: ${told.stack || told.message}`, EXIT.bug);
  };
  for (const event of THROWN) process.on(event, thrown);
  const unwatch = watchLoop(SIGNALS, interrupt);
  try {
    return await backtest(file, flags, {
      withOptimistic: self.getOptionValueSource('fills') === 'cli',
      misused: (problem) => self.error(`error: ${problem}`, { exitCode: EXIT.usage }),
      loaded: (of) => (modules = of),
      wrote: () => (written += 1),
    });
  } catch (error) {
    if (flags.vary !== undefined && written > 0) process.stderr.write(`oddsmaker: ${leftText()}\n`);
    throw error;
  } finally {
    unwatch();
    for (const event of THROWN) process.off(event, thrown);
  }
}

/** As a shell tells it after Ctrl-C. */
const INTERRUPTED = 130;
const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

type Doors = {
  /** Scenarios were asked for by name. */
  readonly withOptimistic: boolean;
  readonly misused: (problem: string) => never;
  readonly loaded: (modules: readonly StrategyModule[]) => void;
  /** The results of one candidate. */
  readonly wrote: () => void;
};

async function backtest(
  file: string,
  flags: BacktestFlags,
  { misused, withOptimistic, loaded, wrote }: Doors,
): Promise<ExitCode> {
  const plan = await backtestPlan(file, flags, misused, loaded);
  const told = await played(plan, flags, withOptimistic, wrote);
  tell(told, plan, flags, withOptimistic);
  const ended = exitOf(told);
  // what settles nothing is named; with --strict it is also a failure
  const exit = ended === EXIT.done && flags.strict === true && told.some((one) => one.isOff) ? EXIT.failed : ended;
  return flags.lookAheadCheck === true && exit === EXIT.done ? await lookedAhead(plan, flags) : exit;
}

/** What a candidate came to, without the files, which may be large. */
type Told = Omit<Report, 'files'> & { readonly candidate: Candidate };

/** The results of each candidate are written when it ends. Returns them in the order of the candidates. */
async function played(
  { candidates, isVaried, played: shared, given, atOnce, inThreads, start }: BacktestPlan,
  { out }: BacktestFlags,
  withOptimistic: boolean,
  wrote: () => void,
): Promise<readonly Told[]> {
  const { tapes, scenarios, real, toMs, reading } = shared;
  const began = performance.now();
  if (reading.cache === 'use' && toMs === undefined) await compactAll(tapes, reading.lenient);
  // how many a calibration takes nobody knows
  const runs = real === undefined ? scenarios.length * candidates.length : undefined;
  const progress = new BacktestProgress(process.stderr, tapes, runs);
  const reportOf = reporter({ ...given, began, withOptimistic });
  const beganMs = Date.now();
  const told: Told[] = [];
  await playAll(candidates, shared, { atOnce, inThreads }, progress, {
    untraded: (seen) => {
      throw notOnTapes(`the tapes end before ${start}`, seen);
    },
    ended: (candidate, outcome) => {
      refuseOtherLeagues(candidate, outcome);
      const { files, ...report } = reportOf(candidate, outcome);
      // what former ones left stays until there is something new
      if (isVaried && told.length === 0)
        removeVariations(
          out,
          candidates.map(({ run }) => run),
          { names: journalsOf(shared), beganMs },
        );
      writeOut(candidate.out, files, MORE_RESULTS);
      wrote();
      told.push({ ...report, candidate });
    },
  });
  return told.sort((a, b) => candidates.indexOf(a.candidate) - candidates.indexOf(b.candidate));
}

const journalsOf = ({ withJournal, scenarios }: BacktestPlan['played']): readonly string[] =>
  withJournal ? scenarios.map(journalOf) : [];

function tell(
  told: readonly Told[],
  { isVaried, played: shared }: BacktestPlan,
  { out }: BacktestFlags,
  withOptimistic: boolean,
): void {
  const [one, ...others] = told;
  const unasked = one?.unasked.filter((name) => others.every((other) => other.unasked.includes(name))) ?? [];
  for (const note of [...(one?.notes ?? []), ...unaskedNotes(unasked)]) process.stderr.write(`${note}\n`);
  if (isVaried) {
    const rows = told.map(({ candidate: { run, variation }, result }) => ({ run, variation, result }));
    writeOut(out, {
      'variations.csv': variationsCsv(rows),
      'variations.svg': spreadSvg(rows, withOptimistic),
    });
    process.stdout.write(
      variationsTable(rows, writtenText(out, [...VARIATIONS, 'and a folder for each']), withOptimistic),
    );
  } else {
    const asked = [...(shared.keepsOrders ? ['orders.csv'] : []), ...(shared.keepsQuotes ? ['quotes.csv'] : [])];
    const written = writtenText(out, [...RESULTS, ...asked, ...journalsOf(shared)]);
    for (const { result, timing } of told) process.stdout.write(tableOf(result, timing, written, withOptimistic));
  }
  const errors = told.flatMap(({ candidate: { run }, errors: of }) =>
    of.map(({ scenario, code, text }) => ({
      run,
      where: `${run} ${scenario}`.trim(),
      text: `${code}: ${text}`,
    })),
  );
  for (const line of errorLines(errors)) process.stderr.write(`oddsmaker: ${line}\n`);
}

const writtenText = (out: string, files: readonly string[]): string => `${out}: ${files.join(', ')}`;

async function lookedAhead(
  { candidates: [candidate], played: shared }: BacktestPlan,
  { fills, cache }: BacktestFlags,
): Promise<ExitCode> {
  if (candidate === undefined) return EXIT.done;
  const { tapes, reading, latency, signalLatency, seed, calibrated, fromMs, toMs, results } = shared;
  const loaded = packConfig(candidate.loaded);
  const check = async (scenario: Scenario): Promise<LookAhead> => {
    const found = await lookAheadInThread({
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
  // nothing of the pessimistic scenario looks ahead by itself
  const scenario = fills === 'all' ? 'pessimistic' : fills;
  let checked = await check(scenario);
  // a fill model that looks over all of a short tape leaves nothing to compare
  if (isVoid(checked) && scenario !== 'pessimistic') checked = await check('pessimistic');
  return checked.difference === undefined && !isVoid(checked) ? EXIT.done : EXIT.failed;
}

/** Tapes are decoded once, and not by each thread. */
async function compactAll(tapes: readonly Tape[], lenient: boolean): Promise<void> {
  const shown = new BacktestProgress(process.stderr, tapes, undefined).begin('reading the tapes');
  for (const [index, tape] of tapes.entries())
    await compactTape(tape, { lenient, progress: (share) => shown.read(index, share) });
  shown.end();
}

const notOnTapes = (problem: string, seen: TapeContents): OddsmakerError =>
  new OddsmakerError('TAPE_INVALID', `${problem}: ${seenText(seen)}`);

/** No game of the tapes is of a league that is quoted: nothing was traded, and nothing is written. */
function refuseOtherLeagues({ loaded: { config } }: Candidate, { ended }: Outcome): void {
  const seen = ended[0]?.run.seen;
  const { leagues } = config.markets;
  if (seen === undefined) return;
  const names = new LeagueNames();
  for (const { league } of seen.games) names.see(league);
  if (seen.games.some(({ league }) => names.isAmong(leagues, league))) return;
  throw notOnTapes(`no game of markets.leagues (${leagues.join(', ')}) is on the tapes`, seen);
}

/** Of a strategy; what ended its intents may have meant it. */

/** A strategy that failed counts more than how a run ended. */
function exitOf(told: readonly Told[]): ExitCode {
  if (told.some(({ errors }) => errors.some(({ code }) => takesStrategyOff(code)))) return EXIT.badConfig;
  const ends = told.flatMap(({ result }) => Object.values(result.scenarios).flatMap(({ end }) => end ?? []));
  return (ends.find(({ exit }) => exit !== EXIT.done)?.exit ?? EXIT.done) as ExitCode;
}
