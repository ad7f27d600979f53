// What a virtual clock calls back, in the order of time, and what was asked for first among equals. Times that never go back
// (a constant time-out, frames of one connection) are queued in lanes of their own; only the others need a heap.
import TinyQueue from 'tinyqueue';

export type Timer = { readonly atMs: number; readonly seq: number; readonly action: () => void };

const isBefore = (a: Timer, b: Timer): boolean => (a.atMs === b.atMs ? a.seq < b.seq : a.atMs < b.atMs);
/** Of a lane, before its room is used again. */
const MOST_PASSED = 1024;

/** Asks for a call at a time that is none before that of the last one; else it is asked for like any other. */
export type Lane = (atMs: number, action: () => void) => void;

class Queue {
  #timers: (Timer | undefined)[] = [];
  #head = 0;
  #lastMs = Number.NEGATIVE_INFINITY;

  get first(): Timer | undefined {
    return this.#timers[this.#head];
  }

  /** False: it would not stand at the end. */
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
  /** The first of all, and where it stands; undefined: to be found. */
  #first: Timer | undefined;
  #of: Queue | undefined;

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
    const of = queue?.push(timer) === true ? queue : undefined;
    if (of === undefined) this.#heap.push(timer);
    if (this.#first === undefined || !isBefore(timer, this.#first)) return;
    this.#first = timer;
    this.#of = of;
  }

  /** What comes next. */
  get first(): Timer | undefined {
    if (this.#first !== undefined) return this.#first;
    let first = this.#heap.peek();
    this.#of = undefined;
    for (const queue of this.#queues) {
      const head = queue.first;
      if (head === undefined || (first !== undefined && !isBefore(head, first))) continue;
      first = head;
      this.#of = queue;
    }
    return (this.#first = first);
  }

  /** Takes away what comes next. */
  shift(): void {
    if (this.first === undefined) return;
    if (this.#of === undefined) this.#heap.pop();
    else this.#of.shift();
    this.#first = undefined;
  }
}
