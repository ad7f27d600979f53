// A bot on the virtual clock: the same core, loop and door as live, the exchange in process behind the door's ports. Nothing
// in it depends on the machine or the hour: the same options give the same run, command for command.
import type { Observable, Subscription } from 'rxjs';
import { EMPTY, merge, Subject } from 'rxjs';
import type { Input, StrategyId, UnansweredOrder } from '../domain/index.ts';
import type { CoreSettings, CoreStatus } from '../engine/index.ts';
import { Core } from '../engine/index.ts';
import { Door } from '../exchange/index.ts';
import type { InProcessExchange } from '../paper/index.ts';
import type { Step } from '../pipeline/index.ts';
import { pipeline } from '../pipeline/index.ts';
import { Decoder } from '../wire/index.ts';
import type { InProcessSettings } from './in-process-door.ts';
import { portsTo, timersOf } from './in-process-door.ts';
import type { Trapped } from './timer-trap.ts';
import { TimerTrap } from './timer-trap.ts';

export type VirtualRunOptions = {
  readonly exchange: InProcessExchange;
  readonly settings: CoreSettings;
  /** Strategies that may ask for the hour and for dice. */
  readonly impure?: ReadonlySet<StrategyId> | undefined;
  readonly door: InProcessSettings;
  /** Makes references unique across restarts. */
  readonly run: string;
  /** Orders of the run before that may still land. */
  readonly unanswered?: readonly UnansweredOrder[];
  /** Prices and signals of the tapes. Absent: the door has the price feed, and there are no signals. */
  readonly tapes?: { readonly prices$: Observable<Input>; readonly signals$?: Observable<Input> } | undefined;
  /** The bot is logged in: prices that are not the door's may come. */
  readonly begun?: () => void;
  /** Told of every step, in order: the journal. */
  readonly record?: (step: Step) => void;
};

export type VirtualEnd = { readonly code: number; readonly reason: string };

const SCHEDULER = 'give the scheduler to its time operators';
const timer = (name: string): string => `it set a timer of the process (${name}): ${SCHEDULER}`;
/** What a strategy asked of the process, and what it should do instead. */
const ASKED: Readonly<Record<Trapped, string>> = {
  setTimeout: timer('setTimeout'),
  setInterval: timer('setInterval'),
  setImmediate: timer('setImmediate'),
  'Date.now': `it asked for the hour (Date.now): take view.time, or ${SCHEDULER}`,
  'Math.random': 'it threw dice (Math.random): take a number from the view, such as one of its market and time',
};

export class VirtualRun {
  readonly core: Core;
  readonly door: Door;
  readonly #options: VirtualRunOptions;
  readonly #operators = new Subject<Input>();
  readonly #steps: Subscription;
  #ended: VirtualEnd | undefined;
  #failure: { readonly error: unknown } | undefined;

  constructor(options: VirtualRunOptions) {
    this.#options = options;
    const { exchange, door } = options;
    const reportAsync = (strategy: StrategyId, what: string): void =>
      this.input({
        type: 'strategy-fault',
        strategy,
        code: 'ASYNC_EMISSION',
        detail: what,
      });
    const trap = new TimerTrap((strategy, name) => {
      reportAsync(strategy, ASKED[name]);
    }, options.impure);
    this.core = new Core(options.settings, {
      // nothing of a replay is measured
      reportAsync: (strategy, place) => reportAsync(strategy, `it emitted outside a dispatch${place}: ${SCHEDULER}`),
      enter: (strategy) => trap.enter(strategy),
      leave: () => trap.leave(),
    });
    const timers = timersOf(exchange, door.requestTimeoutMs);
    this.door = new Door(
      door,
      {
        ...portsTo(exchange, door, timers),
        participants: (id) => this.core.gameOf(id),
      },
      door.book === undefined ? ['prices', 'user'] : ['user'],
    );
    const { tapes } = options;
    const { door: source } = this;
    this.#steps = pipeline(
      {
        prices$: tapes?.prices$ ?? source.prices$,
        user$: merge(source.user$, source.userReads$),
        replies$: source.replies$,
        permits$: source.permits$,
        sessions$: source.sessions$,
        signals$: tapes?.signals$ ?? EMPTY,
        operators$: this.#operators,
      },
      {
        core: this.core,
        decoder: new Decoder(door.profile),
        timers,
        wall: () => exchange.nowMs,
        record: (step) => options.record?.(step),
        send: (command) => source.execute(command),
        // it is an event too
        alert: () => {},
        exit: ({ code, reason }) => {
          this.#ended ??= { code, reason };
        },
      },
    ).subscribe({
      error: (error: unknown) => {
        this.#failure = { error };
      },
    });
  }

  /** How the run ended; undefined while it goes on. @throws whatever the core failed with */
  get ended(): VirtualEnd | undefined {
    if (this.#failure !== undefined) throw this.#failure.error;
    return this.#ended;
  }

  start(): void {
    const { run, unanswered = [], begun } = this.#options;
    this.input({ type: 'boot', run, ...(unanswered.length > 0 ? { unanswered } : {}) });
    this.door.start((problem) => {
      if (problem === undefined) begun?.();
      else this.#ended ??= { code: problem.exit, reason: problem.message };
    });
  }

  /** Taken in when this returns, unless a step caused it: then right after that. @throws whatever the core failed with */
  input(input: Input): void {
    this.#operators.next(input);
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  stop(): void {
    this.input({ type: 'operator', command: 'stop' });
  }

  /** kill -9: nothing more is sent or heard. */
  kill(): void {
    this.#steps.unsubscribe();
    this.door.close();
  }

  status(): CoreStatus {
    return this.core.status();
  }
}
