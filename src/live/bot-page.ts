// The admin port of a running bot: its page, what Prometheus reads, and commands by HTTP. A bot that trades with money does
// not start without it (`ops.required`): nobody could watch it, nor halt it by HTTP.
import { randomBytes } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf, OddsmakerError } from '../domain/index.ts';
import type { AdminPorts } from '../page/server/index.ts';
import type { Log, RunFiles, SafetyNet } from '../ops/index.ts';
import type { LogTail, ShellView } from '../page/index.ts';
import { PageView } from '../page/index.ts';
import { asError } from '../strategy/host/index.ts';
import { accountOf, hostOf, ROOT, buildVersion, VERSION } from '../setup/index.ts';
import type { Bot } from './bot.ts';
import type { BotSignals } from './bot-signals.ts';
import type { HotReload } from './hot-reload.ts';
import { strategyFiles } from './page-strategies.ts';
import type { Problems } from './ready-watch.ts';
import { shownPath } from '../terminal/index.ts';
import { explainOrder } from './explain-order.ts';

export type PageParts = {
  /** The configuration, as it runs now. */
  readonly hot: Pick<HotReload, 'loaded' | 'core'>;
  readonly bot: Bot;
  readonly net: SafetyNet;
  readonly files: RunFiles;
  readonly problems: Problems;
  readonly signals: BotSignals;
  readonly tail: LogTail;
  readonly log: Log;
  /** Nothing is placed on the real exchange. */
  readonly isDry: boolean;
  /** What former runs of the account brought, dollars. */
  readonly formerPnl: number;
  /** `--env-file` */
  readonly envFile: string | undefined;
};

/** An open port, or one that is tried again. */
export type BotPage = {
  /** With its token where one was made for this run; undefined: the port is not open. */
  readonly url: string | undefined;
  readonly close: () => Promise<void>;
};

/** A port that the bot needs is tried this often, and for this long. */
const NEEDED_EVERY_MS = 1000;
const NEEDED_WITHIN_MS = 10_000;
/** One that it runs without. */
const TRIED_EVERY_MS = 10_000;

/** @throws OddsmakerError PORT_UNOPENED where `ops.required` asks for the port, and it stays closed */
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
  const gone = new AbortController();
  const view: BotPage = {
    get url() {
      return page?.url;
    },
    close: async () => {
      gone.abort();
      await page?.close();
    },
  };
  const first = await tryOpen();
  if (first === undefined) return view;
  const without = isRequired
    ? 'the admin port cannot be opened: without it the bot does not start'
    : 'the admin port cannot be opened: the bot runs without page, /ready, metrics and commands by HTTP';
  log.error(without, { alert: CLOSED, code: CLOSED, address, error: first, setting: 'ops.port' });
  const opened = (): void => log.info('the admin port is free again', { resolves: CLOSED, address });
  if (isRequired) {
    const giveUpAt = performance.now() + NEEDED_WITHIN_MS;
    for (let problem: string | undefined = first; problem !== undefined; problem = await tryOpen()) {
      if (performance.now() >= giveUpAt)
        throw new OddsmakerError(
          CLOSED,
          `${address} cannot be opened: ${problem}. Set ops.port to a free one, or ops.required: false to run without`,
        );
      await sleep(NEEDED_EVERY_MS);
    }
    opened();
    return view;
  }
  void (async () => {
    const { signal } = gone;
    for (;;) {
      const isGone = await sleep(TRIED_EVERY_MS, false, { signal, ref: false }).catch(() => true);
      if (isGone) return;
      if ((await tryOpen()) === undefined) break;
    }
    opened();
    if (signal.aborted) await page?.close();
  })();
  return view;
}

const CLOSED = 'PORT_UNOPENED';
type OpenPort = { readonly url: string; readonly close: () => Promise<void> };

/** What opens the port, as often as it is tried: what the page shows is followed from here on. */
async function portOf(parts: PageParts): Promise<() => Promise<OpenPort>> {
  const { hot, bot, net, files, problems, signals, log } = parts;
  const { ops, signals: settings } = hot.loaded.config;
  // no other command needs a server
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
        log.error('the page failed, and the bot goes on', { error: asError(error).stack }),
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

/** Readable by the bot's own user alone. */
function keepToken(file: string, token: string, log: Log): void {
  try {
    rmSync(file, { force: true });
    writeFileSync(file, `${token}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    log.warn('the token of the page cannot be kept: the log has it', { file, error: messageOf(error) });
  }
}

/** To be typed in any folder. */
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
    // the page goes by the clock of the run
    const now = bot.wallMs;
    const at = (seconds: number | undefined): number | undefined =>
      seconds === undefined ? undefined : Math.round(now - seconds * 1000);
    return {
      ...constant,
      configHash: build.config_hash,
      state: net.state,
      closed: bot.status.closed,
      guard: net.guardPid ?? null,
      fence: net.standingFence,
      problems: problems(),
      frameAt: { prices: at(ages.prices), user: at(ages.user) },
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
