// Strategies that take too long for one input: each time is a strike, and so many within a while take the strategy off. What a strike
// measured comes in as an input, so a replay counts what the run counted.
import type { StrategyId } from '../domain/index.ts';
import type { StrategyBudget } from '../strategy/host/index.ts';

/** What one input took: CPU of the thread, and by the clock. */
export type Taken = { readonly cpuMs: number; readonly wallMs: number };

/** An input that took this many times the wall budget is as bad as so many strikes. */
const FATAL = { times: 5, strikes: 3 } as const;

type Strike = { readonly at: number; readonly count: number };

export class Strikes {
  readonly #of = new Map<StrategyId, readonly Strike[]>();

  /** Counts one. Returns how many strikes stand within `budget.inMs`, this one included. `now`: monotonic ms. */
  apply(strategy: StrategyId, { wallMs }: Taken, budget: StrategyBudget, now: number): number {
    const count = wallMs > FATAL.times * budget.wallMs ? FATAL.strikes : 1;
    const recent = (this.#of.get(strategy) ?? []).filter(({ at }) => now - at < budget.inMs);
    const strikes = [...recent, { at: now, count }];
    this.#of.set(strategy, strikes);
    return strikes.reduce((sum, one) => sum + one.count, 0);
  }

  /** An operator gives it another chance, or another version runs. */
  forget(strategy: StrategyId): void {
    this.#of.delete(strategy);
  }
}
