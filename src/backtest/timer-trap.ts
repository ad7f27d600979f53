// Traps process timers, clock and random numbers while strategy code runs. A strategy that sets a process
// timer emits at times that depend on the machine or, in a backtest that ends first, never. Such timers are
// reported when they are set and never fire. Clock and random numbers, which differ from run to run, are
// trapped under any name and in any package.
import type { StrategyId } from '../domain/index.ts';

type Name = 'setTimeout' | 'setInterval' | 'setImmediate';
/** The impure calls that are trapped. */
export type Trapped = Name | 'Date.now' | 'Math.random';
type Timer = (...args: readonly unknown[]) => unknown;

export class TimerTrap {
  readonly #report: (strategy: StrategyId, name: Trapped) => void;
  readonly #process = globalThis as unknown as Record<Name, Timer>;
  readonly #real: Readonly<Record<Name, Timer>>;
  readonly #traps: Readonly<Record<Name, Timer>>;
  /** The strategies whose code runs now, the innermost last. */
  readonly #running: StrategyId[] = [];
  readonly #impure: ReadonlySet<StrategyId>;
  readonly #clock = { now: Date.now, random: Math.random };
  /** Trapped functions, which return constants. */
  readonly #refused = {
    now: () => this.#refuse('Date.now', 0),
    random: () => this.#refuse('Math.random', 0.5),
  };

  /** `impure`: strategies that may read the clock and random numbers. */
  constructor(report: (strategy: StrategyId, name: Trapped) => void, impure: ReadonlySet<StrategyId> = new Set()) {
    this.#impure = impure;
    this.#report = report;
    const { setTimeout, setInterval, setImmediate } = this.#process;
    this.#real = { setTimeout, setInterval, setImmediate };
    this.#traps = {
      setTimeout: this.#trapFor('setTimeout', clearTimeout),
      setInterval: this.#trapFor('setInterval', clearInterval),
      setImmediate: this.#trapFor('setImmediate', clearImmediate),
    };
  }

  enter(strategy: StrategyId): void {
    this.#running.push(strategy);
    if (this.#running.length === 1) this.#install(this.#traps);
    this.#setClock(strategy);
  }

  leave(): void {
    this.#running.pop();
    if (this.#running.length === 0) this.#install(this.#real);
    this.#setClock(this.#running.at(-1));
  }

  #setClock(running: StrategyId | undefined): void {
    const { now, random } = running === undefined || this.#impure.has(running) ? this.#clock : this.#refused;
    Date.now = now;
    Math.random = random;
  }

  #refuse(name: Trapped, answer: number): number {
    const strategy = this.#running.at(-1);
    if (strategy !== undefined) this.#report(strategy, name);
    return answer;
  }

  /** Assigns one by one: `Object.assign` into the globals takes a hundred times as long. */
  #install({ setTimeout, setInterval, setImmediate }: Readonly<Record<Name, Timer>>): void {
    this.#process.setTimeout = setTimeout;
    this.#process.setInterval = setInterval;
    this.#process.setImmediate = setImmediate;
  }

  /**
   * Makes the trap for a timer function. It returns a cleared timer, so that the strategy's code can
   * continue.
   */
  #trapFor(name: Name, clear: (timer: never) => void): Timer {
    return (...args) => {
      const strategy = this.#running.at(-1);
      const timer = this.#real[name](...args);
      if (strategy === undefined) return timer;
      clear(timer as never);
      this.#report(strategy, name);
      return timer;
    };
  }
}
