// A strategy that sets a timer of the process emits at hours that depend on the machine, or, in a backtest that is over before
// the timer rings, never and without a word. So such timers are caught where they are set, and never ring.
import type { StrategyId } from '../domain/index.ts';

type Name = 'setTimeout' | 'setInterval' | 'setImmediate';
type Timer = (...args: readonly unknown[]) => unknown;

export class TimerTrap {
  readonly #caught: (strategy: StrategyId, name: Name) => void;
  readonly #process = globalThis as unknown as Record<Name, Timer>;
  readonly #real: Readonly<Record<Name, Timer>>;
  readonly #traps: Readonly<Record<Name, Timer>>;
  /** Whose code runs, the innermost last. */
  readonly #running: StrategyId[] = [];

  constructor(caught: (strategy: StrategyId, name: Name) => void) {
    this.#caught = caught;
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
    if (this.#running.length === 1) this.#put(this.#traps);
  }

  leave(): void {
    this.#running.pop();
    if (this.#running.length === 0) this.#put(this.#real);
  }

  /** One by one: `Object.assign` into the globals takes a hundred times as long. */
  #put({ setTimeout, setInterval, setImmediate }: Readonly<Record<Name, Timer>>): void {
    this.#process.setTimeout = setTimeout;
    this.#process.setInterval = setInterval;
    this.#process.setImmediate = setImmediate;
  }

  /** Gives a timer that is over, so whoever set it can go on. */
  #trapFor(name: Name, clear: (timer: never) => void): Timer {
    return (...args) => {
      const strategy = this.#running.at(-1);
      const timer = this.#real[name](...args);
      if (strategy === undefined) return timer;
      clear(timer as never);
      this.#caught(strategy, name);
      return timer;
    };
  }
}
