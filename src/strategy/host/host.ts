// Runs the strategies: one instance per market or game, fed with views, isolated from each other. An instance that
// throws, completes or emits outside a dispatch loses its quotes and nothing else stops. Everything here happens inside
// a step of the core; only faults that a replay could not reproduce leave through `report` and return as inputs.
import { isObservable, Subject, UnsubscriptionError } from 'rxjs';
import type { Observable, Subscription } from 'rxjs';
import type {
  ErrorCode,
  GameId,
  HeldIntent,
  Market,
  MarketId,
  Quote,
  QuoteIntent,
  Side,
  StrategyId,
} from '../../domain/index.ts';
import { ERROR_CODES } from '../../domain/index.ts';
import type { Strategy } from '../define.ts';
import { plainFields, plainMessage } from '../plain.ts';
import { asError } from './thrown.ts';
import { VirtualScheduler } from '../scheduler.ts';
import { SignalReaders } from '../signal-readers.ts';
import type { MarketView, Signals } from '../view.ts';

/**
 * What a strategy may take for one input, ms: CPU of the thread and time by the clock. So many strikes within `inMs` take it off.
 */
export type StrategyBudget = {
  readonly cpuMs: number;
  readonly wallMs: number;
  readonly strikes: number;
  readonly inMs: number;
};
export const DEFAULT_BUDGET: StrategyBudget = { cpuMs: 250, wallMs: 2000, strikes: 3, inMs: 600_000 };

/** One entry of `strategies:` in the YAML file, loaded, its parameters checked. */
export type StrategyEntry = {
  readonly id: StrategyId;
  readonly strategy: Strategy;
  readonly params: unknown;
  /** `DEFAULT_BUDGET` unless told. */
  readonly budget?: StrategyBudget;
};

export type HostPorts = {
  /** Sequence number of the input in work. */
  readonly seq: () => number;
  /** An emission outside a dispatch, and from where: the shell turns it into a `strategy-fault` input. */
  readonly reportAsync: (strategy: StrategyId, place: string) => void;
  /** Around each dispatch, so that the shell can measure it; the core itself reads no clock. */
  readonly enter?: (strategy: StrategyId) => void;
  readonly leave?: (strategy: StrategyId) => void;
  /** A strategy reads a signal, there or not. */
  readonly signalRead?: (name: string) => void;
  readonly fault: (code: ErrorCode, strategy: StrategyId, detail: string) => void;
  readonly log: (strategy: StrategyId, message: string, fields: Readonly<Record<string, unknown>>) => void;
};

type Instance = {
  readonly entry: StrategyEntry;
  readonly scopeKey: string;
  readonly views: Subject<MarketView>;
  readonly markets: Map<MarketId, Market>;
  /** Markets it had before: what it still says of them is late, not wrong. */
  readonly past: Set<MarketId>;
  subscription: Subscription | undefined;
  off: boolean;
  /** It was taken off for a fault of its own. */
  isFaulty: boolean;
};

export class StrategyHost {
  readonly #entries: StrategyEntry[];
  readonly #ports: HostPorts;
  /** What instances and views are given: it notes who asks. */
  readonly signals: Signals;
  readonly #readers = new SignalReaders<Instance>();
  readonly #scheduler = new VirtualScheduler();
  readonly #instances = new Map<string, Instance>();
  /** Of each market that is shown, in the order of the YAML file; undefined: nobody runs it. */
  readonly #runs = new Map<MarketId, (Instance | undefined)[]>();
  /** And why. */
  readonly #quarantined = new Map<StrategyId, string>();
  /** What was said since the last look. */
  #said: HeldIntent[] = [];
  /** Whose code runs, within a step. */
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
  }

  /** In the order of the YAML file. */
  get entries(): readonly StrategyEntry[] {
    return this.#entries;
  }

  get nextDue(): number | undefined {
    return this.#scheduler.nextDue;
  }

  /** What strategies said since the last look, in order. */
  takeIntents(): readonly HeldIntent[] {
    const said = this.#said;
    if (said.length > 0) this.#said = [];
    return said;
  }

  #hold(strategy: StrategyId, intent: QuoteIntent, isWithdrawn: boolean): void {
    this.#said.push({ strategy, intent, seq: this.#ports.seq(), isWithdrawn });
  }

  #withdraw({ id }: StrategyEntry, market: MarketId, reason: string): void {
    this.#hold(id, { market, quotes: [], reason }, true);
  }

  /** Runs the timers that are due at this monotonic time. */
  runTimers(now: number): void {
    this.#scheduler.runUntil(now);
  }

  /** Gives every strategy its view of a market, in the order of the YAML file. */
  dispatch(market: Market, viewFor: (strategy: StrategyId) => MarketView): void {
    let runs = this.#runs.get(market.id);
    if (runs === undefined) this.#runs.set(market.id, (runs = []));
    for (let index = 0; index < this.#entries.length; index++) {
      const entry = this.#entries[index];
      if (entry === undefined) break;
      if (this.#quarantined.has(entry.id)) continue;
      const instance = (runs[index] ??= this.#instanceFor(entry, market));
      if (!instance.off) this.#within(instance, showView, viewFor(entry.id));
    }
  }

  /** The market is no longer quoted: completes its views and withdraws its quotes. */
  close(market: Market): void {
    this.#runs.delete(market.id);
    for (const entry of this.#entries) {
      const key = scopeKeyOf(entry, market);
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
    }
  }

  /** Markets of instances that asked for any of these signals, each once. */
  *marketsReading(names: readonly string[]): Iterable<MarketId> {
    for (const { off, markets } of this.#readers.of(names)) if (!off) yield* markets.keys();
  }

  /** Some instance asked for this signal, as far as is remembered. */
  wasAskedFor(name: string): boolean {
    return this.#readers.wasAskedFor(name);
  }

  /** Takes a strategy out altogether. */
  quarantine(strategy: StrategyId, reason: string): void {
    this.#quarantined.set(strategy, reason);
    for (const instance of this.#instances.values()) {
      if (instance.entry.id === strategy) this.#turnOff(instance, reason);
    }
  }

  /**
   * Another strategy takes the place of the one of its id, in quarantine or not: the former's quotes are withdrawn, and markets are
   * to be shown to the new one. False: there is none of this id.
   */
  replace(entry: StrategyEntry): boolean {
    const index = this.#entries.findIndex(({ id }) => id === entry.id);
    if (index < 0) return false;
    this.#entries[index] = entry;
    this.#quarantined.delete(entry.id);
    for (const [key, instance] of this.#instances) {
      if (instance.entry.id !== entry.id) continue;
      this.#turnOff(instance, 'another version took over');
      this.#instances.delete(key);
      this.#readers.forget(instance);
    }
    for (const runs of this.#runs.values()) runs[index] = undefined;
    return true;
  }

  isQuarantined(strategy: StrategyId): boolean {
    return this.#quarantined.has(strategy);
  }

  /** Why a strategy was taken out altogether; undefined: it was not. */
  quarantineOf(strategy: StrategyId): string | undefined {
    return this.#quarantined.get(strategy);
  }

  /** In how many markets that are quoted it is off for a fault of its own. */
  faultyIn(strategy: StrategyId): number {
    let markets = 0;
    for (const { entry, isFaulty, markets: mine } of this.#instances.values())
      if (isFaulty && entry.id === strategy) markets += mine.size;
    return markets;
  }

  /** An operator gives it another chance where it was taken off: it begins anew. False: it was not. */
  revive(strategy: StrategyId): boolean {
    const entry = this.#entries.find(({ id }) => id === strategy);
    if (entry === undefined) return false;
    if (!this.#quarantined.has(strategy) && this.faultyIn(strategy) === 0) return false;
    return this.replace(entry);
  }

  #instanceFor(entry: StrategyEntry, market: Market): Instance {
    const scopeKey = scopeKeyOf(entry, market);
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
        params: entry.params,
        scheduler: this.#scheduler.forOwner({
          run: (action) => {
            this.#within(instance, action, undefined);
          },
        }),
        signals: this.signals,
        log: (message, fields = {}) => {
          this.#ports.log(entry.id, plainMessage(message).slice(0, LONGEST_REASON), plainFields(fields));
        },
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

  /** Everything that may run a strategy's code goes through here. */
  #within<T>(instance: Instance, run: (instance: Instance, of: T) => void, of: T): void {
    if (instance.off) return;
    const outer = this.#running;
    this.#running = instance;
    this.#ports.enter?.(instance.entry.id);
    try {
      run(instance, of);
    } catch (error) {
      this.#threw(instance, error);
    } finally {
      this.#running = outer;
      this.#ports.leave?.(instance.entry.id);
    }
  }

  #threw(instance: Instance, error: unknown): void {
    if (instance.off || !this.#isDispatching(instance)) return;
    const told = asError(error);
    const detail = `${instance.scopeKey}: ${told.message}${placeOf(told)}`;
    this.#ports.fault('STRATEGY_THREW', instance.entry.id, detail);
    instance.isFaulty = true;
    this.#turnOff(instance, 'the strategy threw');
  }

  /** It ended by itself, while its market is quoted: it will want nothing any more. */
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

  /** What is torn down is the strategy's own code, too. */
  #unsubscribe({ entry, scopeKey, subscription }: Instance): void {
    const isOutermost = this.#running === undefined;
    if (isOutermost) this.#ports.enter?.(entry.id);
    try {
      subscription?.unsubscribe();
    } catch (error) {
      const [first = error] = error instanceof UnsubscriptionError ? (error.errors as unknown[]) : [];
      const told = asError(first);
      const detail = `${scopeKey}: ${told.message}${placeOf(told)}, as its subscription ended`;
      this.#ports.fault('STRATEGY_THREW', entry.id, detail);
    } finally {
      if (isOutermost) this.#ports.leave?.(entry.id);
    }
  }

  /** False for whatever a strategy does outside a step: it is reported, and takes effect only as an input. */
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

const showView = ({ views }: Instance, view: MarketView): void => {
  views.next(view);
};
const completeViews = ({ views }: Instance): void => {
  views.complete();
};

const OURS = new URL('../../', import.meta.url).href;

const HERE = import.meta.url;
const DEEPEST = 100;

/**
 * Where a strategy's own code emits right now; empty where it handed the value to an operator of rxjs and returned, as with `map`.
 * Only what it called counts, not who called it: a replay comes here by another way, and says the same.
 */
function placeOfEmission(): string {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = DEEPEST;
  const frames = (new Error().stack ?? '').split('\n').slice(1);
  Error.stackTraceLimit = stackTraceLimit;
  const from = frames.findIndex((frame) => !frame.includes(HERE));
  const length = frames.slice(from).findIndex((frame) => frame.includes(HERE));
  const own = frames.slice(from, length < 0 ? undefined : from + length);
  return placeIn(own.filter((frame) => !frame.includes('/node_modules/')).join('\n'));
}

/** Where it was thrown, as ` (name.ts:12)`, in a file of its author if any: without folders, which differ from machine to machine. */
const placeOf = (error: Error): string => placeIn(error.stack ?? '');

function placeIn(stack: string): string {
  const places = [...stack.matchAll(/(\S*?)([^/\\()\s]+\.[cm]?[jt]s)(?:\?[^:]*)?:(\d+):\d+\)?$/gm)];
  const others = places.filter(([, folder = '']) => !folder.includes(OURS));
  const at = others.find(([, folder = '']) => !folder.includes('/node_modules/')) ?? others[0];
  return at === undefined ? '' : ` (${at[2]}:${at[3]})`;
}

const scopeKeyOf = (entry: StrategyEntry, market: Market): string =>
  `${entry.id}|${entry.strategy.scope === 'game' ? (market.gameId satisfies GameId) : market.id}`;

const isLate = (intent: unknown, past: ReadonlySet<MarketId>): boolean =>
  typeof intent === 'object' && intent !== null && past.has((intent as QuoteIntent).market);

const MAX_QUOTES = 100;

/** A plain copy of an emission, or what is wrong with it, in words for the quant who wrote the strategy. */
function readIntent(value: unknown, markets: ReadonlyMap<MarketId, Market>): QuoteIntent | string {
  if (typeof value !== 'object' || value === null) return 'the emission is not an intent';
  if (value instanceof Promise) return 'the emission is a promise, and strategies are synchronous';
  const { market, quotes, reason, fair } = value as Readonly<Record<keyof QuoteIntent, unknown>>;
  const known = markets.get(market as MarketId);
  if (known === undefined) return `intent.market ${shown(market)} is not a market of this instance`;
  if (!Array.isArray(quotes)) return 'intent.quotes is not an array';
  if (quotes.length > MAX_QUOTES) return `intent.quotes has more than ${MAX_QUOTES} quotes`;
  const read: Quote[] = [];
  for (const one of quotes as readonly unknown[]) {
    const quote = readQuote(one, known);
    if (typeof quote === 'string') return quote;
    const { side, key } = quote;
    if (key !== undefined && read.some((other) => other.side === side && other.key === key))
      return `two quotes on ${side} have the key ${shown(key)}: a key names one`;
    read.push(quote);
  }
  const intent =
    typeof reason === 'string'
      ? { market: known.id, quotes: read, reason: oneLine(reason) }
      : { market: known.id, quotes: read };
  if (fair === undefined) return intent;
  if (typeof fair !== 'number' || !(fair > 0 && fair < 1))
    return `intent.fair ${shown(fair)} is not a probability between 0 and 1`;
  return { ...intent, fair };
}

const LONGEST_REASON = 200;
/** For logs, journals and people: nothing in it may break a line or fill a disk. */
function oneLine(text: string): string {
  const shown = text.length > LONGEST_REASON ? text.slice(0, LONGEST_REASON) : text;
  return PRINTABLE.test(shown) ? shown : shown.replace(/\p{Cc}+/gu, ' ');
}
const PRINTABLE = /^[ -~]*$/;

function readQuote(value: unknown, of: Market): Quote | string {
  if (typeof value !== 'object' || value === null) return 'a quote is not an object';
  const { side, risk, key, odds, probability } = value as Readonly<Record<string, unknown>>;
  if (!of.sides.includes(side as Side)) return `quote.side ${shown(side)} is not a side of ${of.id}`;
  if (!Number.isInteger(risk)) return `quote.risk ${shown(risk)} is not integer cents`;
  if (key !== undefined && (typeof key !== 'string' || !/^[\w-]{1,16}$/.test(key))) {
    return `quote.key ${shown(key)} is not 1 to 16 letters, digits, _ or -`;
  }
  const both = odds !== undefined && probability !== undefined;
  if (both || !Number.isFinite(odds ?? probability)) {
    const told = both ? 'both' : shown(odds ?? probability);
    return `a quote needs either odds or a probability, as a finite number, not ${told}`;
  }
  if (odds !== undefined && Math.abs(odds as number) < 100)
    return `quote.odds ${shown(odds)} are not American odds: ±100 and beyond`;
  if (probability !== undefined && ((probability as number) > 1 || (probability as number) < -1))
    return `quote.probability ${shown(probability)} is not between 0 and 1${Math.abs(probability as number) <= 100 ? ': a percentage?' : ': odds?'}`;
  if (key !== undefined)
    return (odds === undefined ? { side, risk, key, probability } : { side, risk, key, odds }) as Quote;
  return (odds === undefined ? { side, risk, probability } : { side, risk, odds }) as Quote;
}

/** For messages: never throws, whatever a strategy emitted. */
function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  return typeof value === 'number' ? String(value) : `(${typeof value})`;
}
