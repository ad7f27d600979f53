// How long a strategy takes for one input: by the clock, and in CPU of this thread. A strategy that waits costs no CPU, and a machine
// that is busy elsewhere makes every strategy slow by the clock.
import type { StrategyId } from '../domain/index.ts';

export type Dispatched = {
  readonly strategy: StrategyId;
  readonly wallMs: number;
  readonly cpuMs: number;
};

/** Reading the CPU of a thread takes half a microsecond, and views come by the thousand: a reading is good for this long. */
const READ_EVERY_MS = 50;

export class DispatchClock {
  #entered: { readonly strategy: StrategyId; readonly at: number } | undefined;
  #read = { at: Number.NEGATIVE_INFINITY, cpuMs: 0 };

  /** Whose code runs now; undefined: none does. */
  get running(): StrategyId | undefined {
    return this.#entered?.strategy;
  }

  enter(strategy: StrategyId): void {
    const at = performance.now();
    if (at - this.#read.at >= READ_EVERY_MS) this.#read = { at, cpuMs: cpuOfThreadMs() };
    this.#entered = { strategy, at };
  }

  /** What it took, where that is more than `leastMs` by the clock. */
  leave(leastMs: number): Dispatched | undefined {
    const entered = this.#entered;
    this.#entered = undefined;
    if (entered === undefined) return undefined;
    const wallMs = performance.now() - entered.at;
    if (wallMs <= leastMs) return undefined;
    // what the thread did between the reading and the dispatch is not the strategy's: at most all of that time
    const before = entered.at - this.#read.at;
    const cpuMs = Math.min(wallMs, Math.max(0, cpuOfThreadMs() - this.#read.cpuMs - before));
    return { strategy: entered.strategy, wallMs, cpuMs };
  }
}

function cpuOfThreadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
