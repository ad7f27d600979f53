// Serialises values: a value that arrives while another one is being handled waits until that one is done.
import type { MonoTypeOperatorFunction } from 'rxjs';
import { Observable } from 'rxjs';

/**
 * Returns an operator that passes on one value at a time, in the order of arrival. If handling a value
 * produces another one, the new value is handled afterwards, never inside. Unsubscribing drops the waiting
 * values.
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
