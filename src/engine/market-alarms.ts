// Alarms for changes of a quoted market by time alone: a side of its book goes stale, or its game is about to
// start. They are ordered by time, so that housekeeping visits only the markets that are due.
import { Heap } from '../orders/index.ts';

/** One alarm of one market. */
export class Alarm<T> {
  readonly owner: T;
  /** Orders alarms of the same time. */
  readonly number: number;
  dueAt = Number.POSITIVE_INFINITY;
  isSet = false;
  heapIndex = 0;

  constructor(owner: T, number: number) {
    this.owner = owner;
    this.number = number;
  }
}

export class Alarms<T> {
  readonly #heap = new Heap<Alarm<T>>((a, b) => (a.dueAt === b.dueAt ? a.number - b.number : a.dueAt - b.dueAt));

  /** The next alarm. Undefined when none is set. */
  get first(): Alarm<T> | undefined {
    return this.#heap.first;
  }

  set(alarm: Alarm<T>, dueAt: number): void {
    if (alarm.isSet && alarm.dueAt === dueAt) return;
    alarm.dueAt = dueAt;
    if (alarm.isSet) this.#heap.move(alarm);
    else this.#heap.addItem(alarm);
    alarm.isSet = true;
  }

  unset(alarm: Alarm<T>): void {
    if (alarm.isSet) this.#heap.remove(alarm);
    alarm.isSet = false;
  }

  /** Unsets the alarms that are due, and yields the owner of each. */
  *ring(isDue: (dueAt: number) => boolean): Iterable<T> {
    for (let { first } = this; first !== undefined && isDue(first.dueAt); first = this.first) {
      this.unset(first);
      yield first.owner;
    }
  }
}
