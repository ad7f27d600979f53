// One run of a live bot, from opening its log to its last log line. Resources are opened in order and
// closed in reverse order.
import type { GateMark, LoadedConfig } from '../config/index.ts';
import { EXIT, messageOf, OddsmakerError } from '../domain/index.ts';
import type { Log } from '../ops/index.ts';
import { createLog, SafetyNet, StatusLine, uniteSpellings } from '../ops/index.ts';
import { fillLedger } from '../ledger/index.ts';
import { LogTail } from '../page/index.ts';
import type { BotResult } from '../run/index.ts';
import type { LoadedCore } from '../setup/index.ts';
import {
  accountOf,
  Alerting,
  alertTargetsOf,
  readFormerRuns,
  deprecatedPrices,
  looseLimits,
  loadCoreSettings,
  makeRunFolder,
  misspeltLeagues,
  NO_FORMER_RUNS,
  runFilesOf,
} from '../setup/index.ts';
import { alertOfBot, alertOfEnd } from './bot-alerts.ts';
import type { DoorTarget } from './bot-door.ts';
import { BotMemory } from './bot-memory.ts';
import { openPage } from './bot-page.ts';
import type { RecordedFiles } from './bot-records.ts';
import { openSignals, teamsOf } from './bot-signals.ts';
import { Bot } from './bot.ts';
import { startDryExchange } from './dry-exchange.ts';
import { EarlyEnd } from './early-end.ts';
import type { EmbeddedExchange } from './embedded.ts';
import { embeddedFor, targetOf, venueCounts } from './embedded.ts';
import type { EditedParams } from './hot-reload.ts';
import { HotReload } from './hot-reload.ts';
import { learnUser } from './known-user.ts';
import { watchReadiness } from './ready-watch.ts';
import { recorderFor } from './recorder.ts';
import { RunSignals } from './run-signals.ts';
import { watchRun } from './stuck-run.ts';
import { notifySupervisor } from './supervisor.ts';
import { warnHabits } from './warn-habits.ts';

/** Interval of status log lines when there is no terminal, ms. */
const REPORT_EVERY_MS = 30_000;

/** Output of a run: for a person at a terminal, or for a program that reads one JSON object. */
export type RunScreen = {
  readonly isTerminal: boolean;
  /** Called when the log is open and the run begins. */
  readonly begin: () => void;
  readonly page: (url: string) => void;
  readonly ended: (result: BotResult, kept: RecordedFiles) => void;
  /** Called when the run failed, with its result so far. */
  readonly failed: (result: BotResult, kept: RecordedFiles) => void;
  /** Like `ended`, but synchronous: the process ends right after it. */
  readonly endedNow: (result: BotResult, kept: RecordedFiles) => void;
  /** Called when the run ended without a result. Does nothing when a result was shown already. */
  readonly nothing: () => void;
};

export type RunOptions = {
  /** Path of the YAML file as given on the command line. */
  readonly file: string;
  /** The configuration in force, `edited` included. In a dry run it embeds the paper exchange. */
  readonly loaded: LoadedConfig;
  /** Parameters that an operator set during an earlier run. They override the file. */
  readonly edited: EditedParams | undefined;
  /** The configuration with the real exchange whose books a dry run copies. Undefined in other runs. */
  readonly watched: LoadedConfig | undefined;
  /** Reads the file again, with the same command-line flags. @throws OddsmakerError CONFIG_INVALID */
  readonly read: () => LoadedConfig;
  readonly gate: GateMark | undefined;
  /** Stops the run in order after this time, ms. Undefined when there is no time limit. */
  readonly forMs: number | undefined;
  /** Value of `--day-loss`, dollars. */
  readonly dayLoss: number | undefined;
  readonly envFile: string | undefined;
  readonly screen: RunScreen;
  /** Started once the bot exists. The function it returns stops it. */
  readonly beside: ((hot: HotReload, bot: Bot) => () => void) | undefined;
};

type Logs = {
  readonly log: Log;
  readonly rootLog: ReturnType<typeof createLog>;
  readonly alerting: Alerting;
  readonly tail: LogTail;
  /** Writes alerts to the ledger. Undefined until the ledger is open. */
  memory: BotMemory | undefined;
};

/** Everything that must be open before the bot is created. */
type OpenedAccount = {
  readonly loadedCore: LoadedCore;
  readonly files: ReturnType<typeof runFilesOf>;
  readonly net: SafetyNet;
  readonly exchange: EmbeddedExchange | undefined;
  readonly target: DoorTarget;
  readonly memory: BotMemory;
};

/** @returns the exit code of the process */
export async function runBot(options: RunOptions): Promise<number> {
  const { screen } = options;
  const teams = teamsOf(options.loaded);
  await using stack = new AsyncDisposableStack();
  const logs = openLogs(options, stack);
  const { log, alerting } = logs;
  try {
    const early = new EarlyEnd(log, screen.nothing);
    stack.defer(() => early.removeHandlers());
    const account = await openAccount(options, logs, early, stack);
    const { bot, hot } = await compose(options, logs, account, teams, stack);
    const signals = new RunSignals(bot, hot);
    early.removeHandlers();
    if (options.beside !== undefined) stack.defer(options.beside(hot, bot));
    stack.defer(notifySupervisor(bot, account.net, log));
    const result = await trade(options, logs, { bot, signals, exchange: account.exchange });
    screen.ended(result, bot.kept);
    alertOfEnd(alerting, result);
    if (account.exchange !== undefined)
      log.info("the venue's own counts", await venueCounts(account.exchange, account.target.username));
    log.info('the run has ended', { exit: result.code, reason: result.reason, ...bot.kept });
    return result.code;
  } catch (error) {
    screen.nothing();
    const code = error instanceof OddsmakerError ? error.exit : EXIT.bug;
    alertOfEnd(alerting, { code, reason: messageOf(error) });
    throw error;
  }
}

function openLogs({ loaded, watched, file, screen }: RunOptions, stack: AsyncDisposableStack): Logs {
  const tail = new LogTail();
  const rootLog = createLog(loaded.config.log.level, screen.isTerminal);
  const alerting = new Alerting(
    `${accountOf(loaded.config.exchange).username}${watched === undefined ? '' : ', DRY'}`,
    alertTargetsOf(loaded.config.alerts, file),
    tail.around(rootLog),
    [
      {
        level: 'info',
        repeatMs: Number.POSITIVE_INFINITY,
        send: (message) => {
          tail.alert(message);
          logs.memory?.alert(message);
        },
      },
    ],
  );
  const { log } = alerting;
  const logs: Logs = { log, rootLog, alerting, tail, memory: undefined };
  stack.defer(() => alerting.close());
  for (const fields of misspeltLeagues(loaded.config)) log.warn('a league of markets.leagues is not known', fields);
  screen.begin();
  if (watched !== undefined)
    log.warn('dry: the books are those of the exchange, and nothing is placed there', {
      exchange: watched.config.exchange.restUrl,
    });
  return logs;
}

/** Loads the strategies and opens lease, exchange, ledger and the state that former runs left. */
async function openAccount(
  { loaded, edited, watched, dayLoss }: RunOptions,
  logs: Logs,
  early: EarlyEnd,
  stack: AsyncDisposableStack,
): Promise<OpenedAccount> {
  const { log } = logs;
  const loadedCore = await loadCoreSettings(loaded).catch((error: unknown) => {
    throw edited === undefined ? error : withEdits(error, edited, runFilesOf(loaded).standing);
  });
  early.modules = loadedCore.modules;
  for (const warning of deprecatedPrices(loadedCore.strategies))
    log.warn('a strategy uses a deprecated name', { warning });
  warnHabits(log, loadedCore.strategies);
  for (const warning of looseLimits(loaded)) log.warn('a key of the configuration has no effect', { warning });
  early.handleSignals();
  makeRunFolder(runFilesOf(loaded).folder);
  // a dry run logs in to the real exchange in startDryExchange
  if (watched === undefined) await learnUser(loaded, log);
  // the paths depend on the user id
  const files = runFilesOf(loaded);
  uniteSpellings(files);
  const net = (early.net = new SafetyNet(files, loaded.config.guard.deadline, log));
  stack.defer(() => net.close());
  const exchange = watched === undefined ? await embeddedFor(loaded, log) : await startDryExchange(watched, log);
  stack.defer(() => exchange?.close());
  const target = targetOf(loaded, exchange);
  // an exchange started by this run has counted no requests yet
  const former =
    exchange === undefined ? await readFormerRuns(loaded, target.username, files.resting, log) : NO_FORMER_RUNS;
  await fillLedger(loaded, files, log);
  const { username } = target;
  const memory = (logs.memory = new BotMemory({ loaded, files, net, log, username, dayLoss }));
  return { loadedCore, files, net, exchange, target: { ...target, former }, memory };
}

/** The bot, with its page, control socket, alerts and signals. */
async function compose(
  options: RunOptions,
  logs: Logs,
  account: OpenedAccount,
  teams: ReturnType<typeof teamsOf>,
  stack: AsyncDisposableStack,
): Promise<{ readonly bot: Bot; readonly hot: HotReload }> {
  const { loaded, gate, envFile, screen, watched } = options;
  const { log, alerting, tail } = logs;
  const { loadedCore, files, net, exchange, target, memory } = account;
  const bot = new Bot(loaded, loadedCore, target, {
    log,
    net,
    memory,
    gate,
    // an exchange started by this run has no orders of former runs
    restingFile: exchange === undefined ? files.resting : undefined,
    ...(loaded.config.record.dir === null ? {} : { recorder: (token) => recorderFor(loaded, target, log, { token }) }),
  });
  const hot = reloadOf(options, logs, account, bot);
  stack.defer(() => void hot.close());
  const readiness = watchReadiness(loaded, bot, log);
  stack.defer(() => clearInterval(readiness.timer));
  const { state, problems } = readiness;
  const signals = await openSignals({ loaded, bot, teams, log, starting: () => net.starting });
  stack.defer(() => signals.close());
  alertOfBot(alerting, loaded, { bot, net, problems, signals });
  await net.open({
    enter: (input) => bot.enter(input),
    state,
    status: () => ({
      ...bot.view,
      latencies: bot.latencies,
      problems: problems(),
      signals: bot.signals,
      ...signals.status,
    }),
    markets: () => bot.markets,
    risk: () => bot.risk,
    journal: () => bot.journal,
    configure: (change, by) =>
      change.type === 'reload' ? hot.reload(by, change.isDry) : hot.setParams(change.strategy, change.params, by),
  });
  const page = await openPage({
    hot,
    bot,
    net,
    files,
    problems,
    signals,
    tail,
    log,
    envFile,
    formerPnl: memory.formerPnl,
    isDry: watched !== undefined,
  });
  stack.defer(() => page.close());
  if (page.url !== undefined) screen.page(page.url);
  if (exchange === undefined && net.guardPid === undefined)
    log.warn('no guard watches this bot: start `oddsmaker guard` with the same file', {});
  stack.defer(watchStuck(options, logs, account, bot));
  return { bot, hot };
}

function reloadOf(
  { loaded, edited, read, file }: RunOptions,
  { log, rootLog, alerting }: Logs,
  { loadedCore, memory }: OpenedAccount,
  bot: Bot,
): HotReload {
  const hot = new HotReload(
    {
      loaded,
      core: loadedCore,
      bot: bot.strategies,
      log,
      read,
      apply: ({ config }) => {
        rootLog.setLevel(config.log.level);
        alerting.retarget(alertTargetsOf(config.alerts, file));
      },
      keep: (params) => memory.keepParams(params),
    },
    edited,
  );
  if (edited !== undefined)
    log.warn('parameters set by an operator override those of the file until the next reload', {
      edited,
    });
  return hot;
}

/**
 * Watches for a strategy that never returns: another thread then ends the run.
 * @returns a function that ends the watch
 */
function watchStuck(
  { loaded, file, screen }: RunOptions,
  { log }: Logs,
  { net, target }: OpenedAccount,
  bot: Bot,
): () => void {
  return watchRun(
    {
      deadlineMs: loaded.config.guard.deadline,
      exchange: { ...loaded.config.exchange, ...target },
      alerts: alertTargetsOf(loaded.config.alerts, file),
    },
    () => bot.strategies.running,
    ({ strategy, at: place, text, open }) => {
      bot.faults.addFault({ strategy, code: 'STRATEGY_STUCK', text, ...place });
      const code = open === undefined ? EXIT.notConfirmed : EXIT.badConfig;
      const result = bot.result(code, `strategy ${strategy} never returned: ${text}`);
      bot.secureJournal();
      net.endedNow(open !== undefined);
      net.close();
      screen.endedNow({ ...result, status: { ...result.status, openAtExit: open } }, bot.kept);
      log.error('the run has ended', { exit: code, reason: result.reason, ...bot.kept });
      return code;
    },
  );
}

/** Runs the bot until it has stopped. When it fails, shows its result so far and rethrows the error. */
async function trade(
  { forMs, screen }: RunOptions,
  { log }: Logs,
  {
    bot,
    signals,
    exchange,
  }: {
    readonly bot: Bot;
    readonly signals: RunSignals;
    readonly exchange: EmbeddedExchange | undefined;
  },
): Promise<BotResult> {
  using watching = new DisposableStack();
  if (forMs !== undefined) {
    const timer = setTimeout(() => bot.stop('stop'), forMs);
    watching.defer(() => clearTimeout(timer));
  }
  if (screen.isTerminal) {
    const line = new StatusLine(process.stderr, () => bot.view);
    watching.defer(() => line.stop());
  } else {
    const report = setInterval(() => {
      const { markets, wanted, resting, fills, pnl, permits, feeds, unknown } = bot.status;
      log.info('status', { markets, wanted, resting, fills, pnl, permits, feeds, unknown });
    }, REPORT_EVERY_MS);
    watching.defer(() => clearInterval(report));
  }
  watching.defer(signals.watchParent());
  const interrupted = new Promise<never>((_resolve, reject) => {
    void exchange?.died.then(reject);
  });
  interrupted.catch(() => undefined);
  try {
    return await bot.run(interrupted);
  } catch (error) {
    const { exit, message } = error instanceof OddsmakerError ? error : { exit: EXIT.bug, message: String(error) };
    screen.failed(bot.result(exit, message), bot.kept);
    throw error;
  }
}

/** Names the operator's parameters in the error: the configuration file alone does not show them. */
function withEdits(error: unknown, edited: EditedParams, standing: string): unknown {
  if (!(error instanceof OddsmakerError) || error.code !== 'STRATEGY_PARAMS') return error;
  const set = JSON.stringify(edited);
  return new OddsmakerError(
    'STRATEGY_PARAMS',
    `${error.message}\nAn operator set ${set}, which overrides the file until a reload. If these values are wrong, remove "params" from ${standing}`,
    { cause: error },
  );
}
