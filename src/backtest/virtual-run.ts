// A bot on the virtual clock: the same core, loop and door as live, the exchange in process behind the door's ports. Nothing
// in it depends on the machine or the hour: the same options give the same run, command for command.
import type { Arrival, Command, StampedArrival, StrategyId, UnansweredOrder } from '../domain/index.ts';
import type { CoreSettings, CoreStatus } from '../engine/index.ts';
import { Core, RunLoop } from '../engine/index.ts';
import { Door } from '../exchange/index.ts';
import type { InProcessExchange } from '../paper/index.ts';
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
  /** The bot is logged in: prices that are not the door's may come. */
  readonly begun?: () => void;
  /** Told of every step, in order: the journal. */
  readonly record?: (arrival: StampedArrival, commands: readonly Command[]) => void;
  readonly alert?: (alert: Extract<Command, { type: 'alert' }>) => void;
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
  'Math.random':
    'it threw dice (Math.random): take a number from the view, such as one of its market and time',
};

export class VirtualRun {
  readonly core: Core;
  readonly door: Door;
  /** How the run ended; undefined while it goes on. */
  ended: VirtualEnd | undefined;
  readonly #options: VirtualRunOptions;
  readonly #loop: RunLoop;

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
      reportAsync: (strategy, place) =>
        reportAsync(strategy, `it emitted outside a dispatch${place}: ${SCHEDULER}`),
      enter: (strategy) => trap.enter(strategy),
      leave: () => trap.leave(),
    });
    const timers = timersOf(exchange, door.requestTimeoutMs);
    this.door = new Door(
      door,
      {
        ...portsTo(exchange, door, timers),
        participants: (id) => this.core.gameOf(id),
        tell: (arrival) => this.input(arrival),
      },
      door.book === undefined ? ['prices', 'user'] : ['user'],
    );
    this.#loop = new RunLoop(this.core, new Decoder(door.profile), {
      timers,
      wall: () => exchange.nowMs,
      record: (arrival, commands) => options.record?.(arrival, commands),
      send: (command) => this.door.execute(command),
      alert: (alert) => options.alert?.(alert),
      exit: ({ code, reason }) => {
        this.ended ??= { code, reason };
      },
      failed: (error) => {
        throw error;
      },
    });
  }

  start(): void {
    const { run, unanswered = [], begun } = this.#options;
    this.input({ type: 'boot', run, ...(unanswered.length > 0 ? { unanswered } : {}) });
    this.door.start((problem) => {
      if (problem === undefined) begun?.();
      else this.ended ??= { code: problem.exit, reason: problem.message };
    });
  }

  input(arrival: Arrival): void {
    this.#loop.input(arrival);
  }

  stop(): void {
    this.input({ type: 'operator', command: 'stop' });
  }

  /** kill -9: nothing more is sent or heard. */
  kill(): void {
    this.#loop.close();
    this.door.close();
  }

  status(): CoreStatus {
    return this.core.status();
  }
}
