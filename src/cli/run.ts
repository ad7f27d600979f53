// `oddsmaker run`: the bot, against the exchange of the configuration or an embedded paper exchange.
import { writeSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { GateMark, LoadedConfig, Overrides } from '../config/index.ts';
import { loadConfig, loadGate } from '../config/index.ts';
import { EXIT, messageOf, OddsmakerError } from '../domain/index.ts';
import { createLog, SafetyNet, StandingFile, StatusLine, uniteSpellings, STOPPED_BY } from '../ops/index.ts';
import { LogTail } from '../page/index.ts';
import {
  Alerting,
  alertTargetsOf,
  THROWN,
  loadCoreSettings,
  missingForRun,
  makeRunFolder,
  runFilesOf,
  accountOf,
  misspeltLeagues,
  formerLives,
  NO_FORMER_LIFE,
} from '../setup/index.ts';
import {
  alertOfBot,
  alertOfEnd,
  Bot,
  openPage,
  BotMemory,
  openSignals,
  teamsOf,
  dryOf,
  startDryExchange,
  EarlyEnd,
  HotReload,
  withEdited,
  watchReadiness,
  learnUser,
  embeddedFor,
  targetOf,
  tellSupervisor,
  recorderFor,
  watchRun,
} from '../live/index.ts';
import type { BotResult } from '../run/index.ts';
import type { BotPage, BotSignals, EditedParams, EmbeddedExchange } from '../live/index.ts';
import { demandPaths } from './gate-paths.ts';
import { withEnvFile } from './env-file.ts';
import { fillLedger } from '../ledger/index.ts';
import { amount, duration, positive, tapeStart } from './flags.ts';
import { startText } from './start-text.ts';
import { jsonOf, jsonOfNothing } from '../run/index.ts';
import { summaryOf } from './summary.ts';

/** Without a terminal the state is logged this often. */
const REPORT_EVERY_MS = 30_000;
/** How long the exchange may take to tell its own counts. */
const COUNTS_MS = 2000;

/**
 * Under npm a signal may end npm and its shell and never reach us: when the parent is gone, that was the signal.
 * Started directly, a bot may well outlive its shell.
 */
function watchParent(stop: () => void): NodeJS.Timeout | undefined {
  if (process.env['npm_lifecycle_event'] === undefined) return undefined;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    stop();
  }, 500);
  return timer;
}

type Flags = {
  readonly tape: readonly string[];
  readonly from?: string;
  readonly speed?: number;
  readonly for?: number;
  readonly json?: true;
  readonly dayLoss?: number;
  readonly gate?: string;
  readonly dry?: true;
  readonly envFile?: string;
};

const HELP = `
On a terminal one line shows the state; elsewhere the log is JSON lines on stderr. What the run came to goes to stdout.
Ctrl-C (or SIGTERM, or --for) stops in order: no new quotes, everything cancelled, the exchange asked until nothing is
open, a summary. A second Ctrl-C cancels everything on the account and leaves at once with exit 74.

--dry logs in and listens to the exchange of the file, and gives its books to a paper exchange in this process, where the bot
trades with all its windows, limits and records (journals in <journal.dir>/dry, the ledger in *.dry.db; ctl --dry talks to it).
Nothing that places, edits or cancels leaves the machine. Fills are those that the books prove: takes before or through its own
offers; what vanished counts as cancelled. It goes on beside a bot that trades with money. When the real feed falls, so does its.

Exit:  0 stopped and confirmed; 2 a wrong command line; 65 a bad tape, or the ledger was lost; 70 a bug, or a strategy that nobody could name
       threw outside a step; 74 it could not be confirmed that nothing is open; 75 the exchange did not answer within
       exchange.startTimeout, ops.port stays taken, the disk has no room, the ledger is locked by another program, or
       journal, lease or their folder were gone at the end; 76 stopped and confirmed, but the ledger was not written (the next
       start takes in what is missing from the journal, or pnl --rebuild); 77 login refused, account banned or closed, wrong
       player mode, or another bot of the account is running; 78 a bad
       configuration, or a strategy was taken off for good (--json: faults).

Examples:
  oddsmaker run config/paper.yaml
  oddsmaker run config/paper.yaml --for 30s --json
  oddsmaker run config/live.yaml --env-file .env --dry --for 2h
  oddsmaker run config/paper-nba.yaml --tape game.ndjson.gz --from 2019-12-28T23:30:00Z --speed 60 --for 60s --json
`;

export function registerRun(command: Command, finish: (code: number) => void): void {
  withEnvFile(command)
    .description('Makes markets as the configuration says, until it is stopped.')
    .argument('<config>', 'YAML file')
    .option(
      '--tape <file>',
      'recorded feed for the embedded exchange, or the folder of a recorder; repeat for several',
      (file: string, before: readonly string[]) => [...before, file],
      [],
    )
    .option('--from <time>', 'where the tape starts: ISO time, or offset such as 20h', tapeStartText)
    .option('--speed <x>', 'how much faster tapes play, and the lives of made-up games', positive)
    .option('--for <duration>', 'stop in order after this long, such as 60s', duration)
    .option(
      '--day-loss <dollars>',
      'what the account has lost since risk.dayStartsAt, where the ledger was lost and cannot tell',
      amount,
    )
    .option(
      '--dry',
      'watch the real exchange and trade on a paper exchange with its books: nothing that places, edits or cancels leaves',
    )
    .option(
      '--gate <file>',
      'what the run is judged by later (oddsmaker gate): its hash goes into the journal',
    )
    .option('--json', 'print one JSON object on stdout at the end')
    .addHelpText('after', HELP)
    .action(async (file: string, flags: Flags, self: Command) => {
      finish(await run(file, flags, (problem) => self.error(`error: ${problem}`, { exitCode: EXIT.usage })));
    });
}

/**
 * `beside`: goes on beside the bot, once it is there, until what it returns is called; only an embedded exchange is taken then.
 */
export async function run(
  file: string,
  flags: Flags,
  misused: (problem: string) => never,
  beside?: (hot: HotReload, bot: Bot) => () => void,
): Promise<number> {
  const real = loadFor(file, flags, misused);
  const written = flags.dry === true ? dryOf(real) : real;
  // what an operator changed is in force before the first send
  const edited = keptParams(written);
  const loaded = edited === undefined ? written : { ...written, config: withEdited(written.config, edited) };
  if (beside !== undefined) demandEmbedded(loaded);
  if (flags.dry === true && overridesOf(flags).length > 0)
    misused('--dry has the books of the real exchange: --tape, --from and --speed are for an embedded one');
  if (flags.from !== undefined && loaded.config.exchange.embedded?.tapes.length === 0)
    misused('--from needs a tape, from --tape or exchange.embedded.tapes');
  if (flags.dayLoss !== undefined && loaded.config.exchange.embedded !== undefined)
    misused('--day-loss is for an exchange that is not embedded');
  demandDayLimit(loaded);
  const teams = teamsOf(loaded);
  const gate = flags.gate === undefined ? undefined : gateFor(loaded, flags.gate);
  const terminal = process.stderr.isTTY && flags.json !== true;
  const tail = new LogTail();
  const rootLog = createLog(loaded.config.log.level, terminal);
  const alerting = new Alerting(
    `${accountOf(loaded.config.exchange).username}${flags.dry === true ? ', DRY' : ''}`,
    alertTargetsOf(loaded.config.alerts, file),
    tail.around(rootLog),
    [
      {
        level: 'info',
        repeatMs: Number.POSITIVE_INFINITY,
        send: (message) => {
          tail.alert(message);
          memory?.alert(message);
        },
      },
    ],
  );
  const { log } = alerting;
  for (const fields of misspeltLeagues(loaded.config))
    log.warn('a league of markets.leagues is not known', fields);
  if (terminal) process.stderr.write(startText(loaded, flags.dry === true ? real : undefined));
  if (flags.dry === true)
    log.warn('dry: the books are those of the exchange, and nothing is placed there', {
      exchange: real.config.exchange.restUrl,
    });
  const beganAt = performance.now();
  let isTold = false;
  /** A program waits for its object, whatever ended the run. */
  const tellNothing = (): void => {
    if (flags.json === true && !isTold)
      process.stdout.write(`${JSON.stringify(jsonOfNothing(Math.round(performance.now() - beganAt)))}\n`);
    isTold = true;
  };
  const early = new EarlyEnd(log, tellNothing);
  let memory: BotMemory | undefined;
  let net: SafetyNet | undefined;
  let exchange: EmbeddedExchange | undefined;
  let line: StatusLine | undefined;
  let page: BotPage | undefined;
  let signals: BotSignals | undefined;
  let unwatch: (() => void) | undefined;
  let watching: NodeJS.Timeout | undefined;
  let endBeside: (() => void) | undefined;
  let endReload: (() => void) | undefined;
  let endTelling: (() => void) | undefined;
  try {
    const loadedCore = await loadCoreSettings(loaded).catch((error: unknown) => {
      throw edited === undefined ? error : withEdits(error, edited, runFilesOf(loaded).standing);
    });
    early.modules = loadedCore.modules;
    early.hearSignals();
    makeRunFolder(runFilesOf(loaded).folder);
    // a dry run logs in elsewhere
    if (flags.dry !== true) await learnUser(loaded, log);
    const files = runFilesOf(loaded);
    uniteSpellings(files);
    net = early.net = new SafetyNet(files, loaded.config.guard.deadline, log);
    exchange = flags.dry === true ? await startDryExchange(real, log) : await embeddedFor(loaded, log);
    const target = targetOf(loaded, exchange);
    // an exchange that started with us has counted nothing yet
    const former =
      exchange === undefined
        ? await formerLives(loaded, target.username, files.resting, log)
        : NO_FORMER_LIFE;
    await fillLedger(loaded, files, log);
    const kept = (memory = new BotMemory({
      ...{ loaded, files, net, log, username: target.username, dayLoss: flags.dayLoss },
    }));
    const bot = new Bot(
      loaded,
      loadedCore,
      { ...target, former },
      {
        ...{ log, net, memory: kept, gate },
        // an exchange that starts with us has no orders of before
        restingFile: exchange === undefined ? files.resting : undefined,
        ...(loaded.config.record.dir === null
          ? {}
          : { recorder: (token) => recorderFor(loaded, target, log, { token }) }),
      },
    );
    const hot = new HotReload(
      {
        ...{ loaded, core: loadedCore, bot: bot.strategies, log },
        // a slip is told, and ends nothing
        read: () => {
          const told = loadConfig(file, process.env, overridesOf(flags));
          return flags.dry === true ? dryOf(told) : told;
        },
        apply: ({ config }) => {
          rootLog.setLevel(config.log.level);
          alerting.retarget(alertTargetsOf(config.alerts, file));
        },
        keep: (params) => kept.keepParams(params),
      },
      edited,
    );
    endReload = () => void hot.close();
    if (edited !== undefined)
      log.warn('parameters are those that an operator set, not those of the file: a reload ends it', {
        edited,
      });
    const readiness = watchReadiness(loaded, bot, log);
    watching = readiness.timer;
    const { state, problems } = readiness;
    const watchedNet = net;
    const prices = (signals = await openSignals({
      ...{ loaded, bot, teams, log },
      starting: () => watchedNet.starting,
    }));
    alertOfBot(alerting, loaded, { bot, net, problems, signals: prices });
    await net.open({
      enter: (input) => bot.enter(input),
      state,
      status: () => ({
        ...bot.view,
        ...{ latencies: bot.latencies, problems: problems(), signals: bot.signals },
        ...prices.status,
      }),
      markets: () => bot.markets,
      journal: () => bot.journal,
      configure: (change, by) =>
        change.type === 'reload'
          ? hot.reload(by, change.isDry)
          : hot.setParams(change.strategy, change.params, by),
    });
    page = await openPage({
      ...{ hot, bot, net, files, problems, signals: prices, tail, log },
      formerPnl: kept.formerPnl,
      isDry: flags.dry === true,
      envFile: flags.envFile,
    });
    if (terminal && page.url !== undefined) process.stderr.write(`page: ${page.url}\n`);
    if (exchange === undefined && net.guardPid === undefined)
      log.warn('no guard watches this bot: start `oddsmaker guard` with the same file', {});
    unwatch = watchRun(
      {
        deadlineMs: loaded.config.guard.deadline,
        exchange: { ...loaded.config.exchange, ...target },
        alerts: alertTargetsOf(loaded.config.alerts, file),
      },
      () => bot.strategies.running,
      ({ strategy, at: { file, line }, text, open }) => {
        bot.faults.add({ strategy, code: 'STRATEGY_STUCK', text, file, line });
        const code = open === undefined ? EXIT.notConfirmed : EXIT.badConfig;
        const result = bot.result(code, `strategy ${strategy} never returned: ${text}`);
        bot.secureJournal();
        watchedNet.endedNow(open !== undefined);
        watchedNet.close();
        isTold = true;
        const ended = { ...result, status: { ...result.status, openAtExit: open } };
        const said = flags.json === true ? `${JSON.stringify(jsonOf(ended))}\n` : summaryOf(ended, bot.kept);
        // nothing waits for a loop that stands still
        writeSync(1, said);
        log.error('the run is over', { exit: code, reason: result.reason, ...bot.kept });
        return code;
      },
    );
    let stops = 0;
    const stop = (signal?: NodeJS.Signals): void => {
      // nobody sits before a service: there it means what it means to all services
      if (signal === 'SIGHUP' && !process.stdin.isTTY) {
        void hot.reload('SIGHUP');
        return;
      }
      // who closes a terminal is gone: a shell may pass that on once more
      if (signal === 'SIGHUP' && stops > 0) return;
      stops += 1;
      bot.stop(stops === 1 ? 'stop' : 'abort');
    };
    for (const signal of STOPPED_BY) process.on(signal, stop);
    // nothing may end the process while quotes rest, however often something is thrown
    for (const event of THROWN) process.on(event, (thrown: unknown) => bot.applyLoose(thrown));
    early.end();
    endBeside = beside?.(hot, bot);
    endTelling = tellSupervisor(bot, watchedNet, log);
    const timer =
      flags.for === undefined
        ? undefined
        : setTimeout(() => {
            bot.stop('stop');
          }, flags.for);
    if (terminal) {
      line = new StatusLine(process.stderr, () => bot.view);
    }
    const report = terminal
      ? undefined
      : setInterval(() => {
          const { markets, wanted, resting, fills, pnl, permits, feeds, unknown } = bot.status;
          log.info('status', { markets, wanted, resting, fills, pnl, permits, feeds, unknown });
        }, REPORT_EVERY_MS);
    const orphaned = watchParent(() => {
      // a signal may have told us as well
      if (stops === 0) stop();
    });
    const interrupted = new Promise<never>((_resolve, reject) => {
      void exchange?.died.then(reject);
    });
    interrupted.catch(() => undefined);
    const tell = (result: BotResult): void => {
      isTold = true;
      process.stdout.write(
        flags.json === true ? `${JSON.stringify(jsonOf(result))}\n` : summaryOf(result, bot.kept),
      );
    };
    const result = await bot
      .run(interrupted)
      .catch((error: unknown) => {
        const { exit, message } =
          error instanceof OddsmakerError ? error : { exit: EXIT.bug, message: String(error) };
        const result = bot.result(exit, message);
        // whatever ended the run, what it sent is told
        if (flags.json === true || result.requests.place > 0) tell(result);
        throw error;
      })
      .finally(() => {
        clearTimeout(timer);
        clearInterval(report);
        clearInterval(orphaned);
        line?.stop();
      });
    tell(result);
    alertOfEnd(alerting, result);
    if (exchange !== undefined)
      log.info("the venue's own counts", await venueCounts(exchange, target.username));
    log.info('the run is over', { exit: result.code, reason: result.reason, ...bot.kept });
    return result.code;
  } catch (error) {
    tellNothing();
    const code = error instanceof OddsmakerError ? error.exit : EXIT.bug;
    alertOfEnd(alerting, { code, reason: messageOf(error) });
    throw error;
  } finally {
    endBeside?.();
    endTelling?.();
    endReload?.();
    unwatch?.();
    line?.stop();
    clearInterval(watching);
    await signals?.close();
    await page?.close();
    await exchange?.close();
    net?.close();
    early.end();
    await alerting.close();
  }
}

/** Nobody who looks at the file alone would find it. */
function withEdits(error: unknown, edited: EditedParams, standing: string): unknown {
  if (!(error instanceof OddsmakerError) || error.code !== 'STRATEGY_PARAMS') return error;
  const set = JSON.stringify(edited);
  return new OddsmakerError(
    'STRATEGY_PARAMS',
    `${error.message}\nAn operator set ${set} over the file, which holds until a reload: where that is what is wrong, take "params" out of ${standing}`,
    { cause: error },
  );
}

/** What an operator set over the file while a former run went on; undefined: nothing. */
function keptParams(loaded: LoadedConfig): EditedParams | undefined {
  const ids = new Set(loaded.config.strategies.map(({ id }) => id));
  const { params } = new StandingFile(runFilesOf(loaded).standing).state;
  const kept = Object.entries(params ?? {}).filter(([id]) => ids.has(id));
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

/** `--tape` and its kin only mean something to an embedded exchange. */
function loadFor(file: string, flags: Flags, misused: (problem: string) => never): LoadedConfig {
  const overrides = overridesOf(flags);
  try {
    return loadConfig(file, process.env, overrides);
  } catch (error) {
    if (overrides.length > 0 && namesExchange(file))
      misused(
        `--tape, --from and --speed are for an embedded exchange: ${file} connects to another one (exchange.restUrl)`,
      );
    throw error;
  }
}

function namesExchange(file: string): boolean {
  try {
    return loadConfig(file, process.env).config.exchange.restUrl !== undefined;
  } catch {
    return false;
  }
}

function overridesOf(flags: Flags): Overrides {
  const set = (key: string, value: unknown): Overrides =>
    value === undefined ? [] : [{ path: ['exchange', 'embedded', key], value }];
  return [
    ...set('tapes', flags.tape.length === 0 ? undefined : flags.tape.map((tape) => resolve(tape))),
    ...set('traders', flags.tape.length === 0 ? undefined : 'tape'),
    ...set('from', flags.from),
    ...set('speed', flags.speed),
  ];
}

/** Files that are tried out are no business of an account with money. */
function demandEmbedded({ config, problem }: LoadedConfig): void {
  if (config.exchange.embedded === undefined)
    throw problem(
      ['exchange'],
      'dev works on the paper exchange: it needs exchange.embedded, and never touches another one',
    );
}

/** rules.md, 14: with money at stake somebody must have said what a day may cost. */
function demandDayLimit(loaded: LoadedConfig): void {
  const missing = missingForRun(loaded);
  if (missing !== undefined) throw missing;
}

/** @throws OddsmakerError CONFIG_INVALID */
function gateFor(loaded: LoadedConfig, file: string): GateMark {
  if (loaded.config.journal.dir === null)
    throw loaded.problem(['journal', 'dir'], 'a gate is judged by the journals of its runs: keep one');
  const { gate, mark } = loadGate(file);
  demandPaths(file, gate);
  return mark;
}

/**
 * What the exchange itself counted for the account; for comparison with our own. One that is gone or hangs by now changes
 * nothing of the run.
 */
async function venueCounts(
  exchange: EmbeddedExchange,
  username: string,
): Promise<Readonly<Record<string, unknown>>> {
  try {
    const signal = AbortSignal.timeout(COUNTS_MS);
    const response = await fetch(`${exchange.adminUrl}/accounts/${username}`, { signal });
    return (await response.json()) as Readonly<Record<string, unknown>>;
  } catch (error) {
    return { problem: messageOf(error) };
  }
}

/** Checked here, and read where the tape is played. */
function tapeStartText(text: string): string {
  tapeStart(text);
  return text;
}
