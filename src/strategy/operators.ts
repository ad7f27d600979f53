// Operators that strategies of several kinds need.
import { concat, defer, EMPTY, filter, ignoreElements, merge, of, switchMap, tap, timer } from 'rxjs';
import type { MonoTypeOperatorFunction, Observable, SchedulerLike } from 'rxjs';
import type { MarketId, QuoteIntent } from '../domain/index.ts';
import type { MarketHistory, MarketView } from './view.ts';

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
 * Leaves out intents that repeat the last one of their market: the same quotes in the same regime. A market that opens
 * again has no last one.
 * @param views$ the views of the strategy
 * @returns an operator on intents
 */
export const withoutRepeats =
  (views$: Observable<Pick<MarketView, 'market' | 'history'>>): MonoTypeOperatorFunction<QuoteIntent> =>
  (intents$) =>
    defer(() => {
      const sent = new Map<MarketId, string>();
      // the history of a market begins anew when it opens
      const opened = new Map<MarketId, MarketHistory>();
      const openings$ = views$.pipe(
        tap(({ market, history }) => {
          if (opened.get(market.id) !== history) sent.delete(market.id);
          opened.set(market.id, history);
        }),
        ignoreElements(),
      );
      return merge(
        openings$,
        intents$.pipe(
          filter(({ market, quotes, regime }) => {
            const text = JSON.stringify([quotes, regime]);
            const isNew = sent.get(market) !== text;
            sent.set(market, text);
            return isNew;
          }),
        ),
      );
    });
