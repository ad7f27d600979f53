// A strategy that sets a timer of the process emits at hours that depend on the machine, or, in a backtest that is over before
// the timer rings, never and without a word. So such timers are caught where they are set, and never ring. So are
// clock and dice of the process, which differ from run to run, under whatever name or in whatever package they were found.
import type { StrategyId } from '../domain/index.ts';

type Name = 'setTimeout' | 'setInterval' | 'setImmediate';
/** What a strategy asked of the process. */
export type Trapped = Name | 'Date.now' | 'Math.random';
type Timer = (...args: readonly unknown[]) => unknown;

export class TimerTrap {
  readonly #caught: (strategy: StrategyId, name: Trapped) => void;
  readonly #process = globalThis as unknown as Record<Name, Timer>;
  readonly #real: Readonly<Record<Name, Timer>>;
  readonly #traps: Readonly<Record<Name, Timer>>;
  /** Whose code runs, the innermost last. */
  readonly #running: StrategyId[] = [];
  readonly #impure: ReadonlySet<StrategyId>;
  readonly #clock = { now: Date.now, random: Math.random };
  /** What they answer hangs on nothing. */
  readonly #refused = {
    now: () => this.#refuse('Date.now', 0),
    random: () => this.#refuse('Math.random', 0.5),
  };

  /** `impure`: strategies that may ask for the hour and for dice. */
  constructor(caught: (strategy: StrategyId, name: Trapped) => void, impure: ReadonlySet<StrategyId> = new Set()) {
    this.#impure = impure;
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
    this.#setClock(strategy);
  }

  leave(): void {
    this.#running.pop();
    if (this.#running.length === 0) this.#put(this.#real);
    this.#setClock(this.#running.at(-1));
  }

  #setClock(running: StrategyId | undefined): void {
    const { now, random } = running === undefined || this.#impure.has(running) ? this.#clock : this.#refused;
    Date.now = now;
    Math.random = random;
  }

  #refuse(name: Trapped, answer: number): number {
    const strategy = this.#running.at(-1);
    if (strategy !== undefined) this.#caught(strategy, name);
    return answer;
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
