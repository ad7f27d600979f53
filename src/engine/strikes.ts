// Counts strikes: each time a strategy exceeds its time budget for one input. Enough strikes within
// `budget.inMs` disable the strategy. The measured times are inputs, so a replay counts the same strikes.
import type { StrategyId } from '../domain/index.ts';
import type { StrategyBudget } from '../strategy/host/index.ts';

/** The time that one input took: CPU time of the thread, and wall time. */
export type Taken = { readonly cpuMs: number; readonly wallMs: number };

/** An input that took more than `times` the wall budget counts as `strikes` strikes. */
const FATAL = { times: 5, strikes: 3 } as const;

type Strike = { readonly at: number; readonly count: number };

export class Strikes {
  readonly #strikes = new Map<StrategyId, readonly Strike[]>();

  /**
   * Counts a strike. Returns the number of strikes within `budget.inMs`, this one included. `now`: monotonic
   * ms.
   */
  applyTime(strategy: StrategyId, { wallMs }: Taken, budget: StrategyBudget, now: number): number {
    const count = wallMs > FATAL.times * budget.wallMs ? FATAL.strikes : 1;
    const recent = (this.#strikes.get(strategy) ?? []).filter(({ at: struckAt }) => now - struckAt < budget.inMs);
    const strikes = [...recent, { at: now, count }];
    this.#strikes.set(strategy, strikes);
    return strikes.reduce((sum, strike) => sum + strike.count, 0);
  }

  /** Forgets the strikes of a strategy that was revived or replaced. */
  forget(strategy: StrategyId): void {
    this.#strikes.delete(strategy);
  }
}
