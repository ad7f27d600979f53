// What an indicator is, and how it becomes an operator.
import { defer, map } from 'rxjs';
import type { OperatorFunction } from 'rxjs';

/**
 * Takes the next value of a series.
 * @param value the value; one that is not finite is ignored
 * @param t its time, ms; times must not fall
 * @returns the indicator now. Undefined while it says nothing
 */
export type Indicator = (value: number, t: number) => number | undefined;

/**
 * An indicator as an RxJS operator. Each subscription has a series of its own.
 * @param make makes the indicator
 * @returns an operator from values with their times, ms, to the indicator after each
 * @example views$.pipe(map((view) => [priceOf(view), view.time] as const), through(() => ewma({ halfLife: 60_000 })))
 */
export const through =
  (make: () => Indicator): OperatorFunction<readonly [value: number, t: number], number | undefined> =>
  (values$) =>
    defer(() => {
      const indicator = make();
      return values$.pipe(map(([value, t]) => indicator(value, t)));
    });
