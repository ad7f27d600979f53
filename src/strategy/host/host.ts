// Runs the strategies: one instance per market or game, fed with views and isolated from each other. An
// instance that throws, completes or emits a bad intent loses its quotes; nothing else stops. Everything here
// happens inside a step of the core. Emissions outside a step cannot be replayed, so they leave through
// `reportAsync` and return as inputs.
import { isObservable, Subject, UnsubscriptionError } from 'rxjs';
import type { Observable, Subscription } from 'rxjs';
import type {
  Cents,
  ErrorCode,
  Game,
  GameId,
  HeldIntent,
  Market,
  MarketId,
  MarketType,
  Micros,
  QuoteIntent,
  StrategyId,
} from '../../domain/index.ts';
import { ERROR_CODES, plainName, withLast } from '../../domain/index.ts';
import type { Strategy } from '../define.ts';
import { asError, placeIn, placeOf } from './thrown.ts';
import { VirtualScheduler } from '../scheduler.ts';
import { SignalReaders } from '../signal-readers.ts';
import { instanceLog } from './instance-log.ts';
import { PersistedValues } from './persisted-values.ts';
import type { SeriesPlace } from './series-log.ts';
import { SeriesLog } from './series-log.ts';
import { readIntent } from './read-intent.ts';
import type { MarketView, Signals } from '../view.ts';

/** The time limits of a strategy for one input. `strikes` overruns within `inMs` quarantine it. */
export type StrategyBudget = {
  /** CPU of the thread, ms. */
  readonly cpuMs: number;
  /** Elapsed time, ms. */
  readonly wallMs: number;
  readonly strikes: number;
  readonly inMs: number;
};
export const DEFAULT_BUDGET: StrategyBudget = { cpuMs: 250, wallMs: 2000, strikes: 3, inMs: 600_000 };

/** One entry of `strategies:` in the YAML file: loaded, with checked parameters. */
export type StrategyEntry = {
  readonly id: StrategyId;
  readonly strategy: Strategy;
  readonly params: unknown;
  /** `DEFAULT_BUDGET` by default. */
  readonly budget?: StrategyBudget;
  /** How much history of a market it needs before it quotes there, ms. Default: 0. */
  readonly warmUpMs?: number;
  /** Whether it quotes markets of this type in a game. Default: it quotes all that the bot quotes. */
  readonly wants?: ((game: Game, type: MarketType) => boolean) | undefined;
  /** Parsed parameters for games of a league, by its plain name. Others have `params`. */
  readonly byLeague?: ReadonlyMap<string, unknown>;
  /** Limits on its own fills and orders, within those of the account. */
  readonly limits?: StrategyLimits;
};

/** Limits of one strategy. Undefined: none of its own. */
export type StrategyLimits = {
  readonly maxOrderRisk: Cents | undefined;
  readonly maxMarketLoss: Micros | undefined;
  readonly maxGameLoss: Micros | undefined;
  readonly maxTotalLoss: Micros | undefined;
  readonly maxOpenOrders: number | undefined;
};

export type HostPorts = {
  /** Sequence number of the current input. */
  readonly seq: () => number;
  /** Reports an emission outside a dispatch, and its place. It returns as a `strategy-fault` input. */
  readonly reportAsync: (strategy: StrategyId, place: string) => void;
  /** Surrounds each dispatch, so that the shell can measure it. The core reads no clock. */
  readonly enter?: (strategy: StrategyId) => void;
  readonly leave?: (strategy: StrategyId) => void;
  /** Called when a strategy reads a signal, whether it has a value or not. */
  readonly signalRead?: (name: string) => void;
  /** The whole game that a game is a part of; the game itself by default. */
  readonly wholeOf?: (gameId: GameId) => GameId;
  /** The header of a game, for strategies with markets or parameters of their own. */
  readonly gameOf?: (gameId: GameId) => Game | undefined;
  /** What strategies keep over restarts; empty by default. */
  readonly persisted?: PersistedValues;
  /** The series that strategies log; by default nothing takes them. */
  readonly series?: Pick<SeriesLog, 'log' | 'close'>;
  /** Called when a value of a series is dropped, the first time for a reason. */
  readonly unlogged?: (strategy: StrategyId, detail: string) => void;
  readonly fault: (code: ErrorCode, strategy: StrategyId, detail: string) => void;
  readonly log: (strategy: StrategyId, message: string, fields: Readonly<Record<string, unknown>>) => void;
};

type Instance = {
  readonly entry: StrategyEntry;
  readonly scopeKey: string;
  readonly views: Subject<MarketView>;
  readonly markets: Map<MarketId, Market>;
  /** Markets that have closed. Intents for them are late, not wrong, and are ignored. */
  readonly past: Set<MarketId>;
  subscription: Subscription | undefined;
  /** Disabled: it gets no views, and its emissions are ignored. */
  off: boolean;
  /** Disabled because it threw or emitted a bad intent. */
  isFaulty: boolean;
};

export class StrategyHost {
  readonly #entries: StrategyEntry[];
  readonly #ports: HostPorts;
  /** The signals as instances and views read them. Reading one subscribes the running instance to it. */
  readonly signals: Signals;
  readonly #persisted: PersistedValues;
  readonly #series: Pick<SeriesLog, 'log' | 'close'>;
  readonly #readers = new SignalReaders<Instance>();
  readonly #scheduler = new VirtualScheduler();
  readonly #instances = new Map<string, Instance>();
  /** Instances of each shown market, in the order of the YAML file. Undefined: not made yet; null: not wanted. */
  readonly #runs = new Map<MarketId, (Instance | null | undefined)[]>();
  /** Disabled strategies, with the reason. */
  readonly #quarantined = new Map<StrategyId, string>();
  /** Intents since the last `takeIntents`. */
  #heldIntents: HeldIntent[] | undefined;
  /** The instance whose code runs now, within a step. */
  #running: Instance | undefined;

  constructor(entries: readonly StrategyEntry[], signals: Signals, ports: HostPorts) {
    this.#entries = [...entries];
    this.signals = Object.freeze({
      get: (name: string) => {
        if (this.#running !== undefined) {
          this.#readers.note(name, this.#running);
          ports.signalRead?.(name);
        }
        return signals.get(name);
      },
    });
    this.#ports = ports;
    this.#persisted = ports.persisted ?? new PersistedValues();
    this.#series = ports.series ?? new SeriesLog();
  }

  /** The strategies, in the order of the YAML file. */
  get entries(): readonly StrategyEntry[] {
    return this.#entries;
  }

  /** Time of the earliest pending timer, monotonic ms. Undefined when none is pending. */
  get nextDue(): number | undefined {
    return this.#scheduler.nextDue;
  }

  /** Takes out the intents since the last call, in the order of emission. */
  takeIntents(): readonly HeldIntent[] {
    const intents = this.#heldIntents ?? NO_INTENTS;
    this.#heldIntents = undefined;
    return intents;
  }

  #hold(strategy: StrategyId, intent: QuoteIntent, isWithdrawn: boolean): void {
    const held = { strategy, intent, seq: this.#ports.seq(), isWithdrawn };
    this.#heldIntents = withLast(this.#heldIntents, held);
  }

  #withdraw({ id }: StrategyEntry, market: MarketId, reason: string): void {
    this.#hold(id, { market, quotes: [], reason }, true);
  }

  /** Runs the timers that are due at `now`, monotonic ms. */
  runTimers(now: number): void {
    this.#scheduler.runUntil(now);
  }

  /** Sends every strategy its view of a market, in the order of the YAML file. */
  dispatch(market: Market, viewFor: (strategy: StrategyId, isOfGame: boolean) => MarketView): void {
    let runs = this.#runs.get(market.id);
    if (runs === undefined) this.#runs.set(market.id, (runs = []));
    for (let index = 0; index < this.#entries.length; index++) {
      const entry = this.#entries[index];
      if (entry === undefined) break;
      if (this.#quarantined.has(entry.id)) continue;
      let instance = runs[index];
      if (instance === undefined)
        instance = runs[index] = this.isWanted(entry, market) ? this.#instanceFor(entry, market) : null;
      if (instance?.off === false) this.#within(instance, showView, viewFor(entry.id, entry.strategy.scope === 'game'));
    }
  }

  /** Whether a strategy quotes a market, by its configuration. */
  isWanted({ wants }: Pick<StrategyEntry, 'wants'>, { gameId, type }: Market): boolean {
    const game = wants === undefined ? undefined : this.#ports.gameOf?.(gameId);
    return game === undefined || wants?.(game, type) !== false;
  }

  /** The parameters of an instance: those of the game's league, where it has any. */
  #paramsOf({ params, byLeague }: StrategyEntry, { gameId }: Market): unknown {
    const game = byLeague === undefined ? undefined : this.#ports.gameOf?.(gameId);
    return (game && byLeague?.get(plainName(game.league))) ?? params;
  }

  /** Closes a market: withdraws its quotes. `views$` completes after the last one of an instance. */
  closeMarket(market: Market): void {
    const runs = this.#runs.get(market.id);
    this.#runs.delete(market.id);
    for (const [index, entry] of this.#entries.entries()) {
      const key = runs?.[index]?.scopeKey ?? this.#scopeKeyOf(entry, market);
      const instance = this.#instances.get(key);
      if (instance?.markets.delete(market.id) !== true) continue;
      instance.past.add(market.id);
      this.#withdraw(entry, market.id, 'the market is closed');
      if (instance.markets.size > 0) continue;
      if (!instance.off) this.#within(instance, completeViews, undefined);
      instance.off = true;
      this.#unsubscribe(instance);
      this.#instances.delete(key);
      this.#readers.forget(instance);
      this.#series.close(this.#placeOf(entry, market));
    }
  }

  /**
   * Markets of the instances that subscribed to any of these signals, instance by instance; one market of an
   * instance for a game.
   */
  *marketsReading(names: readonly string[]): Iterable<MarketId> {
    for (const { off, markets, entry } of this.#readers.readersOf(names)) {
      if (off) continue;
      for (const id of markets.keys()) {
        yield id;
        // one view shows a whole game
        if (entry.strategy.scope === 'game') break;
      }
    }
  }

  /** Whether any instance has subscribed to this signal, among the newest 10,000 names. */
  isSubscribed(name: string): boolean {
    return this.#readers.isSubscribed(name);
  }

  /** Disables a strategy on all markets and withdraws its quotes. */
  quarantine(strategy: StrategyId, reason: string): void {
    this.#quarantined.set(strategy, reason);
    for (const instance of this.#instances.values()) {
      if (instance.entry.id === strategy) this.#turnOff(instance, reason);
    }
  }

  /**
   * Replaces the strategy with the same id, whether it is in quarantine or not. The quotes of the old one are
   * withdrawn; the caller then shows the markets to the new one.
   * @returns false when no strategy has this id
   */
  replace(entry: StrategyEntry): boolean {
    const index = this.#entries.findIndex(({ id }) => id === entry.id);
    if (index < 0) return false;
    this.#entries[index] = entry;
    this.#quarantined.delete(entry.id);
    for (const [key, instance] of this.#instances) {
      if (instance.entry.id !== entry.id) continue;
      this.#turnOff(instance, 'replaced by another version');
      this.#instances.delete(key);
      this.#readers.forget(instance);
    }
    for (const runs of this.#runs.values()) runs[index] = undefined;
    return true;
  }

  /** Takes over the limits, the budget and the warm-up of a strategy, which keeps running as it is. */
  adjust({ id, limits, budget, warmUpMs }: StrategyEntry): void {
    const index = this.#entries.findIndex((entry) => entry.id === id);
    const entry = this.#entries[index];
    if (entry === undefined) return;
    this.#entries[index] = {
      ...entry,
      ...(budget !== undefined && { budget }),
      ...(warmUpMs !== undefined && { warmUpMs }),
      ...(limits !== undefined && { limits }),
    };
  }

  isQuarantined(strategy: StrategyId): boolean {
    return this.#quarantined.has(strategy);
  }

  /** Why a strategy is in quarantine. Undefined when it is not. */
  quarantineOf(strategy: StrategyId): string | undefined {
    return this.#quarantined.get(strategy);
  }

  /** The number of quoted markets on which a fault of its own disabled the strategy. */
  faultyIn(strategy: StrategyId): number {
    let markets = 0;
    for (const { entry, isFaulty, markets: quoted } of this.#instances.values())
      if (isFaulty && entry.id === strategy) markets += quoted.size;
    return markets;
  }

  /**
   * Restarts a disabled strategy on all its markets, at an operator's command.
   * @returns false when it is unknown or was not disabled
   */
  revive(strategy: StrategyId): boolean {
    const entry = this.#entries.find(({ id }) => id === strategy);
    if (entry === undefined) return false;
    if (!this.#quarantined.has(strategy) && this.faultyIn(strategy) === 0) return false;
    return this.replace(entry);
  }

  #instanceFor(entry: StrategyEntry, market: Market): Instance {
    const scopeKey = this.#scopeKeyOf(entry, market);
    const known = this.#instances.get(scopeKey);
    if (known !== undefined) {
      if (!known.markets.has(market.id)) {
        known.markets.set(market.id, market);
        known.past.delete(market.id);
      }
      return known;
    }
    const instance: Instance = {
      entry,
      scopeKey,
      views: new Subject(),
      markets: new Map([[market.id, market]]),
      past: new Set(),
      subscription: undefined,
      off: false,
      isFaulty: false,
    };
    this.#instances.set(scopeKey, instance);
    const create = (): void => {
      const operator = entry.strategy.create({
        params: this.#paramsOf(entry, market),
        scheduler: this.#scheduler.forOwner({
          run: (action) => {
            this.#within(instance, action, undefined);
          },
        }),
        signals: this.signals,
        persist: this.#persisted.of(entry.id, this.#wholeOf(market)),
        log: instanceLog(this.#placeOf(entry, market), {
          write: (message, fields) => this.#ports.log(entry.id, message, fields),
          series: this.#series,
          dropped: (problem) => this.#ports.unlogged?.(entry.id, problem),
          isInStep: () => this.#running !== undefined,
        }),
      });
      if (typeof operator !== 'function') throw new TypeError('create must return an operator: (views$) => …');
      const intents: unknown = operator(instance.views.asObservable());
      if (!isObservable(intents)) throw new TypeError('the operator must return an observable of intents');
      instance.subscription = (intents as Observable<QuoteIntent>).subscribe({
        next: (intent) => {
          this.#emitted(instance, intent);
        },
        error: (error: unknown) => {
          this.#threw(instance, error);
        },
        complete: () => {
          this.#completed(instance);
        },
      });
    };
    this.#within(instance, create, undefined);
    return instance;
  }

  #placeOf({ id, strategy }: StrategyEntry, market: Market): SeriesPlace {
    return strategy.scope === 'game'
      ? { strategy: id, game: this.#wholeOf(market), market: undefined }
      : { strategy: id, game: market.gameId, market: market.id };
  }

  #scopeKeyOf({ id, strategy }: StrategyEntry, market: Market): string {
    return `${id}|${strategy.scope === 'game' ? this.#wholeOf(market) : market.id}`;
  }

  #wholeOf({ gameId }: Market): GameId {
    return this.#ports.wholeOf?.(gameId) ?? gameId;
  }

  /** Runs code that may call the strategy. All such calls go through here, except `#unsubscribe`. */
  #within<T>(instance: Instance, run: (instance: Instance, argument: T) => void, argument: T): void {
    if (instance.off) return;
    const outer = this.#running;
    this.#running = instance;
    this.#ports.enter?.(instance.entry.id);
    try {
      run(instance, argument);
    } catch (error) {
      this.#threw(instance, error);
    } finally {
      this.#running = outer;
      this.#ports.leave?.(instance.entry.id);
    }
  }

  #threw(instance: Instance, error: unknown): void {
    if (instance.off || !this.#isDispatching(instance)) return;
    const thrown = asError(error);
    const detail = `${instance.scopeKey}: ${thrown.message}${placeOf(thrown)}`;
    this.#ports.fault('STRATEGY_THREW', instance.entry.id, detail);
    instance.isFaulty = true;
    this.#turnOff(instance, 'the strategy threw');
  }

  /** Disables an instance that completed. While one of its markets is open, this is a fault. */
  #completed(instance: Instance): void {
    if (instance.off || !this.#isDispatching(instance)) return;
    this.#turnOff(instance, 'the strategy completed');
    if (instance.markets.size === 0) return;
    this.#ports.fault('STRATEGY_COMPLETED', instance.entry.id, `${instance.scopeKey}: its intents ended`);
  }

  #turnOff(instance: Instance, reason: string): void {
    if (instance.off) return;
    instance.off = true;
    for (const id of instance.markets.keys()) this.#withdraw(instance.entry, id, reason);
    this.#unsubscribe(instance);
  }

  /** Ends the subscription. The teardown may run strategy code: it is measured, errors are faults. */
  #unsubscribe({ entry, scopeKey, subscription }: Instance): void {
    const isOutermost = this.#running === undefined;
    if (isOutermost) this.#ports.enter?.(entry.id);
    try {
      subscription?.unsubscribe();
    } catch (error) {
      const [first = error] = error instanceof UnsubscriptionError ? (error.errors as unknown[]) : [];
      const thrown = asError(first);
      const detail = `${scopeKey}: ${thrown.message}${placeOf(thrown)}, as its subscription ended`;
      this.#ports.fault('STRATEGY_THREW', entry.id, detail);
    } finally {
      if (isOutermost) this.#ports.leave?.(entry.id);
    }
  }

  /** Whether strategy code runs inside a step. Outside one, the emission is only reported. */
  #isDispatching(instance: Instance): boolean {
    const isDispatching = this.#running !== undefined;
    if (!isDispatching) this.#ports.reportAsync(instance.entry.id, placeOfEmission());
    return isDispatching;
  }

  #emitted(instance: Instance, intent: unknown): void {
    if (instance.off) return;
    if (!this.#isDispatching(instance)) return;
    let read: QuoteIntent | string;
    try {
      if (isLate(intent, instance.past)) return;
      read = readIntent(intent, instance.markets);
    } catch {
      read = 'the intent cannot be read';
    }
    if (typeof read !== 'string') {
      this.#hold(instance.entry.id, read, false);
      return;
    }
    this.#ports.fault(
      'STRATEGY_BAD_INTENT',
      instance.entry.id,
      `${instance.scopeKey}: ${read}; ${ERROR_CODES.STRATEGY_BAD_INTENT.remedy}${placeOfEmission()}`,
    );
    instance.isFaulty = true;
    this.#turnOff(instance, 'the strategy emitted a bad intent');
  }
}

const NO_INTENTS: readonly HeldIntent[] = [];

const showView = ({ views }: Instance, view: MarketView): void => {
  views.next(view);
};
const completeViews = ({ views }: Instance): void => {
  views.complete();
};

const THIS_FILE = import.meta.url;
const MAX_FRAMES = 100;

/**
 * The place in the strategy's code that emits now, as ` (name.ts:12)`. Empty when the strategy has returned
 * the value to an operator of rxjs, as with `map`. Frames below the host's own call are ignored: a replay
 * gets here through other callers and must produce the same text.
 */
function placeOfEmission(): string {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = MAX_FRAMES;
  const frames = (new Error().stack ?? '').split('\n').slice(1);
  Error.stackTraceLimit = stackTraceLimit;
  const from = frames.findIndex((frame) => !frame.includes(THIS_FILE));
  const length = frames.slice(from).findIndex((frame) => frame.includes(THIS_FILE));
  const own = frames.slice(from, length < 0 ? undefined : from + length);
  return placeIn(own.filter((frame) => !frame.includes('/node_modules/')).join('\n'));
}

const isLate = (intent: unknown, past: ReadonlySet<MarketId>): boolean =>
  typeof intent === 'object' && intent !== null && past.has((intent as QuoteIntent).market);
