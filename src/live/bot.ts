// The composition root of a live run: adapters around the core, journal beside it. One bot, from login to summary.
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import type { Observable } from 'rxjs';
import { filter, merge, Subject, tap } from 'rxjs';
import type { Arrival, Command, ExitCode, Feed, Input, StampedArrival, StrategyId } from '../domain/index.ts';
import {
  ERROR_CODES,
  EXIT,
  messageOf,
  OddsmakerError,
  withoutTaken,
  withoutTakenKeys,
  withoutTakenWords,
} from '../domain/index.ts';
import type { GateMark, LoadedConfig } from '../config/index.ts';
import type { CoreSettings, CoreStatus, MarketStatus } from '../engine/index.ts';
import type {
  StandingSignal,
  StrategyBudget,
  StrategyEntry,
  StrategyModule,
  Trial,
} from '../strategy/host/index.ts';
import { Core, RunLoop } from '../engine/index.ts';
import type { Door, FeedArrival } from '../exchange/index.ts';
import { conflate, LIVE_TIMERS, liveDoor, PermitWindow, RestClient } from '../exchange/live/index.ts';
import type { BotFigures, BotState, Clocks, JournalState, Log, SafetyNet } from '../ops/index.ts';
import type { PageCore } from '../page/index.ts';
import { RequestTimes, RestingFile, SYSTEM_CLOCKS, WallClock } from '../ops/index.ts';
import type { Recorder } from '../tape/index.ts';
import { lifeOf, livesOn, placeOf, asError, thrownBy } from '../strategy/host/index.ts';
import {
  isOfStrategy,
  takesStrategyOff,
  faultOf,
  StrategyFaults,
  configHash,
  expirationMinutesOf,
  ruleOf,
  begun,
  sessionSettings,
  buildVersion,
  VERSION,
} from '../setup/index.ts';
import type { RunRow } from '../ledger/index.ts';
import type { BotMemory } from './bot-memory.ts';
import type { Fault, LoadedCore, FormerLives, Credentials } from '../setup/index.ts';
import type { Kept } from './bot-records.ts';
import { BotRecords } from './bot-records.ts';
import type { BotResult } from '../run/index.ts';
import { Refusals, LiveFigures, jsonOf } from '../run/index.ts';
import { stateOf } from './bot-state.ts';
import type { NextConfig } from './hot-reload.ts';
import type { Reload } from './strategy-attempt.ts';
import { Decoder } from '../wire/index.ts';
import type { Dispatched } from './dispatch-clock.ts';
import { DispatchClock } from './dispatch-clock.ts';

export type Target = Credentials & {
  readonly restUrl: string;
  readonly socketUrl: string;
  readonly former: FormerLives;
};

type Observer = (step: Pick<StampedArrival, 'seq' | 't'>, commands: readonly Command[]) => void;

type End = { readonly code: ExitCode; readonly reason: string };

/** What can be seen of a bot, but for what its safety net knows. */
export type BotView = Omit<BotFigures, 'state' | 'problems' | 'loops' | 'signals' | 'guarded' | 'inPlay'> & {
  readonly journal: string | undefined;
};

/** The safety nets, as far as the bot itself must know of them. */
export type BotNet = Pick<
  SafetyNet,
  'begin' | 'loopCompleted' | 'mayPlace' | 'fault' | 'ending' | 'ended' | 'followsDead'
>;

export class Bot {
  readonly #core: Core;
  readonly #door: Door;
  readonly #rest: RestClient;
  readonly #records: BotRecords;
  readonly #clock: WallClock;
  /** From the exchange; and from operators, safety nets and clocks. */
  readonly #received = new Subject<Arrival>();
  readonly #shell = new Subject<Input>();
  readonly #log: Log;
  #loaded: LoadedConfig;
  #configHash: string;
  readonly #target: Target;
  readonly #run: string;
  readonly #net: BotNet;
  readonly #resting: RestingFile | undefined;
  readonly #memory: BotMemory | undefined;
  #observers: readonly Observer[] = [];
  readonly #frameAt: Record<Feed, number | undefined> = { prices: undefined, user: undefined };
  /** Connections that were lost. */
  readonly #drops: Record<Feed, number> = { prices: 0, user: 0 };
  /** Strategies, or instances of them, that were taken off for good. */
  readonly faults = new StrategyFaults();
  readonly #refusals = new Refusals();
  /** What a report of the run would tell, as far as it is known. */
  readonly figures: LiveFigures;
  readonly #times = new RequestTimes((kind, ms) => this.answered(kind, ms));
  /** Told of each answer of the exchange. */
  answered: (kind: string, ms: number) => void = () => undefined;
  /** Alerts by their code: those that did not come yet as well, so that the first one is seen as an increase. */
  readonly #alerts = new Map<string, number>(
    Object.entries(ERROR_CODES).flatMap(([code, entry]) =>
      'exit' in entry && !ENDS_AND_ALERTS.has(code) ? [] : [[code, 0]],
    ),
  );
  /** Frames that a newer one replaced before they were read. */
  #outrun = 0;
  readonly #startWaiting = new AbortController();
  readonly #startedAt = performance.now();
  readonly #dispatch = new DispatchClock();
  #loading: StrategyId | undefined;
  #strategies: LoadedCore['strategies'];
  #configurations = 0;
  /** Loaded since the start, by id and hash. */
  readonly #reloaded = new Map<string, StrategyEntry>();
  /** What the newest `configure` names. */
  readonly #configured = new Map<string, CoreSettings>();
  #modules: readonly StrategyModule[];
  readonly #threwOutside = new Set<StrategyModule>();
  /** What versions threw that do not run: not yet, or no more. */
  readonly #threwElsewhere = new Map<string, Error>();
  /** The first that was thrown outside of a step by nobody knows whom. */
  #loose: Error | undefined;

  constructor(
    loaded: LoadedConfig,
    loadedCore: LoadedCore,
    target: Target,
    parts: {
      readonly log: Log;
      readonly net: BotNet;
      /** Undefined: nothing outlives the run. */
      readonly memory?: BotMemory;
      /** Given the way to the session's token, which must not be on a tape. */
      readonly recorder?: (token: () => string | undefined) => Recorder;
      readonly clocks?: Clocks;
      /** What the run is judged by later; its journal has it. */
      readonly gate?: GateMark | undefined;
      /** Where the resting orders are kept for the next run; absent: nowhere. */
      readonly restingFile?: string | undefined;
    },
  ) {
    const { log } = parts;
    const { config } = loaded;
    const { exchange } = config;
    this.#loaded = loaded;
    this.#configHash = configHash(loaded);
    this.#target = target;
    this.#log = log;
    this.#net = parts.net;
    this.#memory = parts.memory;
    this.#run = randomBytes(4).toString('hex');
    this.figures = new LiveFigures({
      instance: config.orders.instance,
      run: this.#run,
      commission: config.commission,
    });
    this.observe((step, told) => {
      this.figures.step(step, told, this.#core);
      this.#memory?.figures();
      if (this.#core.ordersTurned) this.#resting?.changed();
    });
    this.#modules = loadedCore.modules;
    this.#strategies = loadedCore.strategies;
    this.#core = new Core(loadedCore.settings, {
      reportAsync: (strategy, place) => {
        this.#shell.next({
          type: 'strategy-fault',
          strategy,
          code: 'ASYNC_EMISSION',
          detail: `it emitted outside a dispatch: give the scheduler to its time operators${place}`,
        });
      },
      enter: (strategy) => this.#dispatch.enter(strategy),
      leave: () => this.#measure(),
      reloaded: (strategy, sha256) => this.#reloaded.get(`${strategy} ${sha256}`),
      configured: (name) => this.#configured.get(name),
    });
    this.#clock = new WallClock(parts.clocks ?? SYSTEM_CLOCKS, (news) => {
      this.#shell.next({ type: 'clock', ...news });
    });
    this.#resting =
      parts.restingFile === undefined
        ? undefined
        : new RestingFile(parts.restingFile, {
            isKnown: () => this.#core.isAccountRead,
            left: () => this.#core.ordersLeft(),
            now: () => this.#clock.now(),
            problem: (problem) => {
              log.warn('the list of resting orders cannot be written: the next run may not know them', {
                problem,
              });
            },
          });
    this.#rest = new RestClient(
      target.restUrl,
      exchange.profile.apiVersionHeader,
      (...times) => this.#clock.applyDate(...times),
      exchange.maxFrame,
    );
    const { now } = LIVE_TIMERS;
    const { profile } = exchange;
    this.#door = liveDoor(
      {
        ...sessionSettings(exchange, target),
        profile,
        lateArrivalMs: exchange.lateArrival,
        expirationMinutes: expirationMinutesOf(loaded),
      },
      {
        rest: this.#rest,
        socketUrl: target.socketUrl,
        maxFrame: exchange.maxFrame,
        windows: {
          place: new PermitWindow(ruleOf(loaded, 'place'), now, target.former.windows.place),
          cancel: new PermitWindow(ruleOf(loaded, 'cancel'), now, target.former.windows.cancel),
          read: new PermitWindow(ruleOf(loaded, 'reads'), now),
        },
      },
      {
        participants: (id) => this.#core.gameOf(id),
        mayPlace: () => this.#net.mayPlace(),
        tell: (arrival) => this.#received.next(arrival),
        say: (message, fields) => log.warn(message, fields),
        wall: () => this.#clock.now(),
      },
    );
    this.#records = new BotRecords(loaded, loadedCore, {
      ...{ run: this.#run, log, gate: parts.gate },
      runsWithOpenPlays: () => this.#core.runsWithOpenPlays(),
      recorder: parts.recorder?.(() => this.#door.session.token),
    });
  }

  get status(): CoreStatus {
    const status = this.#core.status();
    const why = status.closed === undefined || status.stopping ? undefined : this.#feedProblem(status);
    return why === undefined ? status : { ...status, closed: why };
  }

  /** Why a feed does not connect: it explains books that were not read. */
  #feedProblem({ feeds }: CoreStatus): string | undefined {
    for (const feed of ['prices', 'user'] as const) {
      const { fault, address } = this.#door.connection(feed) ?? {};
      if (feeds[feed] || fault === undefined) continue;
      const name = feed === 'prices' ? 'price feed' : 'user feed';
      return `the ${name} cannot connect: ${fault.cause} (${address}; look at ${fault.setting})`;
    }
    return undefined;
  }

  /** For whoever looks. */
  get core(): PageCore & Pick<Core, 'news' | 'fairOf' | 'gameOf' | 'games' | 'sportOf' | 'signalAges'> {
    return this.#core;
  }

  get runId(): string {
    return this.#run;
  }

  /** Called behind every step, when its commands are on their way. One that throws is called no more, and harms nobody. */
  observe(observer: Observer): void {
    this.#observers = [...this.#observers, observer];
  }

  #show(...step: Parameters<Observer>): void {
    for (const observe of this.#observers) {
      try {
        observe(...step);
      } catch (error) {
        this.#observers = this.#observers.filter((one) => one !== observe);
        this.#log.error('what watches the bot failed, and watches no more: the bot goes on', {
          error: asError(error).stack,
        });
      }
    }
  }

  /** They tell nothing that the run hangs on. */
  #endFigures(): void {
    try {
      this.#memory?.endFigures(this.#core);
    } catch (error) {
      this.#log.error('the last figures of the run are not in the ledger', { error: asError(error).stack });
    }
  }

  /** Of the newest answers of the exchange, by kind of request. */
  get latencies(): RequestTimes['latencies'] {
    return this.#times.latencies;
  }

  /** Some strategy asked for this signal. */
  wasAskedFor(name: string): boolean {
    return this.#core.wasAskedFor(name);
  }

  /** What can be seen of it while it runs. */
  get view(): BotView {
    const { place, cancel } = this.#loaded.config.exchange.limits;
    const { status } = this;
    return {
      ...status,
      idle: withoutTakenKeys(status.idle),
      ages: { prices: this.#feedAge('prices'), user: this.#feedAge('user') },
      connections: { prices: this.#door.connection('prices'), user: this.#door.connection('user') },
      drops: { ...this.#drops },
      outrun: this.#outrun,
      alerts: Object.fromEntries(this.#alerts),
      refusals: this.#refusals.counts,
      build: {
        version: VERSION,
        build: buildVersion(),
        config_hash: this.#configHash,
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

  /** By the clock that the run goes by: the exchange's, where that is known. Unix ms. */
  get wallMs(): number {
    return this.#clock.now();
  }

  /** The journal, for whoever watches that it is kept; undefined: none is written. */
  get journal(): JournalState | undefined {
    const { journal } = this.#records;
    return journal && { file: journal.writing, refused: journal.refused, isTorn: journal.isTorn };
  }

  /** Every market that is quoted, held or open. */
  get markets(): readonly MarketStatus[] {
    return this.#core.markets().map((market) => ({ ...market, said: withoutTakenWords(market.said) }));
  }

  /** The signals as they stand, by name. */
  get signals(): Readonly<Record<string, StandingSignal>> {
    return Object.fromEntries(this.#core.signals());
  }

  /** Seconds since the last frame of a feed. */
  #feedAge(feed: Feed): number | undefined {
    const at = this.#frameAt[feed];
    return at === undefined ? undefined : (performance.now() - at) / 1000;
  }

  get #http(): Readonly<Record<string, number>> {
    return Object.fromEntries(
      [...this.#door.statuses].sort(([a], [b]) => a - b).map(([status, count]) => [String(status), count]),
    );
  }

  /** One word for the heartbeat and `ctl status`. */
  get state(): BotState {
    return stateOf(this.#core.status());
  }

  /** Whose code runs right now. */
  get running(): StrategyId | undefined {
    return this.#dispatch.running ?? this.#loading;
  }

  /** What it came to so far. */
  result(code: ExitCode, reason: string): BotResult {
    const status = this.#core.status();
    return {
      code,
      reason: withoutTaken(reason),
      status: { ...status, idle: withoutTakenKeys(status.idle) },
      requests: this.#door.requests,
      http: this.#http,
      durationMs: Math.round(performance.now() - this.#startedAt),
      faults: this.faults.all,
    };
  }

  /** So far; complete once the run has ended. */
  get kept(): Kept {
    return this.#records.kept;
  }

  /** An operator's word, or a safety net's. Taken when this returns, unless it tells why not. */
  enter(input: Input): string | undefined {
    const problem = this.#problemWith(input);
    if (problem !== undefined) return problem;
    this.#shell.next(input);
    if (input.type === 'operator' && input.command === 'resume') this.#revive(() => true);
    if (input.type === 'strategy' && input.command === 'resume') this.#revive((id) => id === input.strategy);
    return undefined;
  }

  /** Strategies that were taken off begin anew; only one that is off at the end counts for the exit code. */
  #revive(isMeant: (strategy: string) => boolean): void {
    for (const { id } of this.#core.strategiesOff().filter((one) => isMeant(one.id))) {
      this.faults.forget(id);
      this.#shell.next({ type: 'strategy', strategy: id, command: 'revive' });
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

  /** Code of this strategy runs between two steps; undefined: no more. */
  loading(strategy: StrategyId | undefined): void {
    this.#loading = strategy;
  }

  /** What a version that does not run threw outside of a step, the first of it. */
  thrownIn(url: string): Error | undefined {
    return this.#threwElsewhere.get(lifeOf(url));
  }

  /** What another version of a strategy would say now. */
  tryOut(entry: StrategyEntry): Trial {
    const budget = this.#core.budgetOf(entry.id);
    const slow: Dispatched[] = [];
    const trial = this.#core.tryOut(entry, {
      enter: (strategy) => this.#dispatch.enter(strategy),
      leave: () => {
        const took = this.#dispatch.leave(Math.min(budget.cpuMs, budget.wallMs));
        if (took !== undefined && isOver(took, budget)) slow.push(took);
      },
    });
    const [first] = slow;
    if (first === undefined) return trial;
    const detail = `${entry.id}: it took ${first.cpuMs.toFixed(0)} ms of CPU and ${first.wallMs.toFixed(0)} ms by the clock for one input`;
    return { ...trial, faults: [...trial.faults, { code: 'STRATEGY_OVERRUN', detail }] };
  }

  /** It takes over, `index` in the order of the configuration; the journal has its sources from here on. */
  reload(index: number, { entry, file, module }: Reload): void {
    this.#reloaded.set(`${entry.id} ${file.sha256}`, entry);
    this.#modules = this.#modules.map((one) => (one.id === entry.id ? module : one));
    this.#strategies = this.#strategies.with(index, file);
    this.#records.reload(this.#strategies);
    this.faults.forget(entry.id);
    this.#shell.next({ type: 'reload', strategy: entry.id, sha256: file.sha256 });
  }

  /** Another configuration takes over; the journal has it, and its strategies, from here on. */
  configure({ loaded, core, replace }: NextConfig, by: string): void {
    this.#loaded = loaded;
    this.#configHash = configHash(loaded);
    const name = `${this.#configHash}-${(this.#configurations += 1)}`;
    this.#configured.clear();
    this.#configured.set(name, core.settings);
    this.#modules = core.modules;
    this.#strategies = core.strategies;
    this.#records.reload(core.strategies, loaded);
    for (const id of replace) this.faults.forget(id);
    this.#shell.next({ type: 'configure', config: name, replace, by });
  }

  /** First call: stop in order. Second call: cancel everything and go. */
  stop(how: 'stop' | 'abort'): void {
    this.#startWaiting.abort();
    this.#shell.next({ type: 'operator', command: how });
  }

  /**
   * Something was thrown outside of a step, by a timer or a promise. The core is as it was: the strategy whose file threw is
   * taken off; where nobody can tell whose it is, the run stops in order.
   */
  applyLoose(thrown: unknown): void {
    const error = asError(thrown);
    const guilty = thrownBy(this.#modules, error);
    const running = new Set(this.#modules.map(({ url }) => lifeOf(url)));
    const [elsewhere] = [...livesOn(error)].filter((life) => !running.has(life));
    const isElsewhere = guilty.length === 0 && elsewhere !== undefined;
    // a timer may throw as often as it rings: told once
    if (isElsewhere) {
      if (this.#threwElsewhere.has(elsewhere)) return;
      this.#threwElsewhere.set(elsewhere, error);
      this.#log.warn('a version of a strategy that does not run threw outside of a step', {
        error: error.stack || error.message,
      });
      return;
    }
    if (guilty.length > 0 ? guilty.every((one) => this.#threwOutside.has(one)) : this.#loose !== undefined)
      return;
    for (const one of guilty) this.#threwOutside.add(one);
    this.#log.error('something was thrown outside of a step', {
      code: 'THROWN_OUTSIDE',
      error: error.stack || error.message,
      strategies: guilty.map(({ id }) => id),
    });
    for (const { id } of guilty)
      this.#shell.next({
        type: 'strategy-fault',
        strategy: id,
        code: 'ASYNC_EMISSION',
        // an input goes into the journal as it is
        detail: withoutTaken(`it threw outside a dispatch: ${error.message}${placeOf(error)}`),
      });
    if (guilty.length > 0) return;
    this.#loose ??= error;
    this.stop('stop');
  }

  /**
   * Runs until the core says that it is over. Rejects with an OddsmakerError when the start fails, and with whatever
   * `interrupted` rejects with; unless that is a known end, everything on the account is cancelled first.
   */
  async run(interrupted: Promise<never>): Promise<BotResult> {
    this.#memory?.begin(this.#row(), () => jsonOf(this.result(EXIT.done, 'running')), this.figures);
    const ending = this.#begin();
    const { finished } = ending;
    /** Nothing was sent, or what is open is known: no guard is needed any more. */
    let orderly = !this.#net.followsDead;
    let sentNothing = true;
    // a failure of the core is seen below; nothing may be unhandled while the login waits
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
        this.#loaded.config.onExit === 'leave' ||
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
      ending.loop.close();
      this.#resting?.close();
      await this.#records.close();
      this.#endFigures();
      if (end.code === EXIT.done) end = this.#badEnd(end, fault) ?? end;
      await this.#memory?.close(end.code, end.reason);
      end = this.#unwrittenEnd(end) ?? end;
      // the farewell is the last thing that is written
      await this.#net.ended(orderly, sentNothing);
    }
    return this.result(end.code, end.reason);
  }

  /** What a run that stopped in order does not end well with: of several the first (DESIGN §6, exit codes). */
  #badEnd(end: End, fault: End | undefined): End | undefined {
    if (this.#loose !== undefined)
      return { code: EXIT.bug, reason: `something was thrown outside of a step: ${this.#loose.message}` };
    if (fault?.code === EXIT.refused) return fault;
    const { told } = this.faults;
    if (told !== undefined) return { code: EXIT.badConfig, reason: `${end.reason}; ${told}` };
    const { journal } = this.kept;
    return journal?.isTorn === true
      ? { code: EXIT.gaveUp, reason: `the journal ${journal.file} ended before its run` }
      : fault;
  }

  /** The ledger has not all of a run that ended well, or gave up: that weighs more. */
  #unwrittenEnd({ code, reason }: End): End | undefined {
    const unwritten = this.#memory?.ledgerUnwritten;
    if (unwritten === undefined || (code !== EXIT.done && code !== EXIT.gaveUp)) return undefined;
    return { code: EXIT.ledgerUnwritten, reason: `${reason}; the ledger is not written: ${unwritten}` };
  }

  /** What the journal was given is on its way to the disk when this returns: the process ends here. */
  secureJournal(): void {
    this.#records.journal?.secure();
  }

  #row(): RunRow {
    const { config, file } = this.#loaded;
    return {
      ...{
        run: this.#run,
        version: buildVersion(),
        instance: config.orders.instance,
        configFile: resolve(file),
        configHash: this.#configHash,
        pid: process.pid,
        host: hostname(),
      },
      journal: this.#records.journal?.file,
      strategies: this.#strategies,
    };
  }

  /** The loop around the core, with all that it takes in. `finished`: how the core ends the run, or what it failed with. */
  #begin(): { readonly loop: RunLoop; readonly finished: Promise<End> } {
    let finish: (end: End) => void = () => undefined;
    let fail: (error: Error) => void = () => undefined;
    const finished = new Promise<End>((resolve, reject) => {
      finish = resolve;
      fail = reject;
    });
    const loop = new RunLoop(this.#core, new Decoder(this.#loaded.config.exchange.profile), {
      timers: LIVE_TIMERS,
      wall: this.#clock.now,
      record: (arrival, commands) => {
        this.#net.loopCompleted();
        this.#records.step(arrival, commands);
        this.#times.step(arrival, commands);
        this.#memory?.step(arrival, commands, this.#core);
      },
      stepped: (step, commands) => this.#show(step, commands),
      send: (command) => this.#door.execute(command),
      alert: (alert) => this.#alert(alert),
      exit: ({ code, reason }) => finish({ code: code as ExitCode, reason }),
      failed: (error) => fail(asError(error)),
    });
    const feed$ = (name: Feed): Observable<FeedArrival> =>
      this.#received.pipe(
        filter(isOfFeed),
        filter(({ feed }) => feed === name),
        tap((arrival) => this.#applyReceived(arrival)),
      );
    const others$ = this.#received.pipe(filter((arrival) => !isOfFeed(arrival)));
    // behind the recorder: a tape holds what came
    const prices$ = feed$('prices').pipe(conflate(() => (this.#outrun += 1)));
    merge(this.#shell, others$, feed$('user'), prices$).subscribe((arrival) => loop.input(arrival));
    const { unanswered, resting } = this.#target.former;
    this.#shell.next({
      type: 'boot',
      run: this.#run,
      ...(unanswered.length > 0 ? { unanswered } : {}),
      ...(resting.length > 0 ? { resting } : {}),
      ...this.#memory?.boot,
    });
    this.#net.begin();
    return { loop, finished };
  }

  #applyReceived(arrival: FeedArrival): void {
    if (arrival.type !== 'feed') this.#frameAt[arrival.feed] = performance.now();
    else if (arrival.status === 'down') this.#drops[arrival.feed] += 1;
    this.#records.feed(arrival, { t: this.#clock.now(), mono: performance.now() });
  }

  /** What somebody should look at has the key `alert` in the log, and is counted. */
  #alert({ level, code, message, fields }: Extract<Command, { type: 'alert' }>): void {
    this.#refusals.applyAlert({ code, fields });
    if (level === 'info') {
      this.#log.info(message, { code, ...fields });
      return;
    }
    this.#alerts.set(code, (this.#alerts.get(code) ?? 0) + 1);
    const fault = isOfStrategy(code) ? faultOf(this.#modules, code, fields) : undefined;
    if (fault !== undefined && takesStrategyOff(code)) this.faults.add(fault);
    const { file, line }: Partial<Fault> = fault ?? {};
    this.#log[level](message, {
      alert: code,
      code,
      ...fields,
      ...(file === undefined ? {} : { file }),
      ...(line === undefined ? {} : { line }),
    });
  }

  #measure(): void {
    const { running } = this.#dispatch;
    if (running === undefined) return;
    const budget = this.#core.budgetOf(running);
    const took = this.#dispatch.leave(Math.min(budget.cpuMs, budget.wallMs));
    if (took === undefined || !isOver(took, budget)) return;
    const { strategy, cpuMs, wallMs } = took;
    this.#shell.next({
      type: 'strategy-strike',
      strategy,
      cpuMs: Math.round(cpuMs),
      wallMs: Math.round(wallMs),
    });
  }

  /** A bug in the core: nothing can be trusted any more, so everything on the account is cancelled. */
  async #lastResort(error: unknown): Promise<void> {
    this.#log.error('the core failed: cancelling everything on the account', {
      error: error instanceof Error ? error.stack : String(error),
    });
    await this.#rest.call(
      { method: 'POST', path: '/session/cancelAllOrders', body: {}, token: this.#door.session.token },
      5000,
    );
  }
}

/** Codes that end a start, and that the core alerts of while it runs. */
const ENDS_AND_ALERTS = new Set(['ACCOUNT_REFUSED', 'FOREIGN_ORDER', 'MODE_CHANGED', 'PERSPECTIVE_MISMATCH']);

const isOver = ({ cpuMs, wallMs }: Dispatched, budget: StrategyBudget): boolean =>
  cpuMs > budget.cpuMs || wallMs > budget.wallMs;

const isOfFeed = (arrival: Arrival): arrival is FeedArrival =>
  arrival.type === 'frame' || arrival.type === 'long-frame' || arrival.type === 'feed';
