// Alarms for changes of a quoted market by time alone: a side of its book goes stale, or its game is about to
// start. They are ordered by time, so that housekeeping visits only the markets that are due.
import { Heap } from '../orders/index.ts';

/** One alarm of one market. */
export class Alarm<T> {
  readonly of: T;
  /** Orders alarms of the same time. */
  readonly number: number;
  at = Number.POSITIVE_INFINITY;
  isSet = false;
  seat = 0;

  constructor(owner: T, number: number) {
    this.of = owner;
    this.number = number;
  }
}

export class Alarms<T> {
  readonly #heap = new Heap<Alarm<T>>((a, b) => (a.at === b.at ? a.number - b.number : a.at - b.at));

  /** The next alarm. Undefined when none is set. */
  get first(): Alarm<T> | undefined {
    return this.#heap.first;
  }

  set(alarm: Alarm<T>, dueAt: number): void {
    if (alarm.isSet && alarm.at === dueAt) return;
    alarm.at = dueAt;
    if (alarm.isSet) this.#heap.move(alarm);
    else this.#heap.add(alarm);
    alarm.isSet = true;
  }

  unset(alarm: Alarm<T>): void {
    if (alarm.isSet) this.#heap.remove(alarm);
    alarm.isSet = false;
  }

  /** Unsets the alarms that are due, and yields the owner of each. */
  *ring(isDue: (dueAt: number) => boolean): Iterable<T> {
    for (let { first } = this; first !== undefined && isDue(first.at); first = this.first) {
      this.unset(first);
      yield first.of;
    }
  }
}
