// Conflates price frames per side while the process is busy: only the newest state of a side matters.
import type { MonoTypeOperatorFunction } from 'rxjs';
import { Observable } from 'rxjs';
import { sideHeaderOf } from '../wire/index.ts';
import type { Arrival } from '../domain/index.ts';

/**
 * Returns an operator that holds frames until the event loop has read everything that already arrived, and
 * then passes on the newest frame of each side. All other inputs (games, up, down) keep their order and are
 * never dropped.
 * @param dropped is called once for each frame that a newer one replaced
 */
export function conflate(dropped: () => void = () => undefined): MonoTypeOperatorFunction<Arrival> {
  return (source) =>
    new Observable<Arrival>((subscriber) => {
      let waiting = new Map<string | number, Arrival>();
      let count = 0;
      let scheduled: NodeJS.Immediate | undefined;
      const flush = (): void => {
        scheduled = undefined;
        const batch = waiting;
        waiting = new Map();
        for (const arrival of batch.values()) subscriber.next(arrival);
      };
      const subscription = source.subscribe({
        next: (arrival) => {
          const header =
            arrival.type === 'frame' && arrival.event === 'orderUpdate' ? sideHeaderOf(arrival.data) : undefined;
          const key = header ?? (count += 1);
          // deleted first, so that the newest frame takes the newest place in the order
          if (waiting.delete(key)) dropped();
          waiting.set(key, arrival);
          scheduled ??= setImmediate(flush);
        },
        error: (error: unknown) => {
          subscriber.error(error);
        },
        complete: () => {
          flush();
          subscriber.complete();
        },
      });
      return () => {
        if (scheduled !== undefined) clearImmediate(scheduled);
        subscription.unsubscribe();
      };
    });
}
