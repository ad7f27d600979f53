// `oddsmaker backtest`: the strategies of a configuration against recorded markets, in three scenarios.
import { accessSync, constants, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { InvalidArgumentError, Option } from 'commander';
import type { ScenarioRun } from '../backtest/backtest.ts';
import { runScenario } from '../backtest/backtest.ts';
import type { Latency } from '../backtest/latency.ts';
import { DEFAULT_LATENCY, MeasuredLatency, parseLatency } from '../backtest/latency.ts';
import { MarketSource } from '../backtest/market-source.ts';
import type { BacktestResult } from '../backtest/result.ts';
import type { Scenario } from '../backtest/scenarios.ts';
import { CALIBRATED_SHARE, SCENARIOS } from '../backtest/scenarios.ts';
import { readScores } from '../backtest/scores.ts';
import type { TapeCount } from '../backtest/tape-cache.ts';
import { openTape, sha256Of } from '../backtest/tape-cache.ts';
import { loadConfig, redacted } from '../config/index.ts';
import type { ExitCode, TapeStart } from '../domain/index.ts';
import { EXIT, OddsmakerError, tapeStartMs } from '../domain/index.ts';
import { scanJournal } from '../record/journal-reader.ts';
import { curveCsv, curveSvg } from './backtest-curve.ts';
import { BacktestProgress, tableOf } from './backtest-text.ts';
import { expirationMinutesOf, loadCoreSettings } from './core-settings.ts';
import { tapeStart, wholeNumber } from './flags.ts';
import { ruleOf } from './former-lives.ts';

type Flags = {
  readonly tape: readonly string[];
  readonly out: string;
  readonly from?: TapeStart;
  readonly to?: TapeStart;
  readonly fills: Scenario | 'all';
  readonly latency?: string;
  readonly seed: number;
  readonly results?: string;
  readonly lenient?: true;
  readonly cache: boolean;
};

const HELP = `
The same engine and strategy files as live, on a virtual clock; the venue in process counts windows, locks and rejections
when requests arrive. A tape names every resting order, so the queue before an own offer is known: it is filled by takes
of offers that stand behind it. What no tape says is whether an offer that vanishes was taken or cancelled:
  pessimistic   cancelled, always
  calibrated    at the top of the book half of it was taken
  optimistic    taken, wherever nothing else explains it (depth, expiry, start, close, the id comes back)
The spread between them says how far the result hangs on that.

--latency is one way, for requests, answers and prices alike: 80ms, 80ms±30ms (or 80ms+-30ms), or a journal, of which half
of each round trip is drawn. --results is a JSON file {"<gameId>": {"home": 101, "away": 97}}. --tape takes files
(.ndjson, .gz, .zst) and folders of them, merged by time; --from and --to are ISO times or offsets such as 20h from the
first frame.

Writes into --out: result.json (schema: docs/backtest-result.schema.json; the same inputs give the same bytes),
timing.json (how long it took, here), pnl.csv and pnl.svg (the result over time). A tape is decoded once: its compact form
is kept beside it (.<name>.compact), or in the cache folder of the user, and made anew when the tape's hash changes.

Exit:  0 done; 2 a wrong command line; 65 a bad tape, journal or results file; 78 a bad configuration, a folder that
       cannot be written, or a strategy that failed (the results are written all the same); 130 after Ctrl-C.

Examples:
  oddsmaker backtest config/paper-nba.yaml --tape game.ndjson.gz --out data/backtest
  oddsmaker backtest config/paper.yaml --tape data/tapes --out out --fills pessimistic --latency 40ms±10ms --seed 7
  oddsmaker backtest config/live.yaml --tape data/tapes --out out --latency data/journal/<run>.ndjson
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
    .option('--lenient', 'leave out lines that cannot be read, and count them')
    .option('--no-cache', 'decode the lines of the tapes, and keep no compact form of them')
    .addHelpText('after', HELP)
    .action(async (file: string, flags: Flags, self: Command) => {
      // an orderly end: half of a compact tape is taken away again
      process.once('SIGINT', () => process.exit(INTERRUPTED));
      process.once('SIGTERM', () => process.exit(INTERRUPTED));
      finish(
        await backtest(file, flags, (problem) => self.error(`error: ${problem}`, { exitCode: EXIT.usage })),
      );
    });
}

/** As a shell tells it after Ctrl-C. */
const INTERRUPTED = 130;

type Tape = { readonly file: string; readonly bytes: number; readonly sha256: string };

async function backtest(file: string, flags: Flags, misused: (problem: string) => never): Promise<ExitCode> {
  const loaded = loadConfig(file, process.env);
  const { settings, strategies } = await loadCoreSettings(loaded);
  const results = flags.results === undefined ? undefined : readScores(flags.results);
  const latency = await latencyOf(flags.latency);
  const tapes: Tape[] = [];
  for (const name of filesOf(flags.tape))
    tapes.push({ file: name, bytes: statSync(name).size, sha256: await sha256Of(name) });
  prepareOut(flags.out);
  const first = await firstFrameOf(tapes, flags);
  const from = tapeStartMs(flags.from, first);
  // before the first frame there is nothing to trade
  const fromMs = from > first ? from : undefined;
  const toMs = flags.to === undefined ? undefined : tapeStartMs(flags.to, first);
  if (toMs !== undefined && toMs <= from)
    misused(`--to (${isoOf(toMs)}) is not after the start (${isoOf(from)})`);
  const wanted = flags.fills === 'all' ? SCENARIOS : [flags.fills];
  const runs = new Map<Scenario, ScenarioRun>();
  const timings: { scenario: Scenario; ms: number; framesPerSecond: number }[] = [];
  let counts: readonly TapeCount[] = [];
  let frames: readonly number[] = [];
  for (const scenario of wanted) {
    const progress = new BacktestProgress(process.stderr, scenario, tapes);
    const source = openSource(tapes, flags, progress);
    const began = performance.now();
    const run = await runScenario(source.market, {
      // what was recorded is told in the offerer's terms, whatever the exchange shows
      settings: {
        ...settings,
        profile: { ...settings.profile, bookPerspective: 'offerer' },
        housekeeping: 'when-due',
      },
      windows: {
        place: ruleOf(loaded, 'place'),
        cancel: ruleOf(loaded, 'cancel'),
        read: ruleOf(loaded, 'reads'),
      },
      requestTimeoutMs: loaded.config.exchange.requestTimeout,
      expirationMinutes: expirationMinutesOf(loaded),
      latency: latency.model,
      seed: flags.seed,
      fills: scenario,
      fromMs,
      toMs,
      results,
      onProgress: ({ frames, atMs }) => progress.show(frames, atMs),
    }).finally(() => {
      progress.end();
    });
    frames = [...source.market.frames];
    // what is left out is counted to the end, wherever the run stopped
    if (flags.lenient === true) while (await source.market.fill()) while (source.market.next() !== undefined);
    await source.market.close();
    if (!run.isTraded) misused(`the tapes end before --from (${isoOf(from)})`);
    const ms = performance.now() - began;
    timings.push({ scenario, ms: Math.round(ms), framesPerSecond: Math.round((run.frames / ms) * 1000) });
    runs.set(scenario, run);
    counts = source.counts;
  }
  for (const problem of counts.flatMap(({ problems }) => problems))
    process.stderr.write(`left out: ${problem}\n`);
  const result: BacktestResult = {
    schema: 1,
    inputs: {
      tapes: tapes.map(({ file: name, sha256 }, index) => ({
        file: name,
        sha256,
        frames: frames[index] ?? 0,
        skipped: counts[index]?.skipped ?? 0,
      })),
      config: redacted(loaded.config),
      strategies: [...strategies],
      seed: flags.seed,
      latency: latency.text,
      from: fromMs === undefined ? null : isoOf(fromMs),
      to: toMs === undefined ? null : isoOf(toMs),
      calibratedShare: CALIBRATED_SHARE,
    },
    scenarios: Object.fromEntries([...runs].map(([name, run]) => [name, run.result])),
    frames: Math.max(0, ...[...runs.values()].map((run) => run.frames)),
  };
  const write = (name: (typeof RESULTS)[number], text: string): void => {
    try {
      writeFileSync(join(flags.out, name), text);
    } catch (error) {
      throw outUnwritable(flags.out, error);
    }
  };
  write('result.json', `${JSON.stringify(result, null, 2)}\n`);
  write('timing.json', `${JSON.stringify({ schema: 1, scenarios: timings }, null, 2)}\n`);
  write('pnl.csv', curveCsv(runs));
  write('pnl.svg', curveSvg(runs));
  process.stdout.write(tableOf(result, timings, flags.out));
  for (const [name, { errors }] of runs)
    for (const { code, text } of errors) process.stderr.write(`oddsmaker: ${name}: ${code}: ${text}\n`);
  const hasFailed = [...runs.values()].some(({ errors }) =>
    errors.some(({ code }) => code.startsWith('STRATEGY_')),
  );
  return hasFailed ? EXIT.badConfig : EXIT.done;
}

const RESULTS = ['result.json', 'timing.json', 'pnl.csv', 'pnl.svg'] as const;

const isoOf = (ms: number): string => new Date(ms).toISOString();

/** Before anything is computed. @throws OddsmakerError OUT_UNWRITABLE */
function prepareOut(out: string): void {
  try {
    mkdirSync(out, { recursive: true });
    accessSync(out, constants.W_OK);
  } catch (error) {
    throw outUnwritable(out, error);
  }
  for (const name of RESULTS)
    if (statSync(join(out, name), { throwIfNoEntry: false })?.isDirectory() === true)
      throw new OddsmakerError('OUT_UNWRITABLE', `--out ${out}: ${name} is a folder there`);
}

const outUnwritable = (out: string, error: unknown): OddsmakerError =>
  new OddsmakerError('OUT_UNWRITABLE', `--out ${out}: ${error instanceof Error ? error.message : ''}`);

function openSource(
  tapes: readonly Tape[],
  flags: Pick<Flags, 'lenient' | 'cache'>,
  progress: BacktestProgress | undefined,
): { readonly market: MarketSource; readonly counts: readonly TapeCount[] } {
  const opened = tapes.map((tape, index) =>
    openTape(tape, {
      lenient: flags.lenient === true,
      cached: flags.cache,
      progress: (share) => progress?.read(index, share),
    }),
  );
  const streams = opened.map(({ events }, index) => ({ name: tapes[index]?.file ?? '', batches: events }));
  return { market: new MarketSource(streams), counts: opened.map(({ count }) => count) };
}

/** @throws OddsmakerError TAPE_INVALID when no tape has a frame */
async function firstFrameOf(tapes: readonly Tape[], { lenient }: Flags): Promise<number> {
  // what it reads is the beginning only: nothing to keep
  const { market } = openSource(
    tapes,
    { ...(lenient === undefined ? {} : { lenient }), cache: false },
    undefined,
  );
  await market.fill();
  let event = market.next();
  // that a recorder connected is no frame yet
  while (event?.what === 'up' || event?.what === 'down') event = market.next();
  await market.close();
  if (event !== undefined) return event.ts;
  throw new OddsmakerError(
    'TAPE_INVALID',
    `${tapes[0]?.file ?? '--tape'}:1: no frame of a price feed in this file`,
  );
}

const TAPE_FILE = /\.ndjson(\.gz|\.zst)?$/;

function filesOf(names: readonly string[]): readonly string[] {
  return names.flatMap((name) => {
    const stat = statSync(name, { throwIfNoEntry: false });
    if (stat === undefined)
      throw new OddsmakerError('TAPE_INVALID', `${name}:1: there is no such file or folder`);
    if (!stat.isDirectory()) return [name];
    const files = readdirSync(name)
      .filter((entry) => TAPE_FILE.test(entry))
      .sort();
    if (files.length === 0)
      throw new OddsmakerError(
        'TAPE_INVALID',
        `${name}:1: no tape in this folder (.ndjson, .ndjson.gz, .ndjson.zst)`,
      );
    return files.map((entry) => join(name, entry));
  });
}

async function latencyOf(
  text: string | undefined,
): Promise<{ readonly model: Latency; readonly text: string }> {
  if (text === undefined) return { model: DEFAULT_LATENCY, text: '80ms±30ms' };
  const model = parseLatency(text);
  if (model !== undefined) return { model, text };
  const measured = new MeasuredLatency();
  await scanJournal(text, {
    step: ({ input, commands }) => measured.applyStep(input, commands),
    torn: () => undefined,
  });
  if (measured.latency === undefined)
    throw new OddsmakerError(
      'JOURNAL_INVALID',
      `${text}: no answered request in this journal, so it measures no latency`,
    );
  return { model: measured.latency, text: `measured from ${text}` };
}

function latencyText(text: string): string {
  if (parseLatency(text) === undefined && statSync(text, { throwIfNoEntry: false })?.isFile() !== true)
    throw new InvalidArgumentError(
      'expected 80ms, 80ms±30ms with the second no larger, or the file of a journal',
    );
  return text;
}
