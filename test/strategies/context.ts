// The context of a strategy without signals, former values and timers of a run.
import { VirtualScheduler } from '../../src/strategy/scheduler.ts';
import type { StrategyContext } from '../../src/strategy/index.ts';

export const contextWith = <Params>(params: Params): StrategyContext<Params> => ({
  params,
  scheduler: new VirtualScheduler().forOwner({ run: (action) => action() }),
  signals: { get: () => undefined },
  persist: { get: () => undefined, set: () => undefined },
  log: Object.assign(() => undefined, { series: () => undefined }),
});
