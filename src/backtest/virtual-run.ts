// Runs a bot on the virtual clock: the same core, loop and door as in a live run, with the in-process
// exchange behind the door's ports. Nothing depends on the machine or the time of day: equal options give the
// same commands.
import type { Observable, Subscription } from 'rxjs';
import { EMPTY, merge, Subject } from 'rxjs';
import type { Arrival, Input, StrategyId, UnansweredOrder } from '../domain/index.ts';
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
import { BusyBot } from './strategy-time/busy-bot.ts';
import type { StrategyTimes } from './strategy-time/strategy-times.ts';
import { TimerTrap } from './timer-trap.ts';

export type VirtualRunOptions = {
  readonly exchange: InProcessExchange;
  readonly settings: CoreSettings;
  /** Strategies that may read the clock and random numbers. */
  readonly impure?: ReadonlySet<StrategyId> | undefined;
  readonly door: InProcessSettings;
  /** The run name, which makes order references unique across restarts. */
  readonly run: string;
  /** Orders of the former run that may still reach the exchange. */
  readonly unanswered?: readonly UnansweredOrder[];
  /**
   * Prices and signals of the tapes. When absent, the door subscribes to the price feed, and there are no
   * signals.
   */
  readonly tapes?: { readonly prices$: Observable<Input>; readonly signals$?: Observable<Input> } | undefined;
  /** Called when the bot is logged in, so that prices of the tapes may begin. */
  readonly onLogin?: () => void;
  /** Receives every step in order, for the journal. */
  readonly record?: (step: Step) => void;
  /** The virtual time that strategies take. When absent, they take none. */
  readonly times?: StrategyTimes | undefined;
};

export type VirtualEnd = { readonly code: number; readonly reason: string };

const SCHEDULER = 'give the scheduler to its time operators';
const timer = (name: string): string => `it set a timer of the process (${name}): ${SCHEDULER}`;
/** The fault of each impure call of a strategy, with what it should do instead. */
const FAULTS: Readonly<Record<Trapped, string>> = {
  setTimeout: timer('setTimeout'),
  setInterval: timer('setInterval'),
  setImmediate: timer('setImmediate'),
  'Date.now': `it read the clock (Date.now): take view.time, or ${SCHEDULER}`,
  'Math.random':
    'it drew a random number (Math.random): take a number from the view, such as one of its market and time',
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
    const reportAsync = (strategy: StrategyId, fault: string): void =>
      this.input({
        type: 'strategy-fault',
        strategy,
        code: 'ASYNC_EMISSION',
        detail: fault,
      });
    const trap = new TimerTrap((strategy, name) => {
      reportAsync(strategy, FAULTS[name]);
    }, options.impure);
    const busy = options.times === undefined ? undefined : new BusyBot(exchange, options.times);
    this.core = new Core(options.settings, {
      reportAsync: (strategy, place) => reportAsync(strategy, `it emitted outside a dispatch${place}: ${SCHEDULER}`),
      ...callsOf(trap, busy),
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
    const held = <T extends Arrival>(source$: Observable<T>): Observable<T> => busy?.held(source$) ?? source$;
    this.#steps = pipeline(
      {
        prices$: held<Arrival>(tapes?.prices$ ?? source.prices$),
        user$: held<Arrival>(merge(source.user$, source.userReads$)),
        replies$: held(source.replies$),
        permits$: held(source.permits$),
        sessions$: held(source.sessions$),
        signals$: held(tapes?.signals$ ?? EMPTY),
        operators$: held(this.#operators),
      },
      {
        core: this.core,
        decoder: new Decoder(door.profile),
        timers: busy?.timersOf(timers) ?? timers,
        wall: () => exchange.nowMs,
        record:
          busy === undefined
            ? (step) => options.record?.(step)
            : (step) => {
                options.record?.(step);
                busy.endStep(step.arrival.seq);
              },
        send:
          busy === undefined
            ? (command) => source.execute(command)
            : (command) => busy.send(() => source.execute(command)),
        // ignored: each alert is an event as well
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

  /**
   * How the run ended. Undefined while it continues.
   * @throws the error with which the core failed
   */
  get ended(): VirtualEnd | undefined {
    if (this.#failure !== undefined) throw this.#failure.error;
    return this.#ended;
  }

  start(): void {
    const { run, unanswered = [], onLogin } = this.#options;
    this.input({ type: 'boot', run, ...(unanswered.length > 0 ? { unanswered } : {}) });
    this.door.start((problem) => {
      if (problem === undefined) onLogin?.();
      else this.#ended ??= { code: problem.exit, reason: problem.message };
    });
  }

  /**
   * Sends an input. It has been processed when this returns, or, when a step caused it, right after that
   * step; or, while strategies take their time, when this is over.
   * @throws the error with which the core failed
   */
  input(input: Input): void {
    this.#operators.next(input);
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  stop(): void {
    this.input({ type: 'operator', command: 'stop' });
  }

  /** Ends the run like `kill -9`: nothing more is sent or received. */
  kill(): void {
    this.#steps.unsubscribe();
    this.door.close();
  }

  status(): CoreStatus {
    return this.core.status();
  }
}

/** What happens around each call of a strategy. */
function callsOf(
  trap: TimerTrap,
  busy: BusyBot | undefined,
): Required<Pick<ConstructorParameters<typeof Core>[1], 'enter' | 'leave'>> {
  if (busy === undefined) return { enter: (strategy) => trap.enter(strategy), leave: () => trap.leave() };
  return {
    enter: (strategy) => {
      trap.enter(strategy);
      busy.enter(strategy);
    },
    leave: () => {
      busy.leave();
      trap.leave();
    },
  };
}
