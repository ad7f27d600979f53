// The composition root of a live run: one bot, from login to summary. It connects the core to its adapters
// and its journal. Every input passes through the pipeline, which records each step before it sends commands.
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { Subject, tap } from 'rxjs';
import type { Command, ExitCode, Input, RunEvent, StampedArrival } from '../domain/index.ts';
import { EXIT, messageOf, OddsmakerError, redacted, redactedKeys, redactedValues } from '../domain/index.ts';
import type { LoadedConfig } from '../config/index.ts';
import type { CoreStatus, GameRiskStatus, MarketStatus } from '../engine/index.ts';
import type { StandingSignal } from '../strategy/host/index.ts';
import { asError } from '../strategy/host/index.ts';
import { Core } from '../engine/index.ts';
import type { Door, FeedArrival } from '../exchange/index.ts';
import { LIVE_TIMERS, RestClient } from '../exchange/live/index.ts';
import type { Step } from '../pipeline/index.ts';
import { conflate, pipeline } from '../pipeline/index.ts';
import type { BotState, JournalState, Log } from '../ops/index.ts';
import type { PageCore } from '../page/index.ts';
import { RestingFile, SYSTEM_CLOCKS, WallClock } from '../ops/index.ts';
import { stackText, VERSION } from '../files/index.ts';
import { begun, buildVersion } from '../setup/index.ts';
import type { RunRow } from '../ledger/index.ts';
import type { BotMemory } from './bot-memory.ts';
import type { LoadedCore } from '../setup/index.ts';
import type { RecordedFiles } from './bot-records.ts';
import { BotRecords } from './bot-records.ts';
import type { BotResult } from '../run/index.ts';
import { jsonOf, LiveFigures, Refusals, RequestTimes } from '../run/index.ts';
import { AlertLog } from './alert-log.ts';
import type { End } from './bot-end.ts';
import { badEndOf, withLedger } from './bot-end.ts';
import type { BotNet, BotParts, BotView } from './bot-parts.ts';
import type { DoorTarget } from './bot-door.ts';
import { doorOf } from './bot-door.ts';
import { stateOf } from './bot-state.ts';
import { FeedWatch } from './feed-watch.ts';
import { RunningStrategies } from './running-strategies.ts';
import { Decoder } from '../wire/index.ts';

type Observer = (
  step: Pick<StampedArrival, 'seq' | 't'>,
  commands: readonly Command[],
  events: readonly RunEvent[],
) => void;

/** The running pipeline of a bot. */
type Steps = {
  /** How the core ends the run. Rejects with the error when the core fails. */
  readonly finished: Promise<End>;
  /** Ends the pipeline: no further input is processed. */
  readonly end: () => void;
};

export class Bot {
  /** The running strategies and the configuration in force. */
  readonly strategies: RunningStrategies;
  /** The figures of a run report, as far as they are known yet. */
  readonly figures: LiveFigures;
  readonly #core: Core;
  readonly #door: Door;
  readonly #rest: RestClient;
  readonly #records: BotRecords;
  readonly #clock: WallClock;
  /** Inputs from operators, safety nets and clocks. */
  readonly #operators = new Subject<Input>();
  /** Inputs from signal sources. */
  readonly #signals = new Subject<Input>();
  readonly #log: Log;
  readonly #target: DoorTarget;
  readonly #run = randomBytes(4).toString('hex');
  readonly #net: BotNet;
  readonly #resting: RestingFile | undefined;
  readonly #memory: BotMemory | undefined;
  readonly #feeds: FeedWatch;
  readonly #alerts: AlertLog;
  readonly #refusals = new Refusals();
  readonly #times = new RequestTimes((kind, ms) => this.answered(kind, ms));
  #observers: readonly Observer[] = [];
  readonly #startWaiting = new AbortController();
  readonly #startedAt = performance.now();
  /** Called for each reply of the exchange, with the kind of request and its round-trip time. */
  answered: (kind: string, ms: number) => void = () => undefined;

  constructor(loaded: LoadedConfig, loadedCore: LoadedCore, target: DoorTarget, parts: BotParts) {
    const { log } = parts;
    const { config } = loaded;
    this.#target = target;
    this.#log = log;
    this.#net = parts.net;
    this.#memory = parts.memory;
    this.#alerts = new AlertLog(log, () => this.strategies.modules);
    this.strategies = new RunningStrategies(loaded, loadedCore, {
      core: () => this.#core,
      input: (input) => this.#operators.next(input),
      forgive: (strategy) => this.faults.forget(strategy),
      keep: (strategies, next) => this.#records.reload(strategies, next),
      log,
    });
    this.figures = new LiveFigures({
      run: this.#run,
      commission: config.commission,
    });
    this.observe(({ t }, _commands, events) => {
      this.figures.step(t, events);
      this.#memory?.figures();
      if (this.#core.ordersTurned) this.#resting?.changed();
    });
    this.#core = new Core(loadedCore.settings, this.strategies.corePorts);
    this.#clock = new WallClock(parts.clocks ?? SYSTEM_CLOCKS, (news) =>
      this.#operators.next({ type: 'clock', ...news }),
    );
    this.#resting = parts.restingFile === undefined ? undefined : this.#restingIn(parts.restingFile);
    this.#rest = new RestClient(
      target.restUrl,
      config.exchange.profile.apiVersionHeader,
      (...times) => this.#clock.applyDate(...times),
      config.exchange.maxFrame,
    );
    this.#door = doorOf(loaded, target, this.#rest, {
      participants: (id) => this.#core.gameOf(id),
      mayPlace: () => this.#net.mayPlace(),
      warn: (message, fields) => log.warn(message, fields),
      wall: () => this.#clock.now(),
    });
    this.#feeds = new FeedWatch(this.#door);
    this.#records = new BotRecords(loaded, loadedCore, {
      run: this.#run,
      log,
      gate: parts.gate,
      runsWithOpenPlays: () => this.#core.runsWithOpenPlays(),
      recorder: parts.recorder?.(() => this.#door.session.token),
    });
  }

  #restingIn(file: string): RestingFile {
    return new RestingFile(file, {
      isKnown: () => this.#core.isAccountRead,
      left: () => this.#core.ordersLeft(),
      now: () => this.#clock.now(),
      problem: (problem) =>
        this.#log.warn('the list of resting orders cannot be written: the next run may not know them', {
          problem,
        }),
    });
  }

  /** Strategies, or instances of strategies, that were disabled permanently. */
  get faults(): AlertLog['faults'] {
    return this.#alerts.faults;
  }

  get status(): CoreStatus {
    const status = this.#core.status();
    // when a feed does not connect, that is the reason why books were not read
    const why = status.closed === undefined || status.stopping ? undefined : this.#feeds.problem(status.feeds);
    return why === undefined ? status : { ...status, closed: why };
  }

  /** Read-only view of the core, for the page, signals and commands. */
  get core(): PageCore &
    Pick<Core, 'consensusIn' | 'fairOf' | 'gameOf' | 'games' | 'marketsOfGame' | 'scoreOf' | 'signalAges' | 'sportOf'> {
    return this.#core;
  }

  get runId(): string {
    return this.#run;
  }

  /**
   * Calls `observer` after each step, when its commands have been sent. An observer that throws is dropped.
   */
  observe(observer: Observer): void {
    this.#observers = [...this.#observers, observer];
  }

  #show(...step: Parameters<Observer>): void {
    for (const observe of this.#observers) {
      try {
        observe(...step);
      } catch (error) {
        this.#observers = this.#observers.filter((entry) => entry !== observe);
        this.#log.error('an observer of the bot failed and is not called again; the bot continues', {
          error: stackText(error),
        });
      }
    }
  }

  /** Writes the last figures to the ledger. A failure is only logged: the run does not depend on them. */
  #endFigures(): void {
    try {
      this.#memory?.endFigures();
    } catch (error) {
      this.#log.error('the last figures of the run are not in the ledger', { error: stackText(error) });
    }
  }

  /** Round-trip times of the newest replies of the exchange, by kind of request. */
  get latencies(): RequestTimes['latencies'] {
    return this.#times.latencies;
  }

  /** Whether a strategy has subscribed to this signal. */
  isSubscribed(name: string): boolean {
    return this.#core.isSubscribed(name);
  }

  /** Status of the running bot for `/status`, `ctl status` and metrics. */
  get view(): BotView {
    const { place, cancel } = this.strategies.loaded.config.exchange.limits;
    const { status } = this;
    return {
      ...status,
      idle: redactedKeys(status.idle),
      ...this.#feeds.view,
      alerts: this.#alerts.counts,
      refusals: this.#refusals.counts,
      build: {
        version: VERSION,
        build: buildVersion(),
        config_hash: this.strategies.hash,
        run: this.#run,
      },
      requests: this.#door.requests,
      http: this.#http,
      limits: { place: place.requests, cancel: cancel.requests },
      readsWaiting: this.#door.readsWaiting,
      journal: this.#records.journal?.file,
      journalWaiting: this.#records.journal?.waiting,
      tape: this.kept.tape,
      off: this.#core.strategiesOff(),
      silentMs: this.#door.silentMs,
    };
  }

  /** The wall clock of the run: the exchange's clock where it is known. Unix ms. */
  get wallMs(): number {
    return this.#clock.now();
  }

  /** State of the journal for the safety net. Undefined when no journal is written. */
  get journal(): JournalState | undefined {
    const { journal } = this.#records;
    return journal && { file: journal.writing, refused: journal.refused, isTorn: journal.isTorn };
  }

  /** Every market with quotes, a position or open orders. */
  get markets(): readonly MarketStatus[] {
    return this.#core.markets().map((market) => ({ ...market, said: redactedValues(market.said) }));
  }

  /** What each game with fills may bring, and over which scores. */
  get risk(): readonly GameRiskStatus[] {
    return [...this.#core.gameRisks()];
  }

  /** Current signals by name. */
  get signals(): Readonly<Record<string, StandingSignal>> {
    return Object.fromEntries(this.#core.signals());
  }

  get #http(): Readonly<Record<string, number>> {
    return Object.fromEntries(
      [...this.#door.statuses].sort(([a], [b]) => a - b).map(([status, count]) => [String(status), count]),
    );
  }

  /** State of the bot for the heartbeat and `ctl status`. */
  get state(): BotState {
    return stateOf(this.#core.status());
  }

  /** The result of the run so far. */
  result(code: ExitCode, reason: string): BotResult {
    const status = this.#core.status();
    return {
      code,
      reason: redacted(reason),
      status: { ...status, idle: redactedKeys(status.idle) },
      requests: this.#door.requests,
      http: this.#http,
      durationMs: Math.round(performance.now() - this.#startedAt),
      faults: this.faults.all,
    };
  }

  /** Journal and tape written so far. Complete once the run has ended. */
  get kept(): RecordedFiles {
    return this.#records.kept;
  }

  /**
   * Enters a command of an operator or of a safety net, or a signal.
   *
   * @returns why the input was refused; undefined when it was accepted
   */
  enter(input: Input): string | undefined {
    const problem = this.#problemWith(input);
    if (problem !== undefined) return problem;
    (input.type === 'signal' ? this.#signals : this.#operators).next(input);
    if (input.type === 'operator' && input.command === 'resume') this.#revive(() => true);
    if (input.type === 'strategy' && input.command === 'resume') this.#revive((id) => id === input.strategy);
    return undefined;
  }

  /** Starts disabled strategies anew. Only a strategy that is disabled at the end affects the exit code. */
  #revive(isMeant: (strategy: string) => boolean): void {
    for (const { id } of this.#core.strategiesOff().filter((strategy) => isMeant(strategy.id))) {
      this.faults.forget(id);
      this.#operators.next({ type: 'strategy', strategy: id, command: 'revive' });
    }
  }

  #problemWith(input: Input): string | undefined {
    if (input.type === 'settle') return this.#core.settleProblem(input);
    if (input.type === 'unsettle') return this.#core.unsettleProblem(input);
    if (input.type !== 'strategy') return undefined;
    const ids = this.#core.strategies().map(({ id }) => id);
    return ids.includes(input.strategy)
      ? undefined
      : `there is no strategy ${input.strategy}: it is one of ${ids.join(', ')}`;
  }

  /** `stop` ends the run in order. `abort` cancels everything and ends it at once. */
  stop(how: 'stop' | 'abort'): void {
    this.#startWaiting.abort();
    this.#operators.next({ type: 'operator', command: how });
  }

  /** Handles an error thrown outside of a step. When no strategy is identified, the run stops in order. */
  applyLoose(thrown: unknown): void {
    if (this.strategies.applyLoose(thrown)) this.stop('stop');
  }

  /**
   * Runs until the core ends the run. Rejects with an OddsmakerError when the start fails, and with the error
   * that `interrupted` rejects with. Any error other than an OddsmakerError first cancels all orders of the
   * account.
   */
  async run(interrupted: Promise<never>): Promise<BotResult> {
    this.#memory?.beginRun(this.#row(), () => jsonOf(this.result(EXIT.done, 'running')), this.figures);
    const steps = this.#begin();
    const { finished } = steps;
    /** True when nothing was sent or the open orders are known: the guard is no longer needed. */
    let orderly = !this.#net.followsDead;
    let sentNothing = true;
    // a failure of the core is handled below; the rejection must not be unhandled while the login is pending
    finished.catch(() => undefined);
    let end: End = { code: EXIT.bug, reason: 'unknown' };
    let fault: End | undefined;
    try {
      const { signal } = this.#startWaiting;
      await Promise.race([begun((done) => this.#door.start(done), signal), interrupted]);
      if (this.#door.session.token !== undefined) {
        orderly = false;
        sentNothing = false;
      }
      end =
        this.#door.session.token === undefined
          ? { code: EXIT.notConfirmed, reason: 'stopped before the login: what is open is not known' }
          : await Promise.race([finished, interrupted]);
      orderly =
        (this.#door.session.token === undefined && !this.#net.followsDead) ||
        this.strategies.loaded.config.onExit === 'leave' ||
        this.#core.status().openAtExit === 0;
    } catch (error) {
      const code = error instanceof OddsmakerError ? error.exit : EXIT.bug;
      end = { code, reason: messageOf(error) };
      if (!(error instanceof OddsmakerError)) await this.#lastResort(error);
      throw error;
    } finally {
      this.#net.ending();
      fault = this.#net.fault();
      this.#startWaiting.abort();
      this.#door.closeFeeds();
      await new Promise<void>((cancelled) => this.#door.afterCancelAll(cancelled));
      this.#door.close();
      this.#rest.close();
      steps.end();
      this.#resting?.close();
      await this.#records.close();
      this.#endFigures();
      if (end.code === EXIT.done) {
        const { journal } = this.kept;
        const { unattributedError } = this.strategies;
        end = badEndOf(end, { unattributedError, fault, strategies: this.faults.summary, journal }) ?? end;
      }
      await this.#memory?.close(end.code, end.reason);
      end = withLedger(end, this.#memory?.ledgerUnwritten);
      // the farewell is the last write of the run
      await this.#net.ended(orderly, sentNothing);
    }
    return this.result(end.code, end.reason);
  }

  /** Hands all buffered journal records to the operating system before it returns. The process ends here. */
  secureJournal(): void {
    this.#records.journal?.secure();
  }

  #row(): RunRow {
    const { config, file } = this.strategies.loaded;
    return {
      run: this.#run,
      version: buildVersion(),
      instance: config.orders.instance,
      configFile: resolve(file),
      configHash: this.strategies.hash,
      pid: process.pid,
      host: hostname(),
      journal: this.#records.journal?.file,
      strategies: this.strategies.strategies,
    };
  }

  /** Starts the pipeline: both feeds, operators and signals in, commands out. */
  #begin(): Steps {
    let finish: (end: End) => void = () => undefined;
    let fail: (error: Error) => void = () => undefined;
    const finished = new Promise<End>((resolve, reject) => {
      finish = resolve;
      fail = reject;
    });
    const door = this.#door;
    // frames are noted before conflation drops any: a tape holds every frame received
    const noted = tap((arrival: FeedArrival) => this.#note(arrival));
    const subscription = pipeline(
      {
        prices$: door.prices$.pipe(noted),
        user$: door.user$.pipe(noted),
        replies$: door.replies$,
        permits$: door.permits$,
        sessions$: door.sessions$,
        signals$: this.#signals,
        operators$: this.#operators,
      },
      {
        core: this.#core,
        decoder: new Decoder(this.strategies.loaded.config.exchange.profile),
        timers: LIVE_TIMERS,
        wall: this.#clock.now,
        conflate: conflate(() => (this.#feeds.outrun += 1)),
        record: (step) => this.#record(step),
        send: (command) => door.execute(command),
        alert: (alert) => this.#alerts.applyAlert(alert),
        exit: ({ code, reason }) => finish({ code: code as ExitCode, reason }),
      },
    )
      .pipe(tap(({ arrival, commands, events }) => this.#show(arrival, commands, events)))
      .subscribe({ error: (error: unknown) => fail(asError(error)) });
    const { unanswered, resting } = this.#target.former;
    this.#operators.next({
      type: 'boot',
      run: this.#run,
      ...(unanswered.length > 0 ? { unanswered } : {}),
      ...(resting.length > 0 ? { resting } : {}),
      ...this.#memory?.boot,
    });
    for (const value of this.#memory?.persisted ?? []) this.#operators.next({ type: 'persisted', ...value });
    if (this.#target.former.prices.length > 0)
      this.#operators.next({ type: 'history', markets: this.#target.former.prices });
    this.#net.beginRun();
    return { finished, end: () => subscription.unsubscribe() };
  }

  #record(step: Step): void {
    const { events } = step;
    this.#net.loopCompleted();
    this.#records.step(step);
    this.#times.applyEvents(events);
    this.#refusals.applyEvents(events);
    this.#memory?.step(step, this.#core);
  }

  #note(arrival: FeedArrival): void {
    this.#feeds.note(arrival);
    this.#records.feed(arrival, { t: this.#clock.now(), mono: performance.now() });
  }

  /** Cancels all orders of the account after a bug in the core, whose state can no longer be trusted. */
  async #lastResort(error: unknown): Promise<void> {
    this.#log.error('the core failed: cancelling everything on the account', {
      error: stackText(error),
    });
    await this.#rest.call(
      { method: 'POST', path: '/session/cancelAllOrders', body: {}, token: this.#door.session.token },
      5000,
    );
  }
}
