// Timers of a virtual clock, in order of time; at equal times the one registered first runs first. Times that
// never decrease (a constant timeout, frames of one connection) are queued in lanes; only the others need a
// heap.
import TinyQueue from 'tinyqueue';

export type Timer = { readonly atMs: number; readonly seq: number; readonly action: () => void };

const isBefore = (a: Timer, b: Timer): boolean => (a.atMs === b.atMs ? a.seq < b.seq : a.atMs < b.atMs);
/** Passed entries that a lane keeps before its array is shortened. */
const MOST_PASSED = 1024;

/**
 * Registers a timer whose time is not before the lane's last one. A timer with an earlier time goes to the
 * heap instead.
 */
export type Lane = (atMs: number, action: () => void) => void;

class Queue {
  #timers: (Timer | undefined)[] = [];
  #head = 0;
  #lastMs = Number.NEGATIVE_INFINITY;

  get first(): Timer | undefined {
    return this.#timers[this.#head];
  }

  /** Appends a timer. Returns false when its time is before the last one. */
  push(timer: Timer): boolean {
    if (timer.atMs < this.#lastMs) return false;
    this.#lastMs = timer.atMs;
    this.#timers.push(timer);
    return true;
  }

  shift(): void {
    this.#timers[this.#head] = undefined;
    this.#head += 1;
    if (this.#head === this.#timers.length) {
      this.#timers.length = 0;
      this.#head = 0;
    } else if (this.#head > MOST_PASSED) {
      this.#timers = this.#timers.slice(this.#head);
      this.#head = 0;
    }
  }
}

export class Timetable {
  readonly #heap = new TinyQueue<Timer>([], (a, b) => (isBefore(a, b) ? -1 : 1));
  readonly #queues: Queue[] = [];
  #seq = 0;
  /** The first timer of all. Undefined when it must be searched. */
  #first: Timer | undefined;
  /** The lane that holds `#first`. Undefined when it is in the heap. */
  #firstQueue: Queue | undefined;

  at(atMs: number, action: () => void): void {
    this.#add(atMs, action, undefined);
  }

  lane(): Lane {
    const queue = new Queue();
    this.#queues.push(queue);
    return (atMs, action) => this.#add(atMs, action, queue);
  }

  #add(atMs: number, action: () => void, queue: Queue | undefined): void {
    const timer = { atMs, seq: this.#seq++, action };
    const lane = queue?.push(timer) === true ? queue : undefined;
    if (lane === undefined) this.#heap.push(timer);
    if (this.#first === undefined || !isBefore(timer, this.#first)) return;
    this.#first = timer;
    this.#firstQueue = lane;
  }

  /** The next timer. Undefined when there is none. */
  get first(): Timer | undefined {
    if (this.#first !== undefined) return this.#first;
    let first = this.#heap.peek();
    this.#firstQueue = undefined;
    for (const queue of this.#queues) {
      const head = queue.first;
      if (head === undefined || (first !== undefined && !isBefore(head, first))) continue;
      first = head;
      this.#firstQueue = queue;
    }
    return (this.#first = first);
  }

  /** Removes the next timer. */
  shift(): void {
    if (this.first === undefined) return;
    if (this.#firstQueue === undefined) this.#heap.pop();
    else this.#firstQueue.shift();
    this.#first = undefined;
  }
}
