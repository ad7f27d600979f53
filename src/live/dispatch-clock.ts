// Measures how long a strategy takes for one input: wall time and CPU time of this thread. Both are needed: a
// strategy that waits uses no CPU, and on a busy machine every strategy is slow by the wall clock.
import type { StrategyId } from '../domain/index.ts';

export type Dispatched = {
  readonly strategy: StrategyId;
  readonly wallMs: number;
  readonly cpuMs: number;
};

/**
 * Maximum age of a CPU reading, ms. One takes half a microsecond, too long for each of thousands of views.
 */
const READ_EVERY_MS = 50;

export class DispatchClock {
  #entered: { readonly strategy: StrategyId; readonly at: number } | undefined;
  #read = { at: Number.NEGATIVE_INFINITY, cpuMs: 0 };

  /** The strategy whose code runs now. Undefined when none does. */
  get running(): StrategyId | undefined {
    return this.#entered?.strategy;
  }

  enter(strategy: StrategyId): void {
    const now = performance.now();
    if (now - this.#read.at >= READ_EVERY_MS) this.#read = { at: now, cpuMs: cpuOfThreadMs() };
    this.#entered = { strategy, at: now };
  }

  /** Ends the dispatch. @returns its times; undefined when it took at most `leastMs` of wall time */
  leave(leastMs: number): Dispatched | undefined {
    const entered = this.#entered;
    this.#entered = undefined;
    if (entered === undefined) return undefined;
    const wallMs = performance.now() - entered.at;
    if (wallMs <= leastMs) return undefined;
    // CPU used between the reading and the dispatch is not the strategy's; at most it is that whole interval
    const before = entered.at - this.#read.at;
    const cpuMs = Math.min(wallMs, Math.max(0, cpuOfThreadMs() - this.#read.cpuMs - before));
    return { strategy: entered.strategy, wallMs, cpuMs };
  }
}

function cpuOfThreadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
