// When time alone changes a quoted market: a side of its book goes stale, or its game is about to start. Kept in order of time,
// so that a sweep looks at what is due and not at every market.
import { Heap } from '../orders/index.ts';

/** One time of one market. */
export class Alarm<T> {
  readonly of: T;
  /** Tells those of one time apart. */
  readonly number: number;
  at = Number.POSITIVE_INFINITY;
  isSet = false;
  seat = 0;

  constructor(of: T, number: number) {
    this.of = of;
    this.number = number;
  }
}

export class Alarms<T> {
  readonly #heap = new Heap<Alarm<T>>((a, b) => (a.at === b.at ? a.number - b.number : a.at - b.at));

  /** The one that rings first. */
  get first(): Alarm<T> | undefined {
    return this.#heap.first;
  }

  set(alarm: Alarm<T>, at: number): void {
    if (alarm.isSet && alarm.at === at) return;
    alarm.at = at;
    if (alarm.isSet) this.#heap.move(alarm);
    else this.#heap.add(alarm);
    alarm.isSet = true;
  }

  unset(alarm: Alarm<T>): void {
    if (alarm.isSet) this.#heap.remove(alarm);
    alarm.isSet = false;
  }

  /** Unsets those that ring while `isDue`, and tells whose they are. */
  *ring(isDue: (at: number) => boolean): Iterable<T> {
    for (let { first } = this; first !== undefined && isDue(first.at); first = this.first) {
      this.unset(first);
      yield first.of;
    }
  }
}
