// Operators that strategies of several kinds need.
import { concat, defer, EMPTY, filter, of, switchMap, timer } from 'rxjs';
import type { MonoTypeOperatorFunction, Observable, SchedulerLike } from 'rxjs';
import type { QuoteIntent } from '../domain/index.ts';

/**
 * Shows each view again later, as often as asked, until another one comes: for what time alone changes.
 * @param delaysOf times until the view is to be shown again, ms, asked each time that it was shown; the first of them
 *   counts, none ends it
 * @param scheduler that of the strategy's context
 * @returns an operator from views to the same views, some of them repeated
 */
export const showAgain =
  <View>(delaysOf: (view: View) => readonly number[], scheduler: SchedulerLike): MonoTypeOperatorFunction<View> =>
  (views$) =>
    views$.pipe(
      switchMap((view) => {
        const shown = (): Observable<View> =>
          concat(
            of(view),
            defer(() => {
              const next = Math.min(...delaysOf(view).filter((delay) => delay > 0));
              return Number.isFinite(next) ? timer(next, scheduler).pipe(switchMap(shown)) : EMPTY;
            }),
          );
        return shown();
      }),
    );

/**
 * Leaves out intents that repeat the last one of their market: the same quotes in the same regime.
 * @returns an operator on intents
 */
export const withoutRepeats = (): MonoTypeOperatorFunction<QuoteIntent> => (intents$) =>
  defer(() => {
    const sent = new Map<string, string>();
    return intents$.pipe(
      filter(({ market, quotes, regime }) => {
        const text = JSON.stringify([quotes, regime]);
        const isNew = sent.get(market) !== text;
        sent.set(market, text);
        return isNew;
      }),
    );
  });
