// The admin port of a running bot: its page, what Prometheus reads, and commands by HTTP.
import { randomBytes } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { messageOf } from '../domain/index.ts';
import type { AdminServer, Log, LogTail, RunFiles, SafetyNet, ShellView } from '../ops/index.ts';
import { PageView } from '../ops/index.ts';
import { asError } from '../strategy/thrown.ts';
import { accountOf, hostOf } from './embedded.ts';
import type { Bot } from './bot.ts';
import type { BotSignals } from './bot-signals.ts';
import type { HotReload } from './hot-reload.ts';
import { ROOT } from './own-package.ts';
import { strategyFiles } from './page-strategies.ts';
import type { Problems } from './ready-watch.ts';
import { shownPath } from './shown-path.ts';
import { tellOrder } from './tell-order.ts';
import { buildVersion, VERSION } from './version.ts';

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

/** Undefined: the port cannot be opened, which the log says. `url`: of the page, with its token where one was made for this run. */
export async function openPage(
  parts: PageParts,
): Promise<{ readonly admin: AdminServer; readonly url: string } | undefined> {
  const { hot, bot, net, files, problems, signals, log } = parts;
  const { ops, signals: settings } = hot.loaded.config;
  // no other command needs a server
  const { AdminServer } = await import('../ops/admin-server.ts');
  const { PageStream } = await import('../ops/page/page-stream.ts');
  const { EventStream } = await import('../ops/page/event-stream.ts');
  const { ProgramEvents } = await import('../ops/page/program-events.ts');
  const { readPageFiles } = await import('../ops/page/files.ts');
  const view = new PageView(bot.core, bot.figures, shellOf(parts));
  const events = new EventStream();
  const programs = new ProgramEvents(bot.core, events);
  bot.observe((step) => view.step(step));
  bot.observe((step) => programs.step(step));
  const runToken = ops.token === null || ops.token === '' ? randomBytes(24).toString('base64url') : undefined;
  try {
    const admin = await AdminServer.open(
      { ...ops, ...(runToken === undefined ? {} : { runToken }) },
      {
        figures: () => ({
          ...bot.view,
          ...{ state: net.state, problems: problems(), loops: net.loops, signals: signals.figures },
        }),
        status: () => net.status(),
        api: {
          command: (message, by) => net.control(message, by),
          why: (order) => tellOrder(bot.view.journal, order),
          signals: settings.http ? (messages) => signals.take(messages) : undefined,
          stream: new PageStream(view, (error) =>
            log.error('the page failed, and the bot goes on', { error: asError(error).stack }),
          ),
          events,
        },
        files: readPageFiles(join(ROOT, 'dist', 'page')),
      },
    );
    bot.answered = (kind, ms) => admin.observe(kind, ms);
    const url = runToken === undefined ? `${admin.url}/` : `${admin.url}/#token=${runToken}`;
    if (runToken !== undefined) keepToken(files.pageToken, runToken, log);
    log.info('the admin port is open', { url: admin.url, page: url });
    return { admin, url };
  } catch (error) {
    log.warn('the admin port cannot be opened: the bot runs without it', {
      address: `${ops.host}:${ops.port}`,
      error: messageOf(error),
    });
    return undefined;
  }
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
      ...{ drops, limits, http, journal, refusals, latencies: bot.latencies },
      strategies: strategyFiles(loaded.config, core.settings, bot.faults.all),
      log: tail.rows,
      alerts: tail.alerts,
    };
  };
}
