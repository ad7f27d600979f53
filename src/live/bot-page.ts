// The admin port of a running bot: its page, Prometheus metrics and commands by HTTP. A bot that trades with
// money does not start without it (`ops.required`), because it could not be watched or halted by HTTP.
import { randomBytes } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf, OddsmakerError } from '../domain/index.ts';
import type { AdminPorts } from '../page/server/index.ts';
import type { Log, RunFiles, SafetyNet } from '../ops/index.ts';
import type { LogTail, ShellView } from '../page/index.ts';
import { PageView } from '../page/index.ts';
import { accountOf, hostOf, buildVersion } from '../setup/index.ts';
import { ROOT, stackText, VERSION } from '../files/index.ts';
import type { Bot } from './bot.ts';
import type { BotSignals } from './bot-signals.ts';
import type { HotReload } from './hot-reload.ts';
import { strategyFiles } from './page-strategies.ts';
import type { Problems } from './ready-watch.ts';
import { shownPath } from '../terminal/index.ts';
import { explainOrder } from './explain-order.ts';

export type PageParts = {
  /** The configuration in force. */
  readonly hot: Pick<HotReload, 'loaded' | 'core'>;
  readonly bot: Bot;
  readonly net: SafetyNet;
  readonly files: RunFiles;
  readonly problems: Problems;
  readonly signals: BotSignals;
  readonly tail: LogTail;
  readonly log: Log;
  /** True in a dry run: nothing is placed on the real exchange. */
  readonly isDry: boolean;
  /** Result of former runs of the account, dollars. */
  readonly formerPnl: number;
  /** Value of `--env-file`. */
  readonly envFile: string | undefined;
};

/** The admin port, open or retried. */
export type BotPage = {
  /** URL of the page, with its token when this run generated one. Undefined while the port is closed. */
  readonly url: string | undefined;
  readonly close: () => Promise<void>;
};

/** A required port is tried at this interval, and for this long, ms. */
const REQUIRED_RETRY_MS = 1000;
const REQUIRED_WITHIN_MS = 10_000;
/** An optional port is tried at this interval, ms. */
const OPTIONAL_RETRY_MS = 10_000;

/**
 * Opens the admin port. An optional port that cannot be opened is tried again in the background.
 * @throws OddsmakerError PORT_UNOPENED when `ops.required` is set and the port stays closed
 */
export async function openPage(parts: PageParts): Promise<BotPage> {
  const { hot, log } = parts;
  const { ops, exchange } = hot.loaded.config;
  const isRequired = ops.required ?? exchange.embedded === undefined;
  const address = `${ops.host}:${ops.port}`;
  const open = await portOf(parts);
  let page: OpenPort | undefined;
  const tryOpen = async (): Promise<string | undefined> => {
    try {
      page = await open();
      return undefined;
    } catch (error) {
      return messageOf(error);
    }
  };
  const closing = new AbortController();
  const view: BotPage = {
    get url() {
      return page?.url;
    },
    close: async () => {
      closing.abort();
      await page?.close();
    },
  };
  const first = await tryOpen();
  if (first === undefined) return view;
  const without = isRequired
    ? 'the admin port cannot be opened: without it the bot does not start'
    : 'the admin port cannot be opened: the bot runs without page, /ready, metrics and commands by HTTP';
  log.error(without, { alert: PORT_UNOPENED, code: PORT_UNOPENED, address, error: first, setting: 'ops.port' });
  const opened = (): void => log.info('the admin port is free again', { resolves: PORT_UNOPENED, address });
  if (isRequired) {
    const giveUpAt = performance.now() + REQUIRED_WITHIN_MS;
    for (let problem: string | undefined = first; problem !== undefined; problem = await tryOpen()) {
      if (performance.now() >= giveUpAt)
        throw new OddsmakerError(
          PORT_UNOPENED,
          `${address} cannot be opened: ${problem}. Set ops.port to a free one, or ops.required: false to run without`,
        );
      await sleep(REQUIRED_RETRY_MS);
    }
    opened();
    return view;
  }
  void (async () => {
    const { signal } = closing;
    for (;;) {
      const isClosing = await sleep(OPTIONAL_RETRY_MS, false, { signal, ref: false }).catch(() => true);
      if (isClosing) return;
      if ((await tryOpen()) === undefined) break;
    }
    opened();
    if (signal.aborted) await page?.close();
  })();
  return view;
}

const PORT_UNOPENED = 'PORT_UNOPENED';
type OpenPort = { readonly url: string; readonly close: () => Promise<void> };

/**
 * Starts following the bot for the page and the metrics.
 * @returns a function that opens the port; it can be called again after a failure
 */
async function portOf(parts: PageParts): Promise<() => Promise<OpenPort>> {
  const { hot, bot, net, files, problems, signals, log } = parts;
  const { ops, signals: settings } = hot.loaded.config;
  // imported here because no other command needs a server
  const { AdminServer, EventStream, Metrics, PageStream, ProgramEvents, readPageFiles } =
    await import('../page/server/index.ts');
  const view = new PageView(bot.core, bot.figures, shellOf(parts));
  const events = new EventStream();
  const programs = new ProgramEvents(bot.core, events);
  bot.observe((step) => view.step(step));
  bot.observe((step, _commands, events) => programs.step(step, events));
  const runToken = ops.token === null || ops.token === '' ? randomBytes(24).toString('base64url') : undefined;
  const needsGuard = hot.loaded.config.exchange.embedded === undefined;
  const ports: AdminPorts = {
    figures: () => ({
      ...bot.view,
      guarded: needsGuard ? net.guardPid !== undefined : undefined,
      inPlay: bot.markets.filter(({ live }) => live).length,
      state: net.state,
      problems: problems(),
      loops: net.loops,
      signals: signals.figures,
    }),
    status: () => net.status(),
    api: {
      command: (message, by) => net.control(message, by),
      why: (order) => explainOrder(bot.view.journal, order),
      signals: settings.http ? (messages) => signals.take(messages) : undefined,
      stream: new PageStream(view, (error) =>
        log.error('the page failed; the bot continues', { error: stackText(error) }),
      ),
      events,
    },
    files: readPageFiles(join(ROOT, 'dist', 'web')),
  };
  const metrics = new Metrics(ports.figures);
  bot.answered = (kind, ms) => metrics.observe(kind, ms);
  return async () => {
    const admin = await AdminServer.open({ ...ops, ...(runToken === undefined ? {} : { runToken }) }, ports, metrics);
    const url = runToken === undefined ? `${admin.url}/` : `${admin.url}/#token=${runToken}`;
    if (runToken !== undefined) keepToken(files.pageToken, runToken, log);
    log.info('the admin port is open', { url: admin.url, page: url });
    return { url, close: () => admin.close() };
  };
}

/** Writes the token to a file that only the bot's user can read. */
function keepToken(file: string, token: string, log: Log): void {
  try {
    rmSync(file, { force: true });
    writeFileSync(file, `${token}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    log.warn('the token of the page cannot be saved; it is in the log', { file, error: messageOf(error) });
  }
}

/** The panic command with absolute paths, so that it works in any folder. */
const panicOf = ({ hot, envFile }: PageParts): string =>
  [
    'oddsmaker panic',
    shellWord(resolve(hot.loaded.file)),
    ...(envFile === undefined ? [] : ['--env-file', shellWord(resolve(envFile))]),
  ].join(' ');

const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

function shellOf(parts: PageParts): () => ShellView {
  const { hot, bot, net, problems, tail, formerPnl, isDry } = parts;
  const { config, file } = hot.loaded;
  const { exchange } = config;
  const startedAt = Date.now();
  const constant = {
    account: isDry ? `${accountOf(exchange).username}, DRY` : accountOf(exchange).username,
    wantedMode: exchange.playerMode,
    version: VERSION,
    build: buildVersion(),
    config: shownPath(resolve(file)),
    run: bot.runId,
    startedAt,
    needsGuard: exchange.embedded === undefined,
    exchange: hostOf(exchange),
    instance: config.orders.instance,
    guardDeadlineMs: config.guard.deadline,
    panic: exchange.embedded === undefined && !isDry ? panicOf(parts) : undefined,
    formerPnl,
  };
  return () => {
    const { ages, drops, limits, http, journal, refusals, build } = bot.view;
    const { loaded, core } = hot;
    // ages are converted to times by the clock of the run
    const now = bot.wallMs;
    const timeOf = (seconds: number | undefined): number | undefined =>
      seconds === undefined ? undefined : Math.round(now - seconds * 1000);
    return {
      ...constant,
      configHash: build.config_hash,
      state: net.state,
      closed: bot.status.closed,
      guard: net.guardPid ?? null,
      fence: net.standingFence,
      problems: problems(),
      frameAt: { prices: timeOf(ages.prices), user: timeOf(ages.user) },
      drops,
      limits,
      http,
      journal,
      refusals,
      latencies: bot.latencies,
      strategies: strategyFiles(loaded.config, core.settings, bot.faults.all),
      log: tail.rows,
      alerts: tail.alerts,
    };
  };
}
