// The view of a past run around its core, rebuilt from the journal: feeds and answers, log lines and alerts
// of the core, readiness. State that no journal holds (guard, disk, other processes) is not shown.
import { dirname, resolve } from 'node:path';
import type { LoadedConfig } from '../config/index.ts';
import type { Command, Feed, StampedArrival } from '../domain/index.ts';
import type { Core, CoreSettings } from '../engine/index.ts';
import type { BotState } from '../ops/index.ts';
import type { ShellView } from '../page/index.ts';
import { Alerts, AlertWatch, Readiness } from '../ops/index.ts';
import { LogTail } from '../page/index.ts';
import type { EventStep, JournalHeader } from '../journal/index.ts';
import { takesStrategyOff, accountOf, hostOf, configHash, faultOf, StrategyFaults } from '../setup/index.ts';
import { Refusals, RequestTally, RequestTimes } from '../run/index.ts';
import { stateOf } from './bot-state.ts';
import { strategyFiles } from './page-strategies.ts';

/** Interval of readiness and alert checks in journal time, ms. */
const CHECK_EVERY_MS = 1000;

export type PastRun = {
  readonly journal: string;
  readonly header: JournalHeader;
  /** The configuration in force at the time shown. */
  readonly loaded: () => Pick<LoadedConfig, 'config'>;
  readonly settings: () => CoreSettings;
};

/** Commands that the exchange answers. */
const ANSWERED_COMMANDS: ReadonlySet<Command['type']> = new Set(['place', 'edit', 'cancel', 'read']);

export class PastShell {
  readonly #run: PastRun;
  readonly #core: Core;
  readonly #tail: LogTail;
  readonly #times = new RequestTimes(() => undefined);
  readonly #requests = new RequestTally();
  readonly #faults = new StrategyFaults();
  readonly #readiness: Readiness;
  readonly #watch: AlertWatch;
  readonly #alerts: Alerts;
  readonly #frameAt: Record<Feed, number | undefined> = { prices: undefined, user: undefined };
  readonly #connections: Record<Feed, { wasUp: boolean }> = {
    prices: { wasUp: false },
    user: { wasUp: false },
  };
  readonly #drops: Record<Feed, number> = { prices: 0, user: 0 };
  readonly #refusals = new Refusals();
  #rows: ShellView['strategies'] = {};
  #rowsInputs: readonly unknown[] = [];
  #name = '';
  #t = 0;
  #mono = 0;
  #startedAt: number | undefined;
  /**
   * When the first request after the last reply was sent, monotonic ms. Undefined while none is unanswered.
   */
  #unansweredSince: number | undefined;
  #checkedAt = Number.NEGATIVE_INFINITY;

  constructor(run: PastRun, core: Core) {
    this.#run = run;
    this.#core = core;
    const { exchange, ops, risk } = run.loaded().config;
    this.#tail = new LogTail(() => this.#t);
    const { place, cancel } = exchange.limits;
    this.#readiness = new Readiness(
      {
        leastShare: ops.readyShare,
        answersWithinMs: exchange.requestTimeout,
        windowMs: { place: place.window, cancel: cancel.window },
      },
      () => this.#mono,
    );
    this.#watch = new AlertWatch({
      lateArrivalMs: exchange.lateArrival,
      mode: exchange.playerMode,
      haltAtLoss: risk.haltAtLoss ?? undefined,
      // a journal does not record whether there was a guard
      needsGuard: false,
    });
    const listener = {
      level: 'info' as const,
      repeatMs: Number.POSITIVE_INFINITY,
      send: (message: Parameters<LogTail['alert']>[0]) => this.#tail.alert(message),
    };
    this.#alerts = new Alerts('', [listener]);
  }

  /** Applies a step after the core has applied it. */
  step({ input, commands, events }: EventStep): void {
    const { t, mono, in: arrival } = input;
    this.#t = t;
    this.#mono = mono;
    if (this.#startedAt === undefined) {
      this.#startedAt = t;
      // the live bot made its first check one interval after its start
      this.#checkedAt = mono;
    }
    this.#times.applyEvents(events);
    this.#refusals.applyEvents(events);
    this.#requests.applyEvents(events);
    this.#noteAnswers(arrival, commands, mono);
    if (arrival.type === 'boot') this.#name = arrival.run;
    else if (arrival.type === 'frame') this.#frameAt[arrival.feed] = t;
    else if (arrival.type === 'feed' && arrival.status === 'up') this.#connections[arrival.feed].wasUp = true;
    else if (arrival.type === 'feed') this.#drops[arrival.feed] += 1;
    else if (arrival.type === 'configure' || arrival.type === 'reload') this.#faults.forgetAll();
    else if (arrival.type === 'strategy' && arrival.command === 'revive') this.#faults.forget(arrival.strategy);
    for (const command of commands) if (command.type === 'alert') this.#applyAlert(command);
    if (mono < this.#checkedAt + CHECK_EVERY_MS) return;
    this.#checkedAt = mono;
    this.#check();
  }

  /** Tracks unanswered requests in the same way as the door of a live run. */
  #noteAnswers(arrival: StampedArrival['in'], commands: readonly Command[], mono: number): void {
    if (arrival.type === 'reply') this.#unansweredSince = undefined;
    if (commands.some(({ type }) => ANSWERED_COMMANDS.has(type))) this.#unansweredSince ??= mono;
  }

  get #silentMs(): number {
    return this.#unansweredSince === undefined ? 0 : this.#mono - this.#unansweredSince;
  }

  #applyAlert({ level, code, message, fields }: Extract<Command, { type: 'alert' }>): void {
    this.#tail.addLine(level, message, { code, ...fields });
    if (level === 'info') return;
    if (takesStrategyOff(code)) this.#faults.addFault(faultOf([], code, fields));
    this.#alerts.noteOccurrence({ alert: code, level, text: message, fields }, this.#mono, this.#t);
  }

  #check(): void {
    const status = this.#core.status();
    const http = this.#requests.answers;
    const off = this.#core.strategiesOff();
    this.#readiness.update({ ...status, http, requests: this.#requests.sent, off, silentMs: this.#silentMs });
    const seen = {
      ...status,
      http,
      off,
      state: this.#state,
      problems: this.#problems,
      ages: this.#ages,
      connections: this.#connections,
      guardPid: undefined,
      sources: {},
      gaps: [],
      fence: undefined,
    };
    this.#alerts.update(this.#watch.causesOf(seen, this.#mono), this.#mono, this.#t);
  }

  /** Strategies as the page shows them. Rebuilt only when configuration, settings or faults changed. */
  get #strategies(): ShellView['strategies'] {
    const inputs = [this.#run.loaded().config, this.#run.settings(), this.#faults.all.length] as const;
    if (inputs.some((input, index) => input !== this.#rowsInputs[index])) {
      this.#rowsInputs = inputs;
      this.#rows = strategyFiles(inputs[0], inputs[1], this.#faults.all);
    }
    return this.#rows;
  }

  get #ages() {
    const ageOf = (feed: Feed): number | undefined => {
      const time = this.#frameAt[feed];
      return time === undefined ? undefined : (this.#t - time) / 1000;
    };
    return { prices: ageOf('prices'), user: ageOf('user') };
  }

  get #plainState(): BotState {
    return stateOf(this.#core.status());
  }

  get #problems(): readonly string[] {
    return this.#plainState === 'quoting' ? this.#readiness.problems : [];
  }

  get #state(): BotState {
    return this.#problems.length > 0 ? 'degraded' : this.#plainState;
  }

  view(): ShellView {
    const { journal, header } = this.#run;
    const { config } = this.#run.loaded();
    const { exchange } = config;
    const { place, cancel } = exchange.limits;
    const { configFile, version } = header;
    return {
      account: accountOf(exchange).username,
      state: this.#state,
      wantedMode: exchange.playerMode,
      version: version.split('+')[0] ?? '',
      build: version,
      config: typeof configFile === 'string' ? resolve(dirname(journal), configFile) : '–',
      configHash: configHash({ config }),
      run: this.#name,
      startedAt: this.#startedAt ?? this.#t,
      guard: null,
      needsGuard: false,
      problems: this.#problems,
      exchange: hostOf(exchange),
      instance: config.orders.instance,
      guardDeadlineMs: config.guard.deadline,
      panic: undefined,
      fence: undefined,
      frameAt: { ...this.#frameAt },
      drops: { ...this.#drops },
      limits: { place: place.requests, cancel: cancel.requests },
      http: this.#requests.answers,
      refusals: this.#refusals.counts,
      latencies: this.#times.latencies,
      journal,
      // only the ledger has it
      formerPnl: 0,
      strategies: this.#strategies,
      log: this.#tail.rows,
      alerts: this.#tail.alerts,
    };
  }
}
