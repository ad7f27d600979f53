// Marks the calls of each strategy in the stacks that the profilers see. Without a mark, strategies from the
// same file look the same, and operators of RxJS belong to no strategy.
import { runInThisContext } from 'node:vm';
import type { SchedulerAction, SchedulerLike, Subscription } from 'rxjs';
import { Observable } from 'rxjs';
import type { StrategyId } from '../../domain/index.ts';
import type { CoreSettings } from '../../engine/index.ts';

/** The begin of the URL of a mark. The id of the strategy follows. */
export const MARK = 'oddsmaker-strategy:';

type Call = (run: () => void) => void;

/** The same strategies, each with its mark. `calls`: counts the calls of each. */
export const markedStrategies = (settings: CoreSettings, calls: Map<string, number>): CoreSettings => ({
  ...settings,
  strategies: settings.strategies.map((entry) => {
    const mark = markOf(entry.id);
    const call: Call = (run) => {
      calls.set(entry.id, (calls.get(entry.id) ?? 0) + 1);
      mark(run);
    };
    return { ...entry, strategy: marked(entry.strategy, call) };
  }),
});

type Strategy = CoreSettings['strategies'][number]['strategy'];

function marked(strategy: Strategy, call: Call): Strategy {
  return {
    ...strategy,
    create: (context) => {
      let operator: ReturnType<Strategy['create']> | undefined;
      call(() => {
        operator = strategy.create({ ...context, scheduler: markedScheduler(context.scheduler, call) });
      });
      // the host refuses what is no operator
      if (typeof operator !== 'function') return operator as never;
      const own = operator;
      return (views$) =>
        own(
          new Observable((subscriber) =>
            views$.subscribe({
              next: (view) => call(() => subscriber.next(view)),
              error: (error: unknown) => call(() => subscriber.error(error)),
              complete: () => call(() => subscriber.complete()),
            }),
          ),
        );
    },
  };
}

const markedScheduler = (scheduler: SchedulerLike, call: Call): SchedulerLike => ({
  now: () => scheduler.now(),
  schedule: <T>(work: (this: SchedulerAction<T>, state?: T) => void, delay?: number, state?: T): Subscription =>
    scheduler.schedule(
      function (this: SchedulerAction<T>, current?: T) {
        call(() => work.call(this, current));
      },
      delay,
      state,
    ),
});

/**
 * Makes the function that stands for a strategy in stacks. It is a script of its own, since a profiler
 * distinguishes functions by their place in a script.
 */
function markOf(id: StrategyId): Call {
  const filename = `${MARK}${encodeURIComponent(id)}`;
  return runInThisContext('(function strategy(run) { run(); })', { filename }) as Call;
}
