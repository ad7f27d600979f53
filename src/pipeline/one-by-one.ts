// Values in a row: what arrives while one is handled waits until that is done.
import type { MonoTypeOperatorFunction } from 'rxjs';
import { Observable } from 'rxjs';

/**
 * Hands on one value at a time, in the order of arrival. A value that is caused by the handling of another one is handled
 * right behind it, never within it. Unsubscribing drops those that wait.
 */
export function oneByOne<T extends object>(): MonoTypeOperatorFunction<T> {
  return (source) =>
    new Observable<T>((subscriber) => {
      const waiting: T[] = [];
      let isBusy = false;
      return source.subscribe({
        next: (value) => {
          if (isBusy) {
            waiting.push(value);
            return;
          }
          isBusy = true;
          for (let next: T | undefined = value; next !== undefined; next = waiting.shift()) {
            if (subscriber.closed) break;
            subscriber.next(next);
          }
          isBusy = false;
        },
        error: (error: unknown) => subscriber.error(error),
        complete: () => subscriber.complete(),
      });
    });
}
