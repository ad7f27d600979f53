// `oddsmaker backtest`: the strategies of a configuration against recorded markets, in three scenarios.
import { availableParallelism } from 'node:os';
import type { Command } from 'commander';
import { Option } from 'commander';
import type { ScenarioRun } from '../backtest/backtest.ts';
import type { RealRun } from '../backtest/calibration.ts';
import { calibrate, filledBetween } from '../backtest/calibration.ts';
import { leastRoundTrip } from '../backtest/latency.ts';
import type { BacktestResult } from '../backtest/result.ts';
import { cents } from '../backtest/result.ts';
import type { Scenario } from '../backtest/scenarios.ts';
import { ASSUMED_SHARE, SCENARIOS } from '../backtest/scenarios.ts';
import { readScores } from '../backtest/scores.ts';
import type { Tape } from '../backtest/tape-cache.ts';
import { compactTape, sha256Of } from '../backtest/tape-cache.ts';
import { loadOffline, redacted } from '../config/index.ts';
import type { ExitCode, TapeStart } from '../domain/index.ts';
import { EXIT, isoTime, OddsmakerError, tapeStartMs } from '../domain/index.ts';
import { curveCsv, fillsCsv, marketsCsv } from './backtest-csv.ts';
import { curveSvg } from './backtest-curve.ts';
import { latencyOf, latencyText, namedJournal, otherRunNote, realRunOf } from './backtest-journals.ts';
import { notesOf } from './backtest-notes.ts';
import type { BacktestTiming } from './backtest-out.ts';
import { journalOf, prepareOut, RESULTS, writeOut } from './backtest-out.ts';
import { findTapes, firstFrameOf } from './backtest-tapes.ts';
import { BacktestProgress, tableOf } from './backtest-text.ts';
import { beginLife, codeOf, placeOf } from '../strategy/loader.ts';
import type { StrategyModule } from '../strategy/thrown.ts';
import { asError, thrownBy } from '../strategy/thrown.ts';
import { loadCoreSettings } from './core-settings.ts';
import { shareOfAll, tapeStart, wholeNumber } from './flags.ts';
import type { ScenarioDone, ScenarioJob } from './scenario-run.ts';
import { runJob } from './scenario-run.ts';
import { inTurns, ScenarioThreads } from './scenario-threads.ts';
import { VERSION } from './version.ts';

type Flags = {
  readonly tape: readonly string[];
  readonly out: string;
  readonly from?: TapeStart;
  readonly to?: TapeStart;
  readonly fills: Scenario | 'all';
  readonly latency?: string;
  readonly seed: number;
  readonly results?: string;
  readonly calibrate?: string;
  readonly calibratedShare?: number;
  readonly journal?: true;
  readonly lenient?: true;
  readonly depth?: number;
  readonly cache: boolean;
  readonly threads?: number;
};

const HELP = `
The same engine and strategy files as live, on a virtual clock; the venue in process counts windows, locks and rejections
when requests arrive. A tape names every resting order, so the queue before an own offer is known: it is filled by takes
of offers that stand behind it. What no tape says is whether an offer that vanishes was taken or cancelled:
  pessimistic   cancelled, always
  calibrated    at the top of the book a share of it was taken: half, unless you measure it
  optimistic    taken, wherever nothing else explains it (depth, expiry, start, close, the id comes back)
The spread between them says how far the result hangs on that. To measure the share, record a real run (record.dir, or
oddsmaker record beside it) and give its journal: --calibrate looks for the share at which the backtest of those tapes
fills as much as the run did, between the journal's first and last record. Use it on other tapes by --calibrated-share.

--latency is one way, for requests, answers and prices alike: 80ms, 80ms±30ms (or 80ms+-30ms), or a journal, of which half
of each round trip is drawn. --results is a JSON file {"<gameId>": {"home": 101, "away": 97}}. --tape takes files
(.ndjson, .gz, .zst) and folders of them, merged by time; --from and --to are ISO times or offsets such as 20h from the
first frame. --depth tells where the ladders of a recording were cut: a row that falls off is no offer that vanished.

Writes into --out, over what is there: result.json (schema: docs/backtest-result.schema.json; the same inputs give the same
bytes), timing.json (how long it took, here), fills.csv (each with the fair price then and a minute later), markets.csv,
pnl.csv and pnl.svg (the result over time). A tape is decoded once: its compact form
is kept beside it (.<name>.compact), or in the cache folder of the user, and made anew when the tape's hash changes.
--journal adds <scenario>.ndjson, a journal like that of a run: why tells the whole story of an order that fills.csv names.
It holds every frame: half of a tape's size, or more.

Exit:  0 done; 2 a wrong command line; 65 a bad tape, journal or results file; 78 a bad configuration, a folder that
       cannot be written, or a strategy that failed (the results are written all the same); that of the bot where it
       ended early (74, 77: the results say why); 130 after Ctrl-C or SIGTERM.

Examples:
  oddsmaker backtest config/paper-nba.yaml --tape game.ndjson.gz --out data/backtest
  oddsmaker backtest config/paper.yaml --tape data/tapes --out out --fills pessimistic --latency 40ms±10ms --seed 7
  oddsmaker backtest config/live.yaml --tape data/tapes --out out --latency data/journal/<run>.ndjson
  oddsmaker backtest config/live.yaml --tape data/tapes --out out --calibrate data/journal/<run>.ndjson
  oddsmaker backtest config/live.yaml --tape data/tapes --out out --fills pessimistic --journal && \\
    oddsmaker why out/pessimistic.ndjson a.main.home-1.backtest-1
`;

export function registerBacktest(program: Command, finish: (code: number) => void): void {
  program
    .command('backtest')
    .summary('strategies against tapes')
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
      new Option('--fills <scenario>', 'what vanished offers were')
        .choices([...SCENARIOS, 'all'])
        .default('all'),
    )
    .option(
      '--latency <time|journal>',
      'one way: 80ms, 80ms±30ms, or a journal (default: 80ms±30ms)',
      latencyText,
    )
    .option('--seed <n>', 'of everything drawn', wholeNumber(-(2 ** 31), 2 ** 31), 1)
    .option('--results <file>', 'final scores, for settlement')
    .option(
      '--calibrate <journal>',
      'score the calibrated share on the fills of the run that the tapes recorded',
    )
    .option(
      '--calibrated-share <share>',
      'of what vanishes at the top of a book, taken: 0 to 1 (default: 0.5)',
      shareOfAll,
    )
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
    .action(async (file: string, flags: Flags, self: Command) => {
      // an orderly end: half of a compact tape is taken away again
      const end = (why: string, code: number): never => {
        const journals = flags.journal === true ? '; journals there may break off' : '';
        process.stderr.write(`\noddsmaker: ${why}, no results were written to ${flags.out}${journals}\n`);
        process.exit(code);
      };
      const interrupt = (): never => end('interrupted', INTERRUPTED);
      let modules: readonly StrategyModule[] = [];
      // a strategy’s promise, or what it asked the process to call: the run is not what its steps say
      const thrown = (error: unknown): never => {
        const told = blamed(modules, error);
        return told instanceof OddsmakerError
          ? end(told.message, told.exit)
          : end(`something was thrown outside of a step: ${told.stack}`, EXIT.bug);
      };
      for (const signal of SIGNALS) process.once(signal, interrupt);
      for (const event of THROWN) process.on(event, thrown);
      try {
        finish(
          await backtest(file, flags, {
            misused: (problem) => self.error(`error: ${problem}`, { exitCode: EXIT.usage }),
            loaded: (of) => (modules = of),
          }),
        );
      } finally {
        for (const signal of SIGNALS) process.off(signal, interrupt);
        for (const event of THROWN) process.off(event, thrown);
      }
    });
}

/** Bytes of tape. Of less, a thread has played most before its code is compiled well. */
const WORTH_THREADS = 20_000_000;

/** As a shell tells it after Ctrl-C. */
const INTERRUPTED = 130;
const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
const THROWN = ['uncaughtException', 'unhandledRejection'] as const;

/** What was thrown outside of a step, and by whom where that can be told. */
function blamed(modules: readonly StrategyModule[], thrown: unknown): Error {
  const error = asError(thrown);
  const [guilty] = thrownBy(modules, error);
  return guilty === undefined
    ? error
    : new OddsmakerError(
        'STRATEGY_INVALID',
        `strategy ${guilty.id} (${guilty.file}) threw outside a dispatch, in a promise or a callback: ${error.message}${placeOf(error)}`,
      );
}

type Doors = {
  readonly misused: (problem: string) => never;
  readonly loaded: (modules: readonly StrategyModule[]) => void;
};

async function backtest(file: string, flags: Flags, { misused, ...doors }: Doors): Promise<ExitCode> {
  const { calibrate: journal, calibratedShare, fills } = flags;
  if (journal !== undefined && calibratedShare !== undefined)
    misused('--calibrate measures the share that --calibrated-share tells: give one of them');
  if ((journal ?? calibratedShare) !== undefined && fills !== 'all' && fills !== 'calibrated')
    misused(`the calibrated share is of no use with --fills ${fills}`);
  const loaded = loadOffline(file, process.env);
  const life = beginLife();
  const { strategies, modules } = await loadCoreSettings(loaded, life);
  doors.loaded(modules);
  const code = codeOf(life);
  const results = flags.results === undefined ? undefined : readScores(flags.results);
  const resultsFile = flags.results === undefined ? null : await namedFile(flags.results);
  const latency = await latencyOf(flags.latency);
  const latencyJournal = latency.journal === undefined ? null : await namedJournal(latency.journal);
  const { requestTimeout } = loaded.config.exchange;
  if (leastRoundTrip(latency.model) >= requestTimeout)
    misused(
      `with a latency of ${latency.text} one way no answer comes within exchange.requestTimeout (${requestTimeout} ms): ` +
        'the bot could not even log in',
    );
  const real = journal === undefined ? undefined : await realRunOf(journal);
  const realJournal = journal === undefined ? undefined : await namedJournal(journal);
  const otherRun = journal === undefined ? undefined : await otherRunNote(journal, loaded.config, strategies);
  if (otherRun !== undefined) process.stderr.write(`${otherRun}\n`);
  const tapes = await findTapes(flags.tape);
  for (const [index, { file, sha256 }] of tapes.entries()) {
    const same = tapes.slice(0, index).find((other) => other.sha256 === sha256);
    if (same !== undefined)
      process.stderr.write(`oddsmaker: ${file} is the recording of ${same.file} again: it is told twice\n`);
  }
  prepareOut(flags.out);
  const lenient = flags.lenient === true;
  const first = await firstFrameOf(tapes, lenient);
  const from = flags.from === undefined && real !== undefined ? real.fromMs : tapeStartMs(flags.from, first);
  // before the first frame there is nothing to trade
  const fromMs = from > first ? from : undefined;
  const toMs = flags.to === undefined ? real?.toMs : tapeStartMs(flags.to, first);
  if (toMs !== undefined && toMs <= Math.max(from, first))
    misused(
      real !== undefined && flags.to === undefined
        ? `the run of ${journal} ended (${isoTime(toMs)}) before the tapes begin (${isoTime(first)})`
        : `--to (${isoTime(toMs)}) is not after the start (${isoTime(from)})`,
    );
  const scenarios = fills === 'all' ? SCENARIOS : [fills];
  const bytes = tapes.reduce((sum, tape) => sum + tape.bytes, 0);
  const wanted = flags.threads ?? (bytes < WORTH_THREADS ? 1 : availableParallelism());
  const atOnce = Math.min(wanted, scenarios.length);
  // threads do not get in each other's way
  const cache = !flags.cache ? 'none' : atOnce > 1 ? 'use' : 'make';
  const progress = new BacktestProgress(process.stderr, tapes);
  const began = performance.now();
  if (cache === 'use' && toMs === undefined) await compactAll(tapes, lenient, progress);
  const threads = new ScenarioThreads();
  const once: Once = async (scenario, share, name, journalled) => {
    const shown = progress.begin(name);
    const job: ScenarioJob = {
      tapes,
      code,
      reading: { lenient, cache, depth: flags.depth },
      latency: latency.model,
      seed: flags.seed,
      fromMs,
      toMs,
      results,
      fills: scenario,
      calibratedShare: share,
      journalIn: journalled === true ? flags.out : undefined,
    };
    const done = await (
      atOnce > 1
        ? threads.run({ job, loaded: { config: loaded.config, file } }, shown)
        : runJob(job, loaded, shown)
    )
      .catch((error: unknown) => {
        throw error instanceof OddsmakerError ? error : blamed(modules, error);
      })
      .finally(() => shown.end());
    if (done.run.traded === undefined) {
      const start = flags.from === undefined && journal !== undefined ? `the run of ${journal}` : '--from';
      misused(`the tapes end before ${start} (${isoTime(from)})`);
    }
    return done;
  };
  let calibration: Calibration | undefined;
  const dones = new Map<Scenario, ScenarioDone & { readonly ms: number }>();
  const play = async (scenario: Scenario): Promise<void> => {
    if (scenario === 'calibrated' && real !== undefined && journal !== undefined)
      calibration = await score(journal, real, once);
    const share = calibration?.share ?? calibratedShare ?? ASSUMED_SHARE;
    const beganAt = performance.now();
    const done = await once(scenario, share, scenario, flags.journal);
    dones.set(scenario, { ...done, ms: Math.round(performance.now() - beganAt) });
  };
  // what takes longest begins first, and a journal that nothing can be scored by is told at once
  const inOrder = real === undefined ? scenarios : [...scenarios].sort(calibratedFirst);
  try {
    await inTurns(
      inOrder.map((scenario) => () => play(scenario)),
      atOnce,
    );
  } finally {
    await threads.stop();
  }
  const ended = scenarios.flatMap((scenario) => {
    const done = dones.get(scenario);
    return done === undefined ? [] : [{ scenario, ...done }];
  });
  // of those that played to the end, all have read the same
  const longest = ended.toSorted((a, b) => b.run.frames - a.run.frames)[0];
  const { frames, counts } = longest ?? { frames: [], counts: [] };
  const runs = new Map(ended.map(({ scenario, run }) => [scenario, run]));
  const timing: BacktestTiming = {
    schema: 1,
    ms: Math.round(performance.now() - began),
    threads: atOnce,
    scenarios: ended.map(({ scenario, ms, run }) => {
      return { scenario, ms, framesPerSecond: Math.round((run.frames / ms) * 1000) };
    }),
  };
  const share = calibration?.share ?? calibratedShare ?? ASSUMED_SHARE;
  for (const note of notesOf(longest, { tapes, fills, results: flags.results, depth: flags.depth }))
    process.stderr.write(`${note}\n`);
  const result: BacktestResult = {
    schema: 1,
    inputs: {
      version: VERSION,
      tapes: tapes.map(({ file: name, sha256 }, index) => ({
        file: name,
        sha256,
        frames: frames[index] ?? 0,
        skipped: counts[index]?.skipped ?? 0,
        torn: counts[index]?.torn ?? false,
      })),
      config: redacted(loaded.config),
      strategies: [...strategies],
      seed: flags.seed,
      depth: flags.depth ?? null,
      latency: latency.text,
      latencyJournal,
      results: resultsFile,
      from: fromMs === undefined ? null : isoTime(fromMs),
      to: toMs === undefined ? null : isoTime(toMs),
      calibratedShare: share,
      calibratedBy:
        calibration === undefined || realJournal === undefined ? null : { ...realJournal, ...calibration.by },
    },
    scenarios: Object.fromEntries([...runs].map(([name, run]) => [name, run.result])),
    frames: Math.max(0, ...[...runs.values()].map((run) => run.frames)),
  };
  writeOut(flags.out, {
    'result.json': `${JSON.stringify(result, null, 2)}\n`,
    'timing.json': `${JSON.stringify(timing, null, 2)}\n`,
    'fills.csv': fillsCsv(runs),
    'markets.csv': marketsCsv(runs),
    'pnl.csv': curveCsv(runs),
    'pnl.svg': curveSvg(runs),
  });
  const journals = flags.journal === true ? [...runs.keys()].map(journalOf) : [];
  process.stdout.write(tableOf(result, timing, `${flags.out}: ${[...RESULTS, ...journals].join(', ')}`));
  for (const [name, { errors }] of runs)
    for (const { code, text } of errors) process.stderr.write(`oddsmaker: ${name}: ${code}: ${text}\n`);
  return exitOf([...runs.values()]);
}

/** One run over all tapes, under a name for its progress. */
type Once = (scenario: Scenario, share: number, name: string, journalled?: true) => Promise<ScenarioDone>;

type Calibration = {
  readonly share: number;
  readonly by: Omit<NonNullable<BacktestResult['inputs']['calibratedBy']>, 'file' | 'sha256'>;
};

const calibratedFirst = (a: Scenario, b: Scenario): number =>
  Number(b === 'calibrated') - Number(a === 'calibrated');

/** Tapes are decoded once, and not by each thread. */
async function compactAll(
  tapes: readonly Tape[],
  lenient: boolean,
  progress: BacktestProgress,
): Promise<void> {
  const shown = progress.begin('reading the tapes');
  for (const [index, tape] of tapes.entries())
    await compactTape(tape, { lenient, progress: (share) => shown.read(index, share) });
  shown.end();
}

/**
 * The share at which the backtest fills as much as the run did while both were at it.
 * @throws OddsmakerError JOURNAL_INVALID when the run filled nothing in that time
 */
async function score(journal: string, real: RealRun, once: Once): Promise<Calibration> {
  const fillsAt = new Map<number, number>();
  const runAt = async (share: number): Promise<ScenarioRun> => {
    const { run } = await once('calibrated', share, `calibrating ${fillsAt.size + 1}: ${share}`);
    fillsAt.set(share, run.result.fills);
    return run;
  };
  // where the tapes end is known once they were played
  const none = await runAt(0);
  const { fromMs, toMs } = none.traded ?? { fromMs: 0, toMs: 0 };
  const { fills, riskFilled } = filledBetween(real, fromMs, toMs);
  if (fills === 0)
    throw new OddsmakerError(
      'JOURNAL_INVALID',
      `${journal}: no fill between ${isoTime(fromMs)} and ${isoTime(toMs)}, so nothing to score by`,
    );
  const found = await calibrate(riskFilled, async (share) =>
    share === 0 ? none.result.riskFilled : (await runAt(share)).result.riskFilled,
  );
  return {
    share: found.share,
    by: {
      fills,
      riskFilled: cents(riskFilled),
      backtested: found.riskFilled,
      backtestedFills: fillsAt.get(found.share) ?? 0,
    },
  };
}

const isOfStrategy = (code: string): boolean => code.startsWith('STRATEGY_') || code === 'ASYNC_EMISSION';

/** A strategy that failed counts more than how a run ended. */
function exitOf(runs: readonly ScenarioRun[]): ExitCode {
  if (runs.some(({ errors }) => errors.some(({ code }) => isOfStrategy(code)))) return EXIT.badConfig;
  const early = runs.find(({ result: { end } }) => end !== null && end.exit !== EXIT.done);
  return (early?.result.end?.exit ?? EXIT.done) as ExitCode;
}

const namedFile = async (file: string): Promise<{ readonly file: string; readonly sha256: string }> => ({
  file,
  sha256: await sha256Of(file),
});
