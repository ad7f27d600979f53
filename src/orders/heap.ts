// A binary heap whose members know their seat, so that one in the middle may change its order or leave.
import TinyQueue from 'tinyqueue';

/** What can be held, in one heap at a time: its seat is the heap's to write. */
export type Seated = { seat: number };

export class Heap<T extends Seated> {
  readonly #items: T[] = [];
  /** Below 0 when `a` comes before `b`; never 0 for two members, so that the order does not depend on what came before. */
  readonly #compare: (a: T, b: T) => number;

  constructor(compare: (a: T, b: T) => number) {
    this.#compare = compare;
  }

  get first(): T | undefined {
    return this.#items[0];
  }

  /** `item` is in no heap. */
  add(item: T): void {
    this.#rise(item, this.#items.length);
  }

  /** `item` is in this heap. */
  remove(item: T): void {
    const last = this.#items.pop();
    if (last !== undefined && last !== item) this.#settle(last, item.seat);
  }

  /** `item` is in this heap, and what it is ordered by may have changed. */
  move(item: T): void {
    this.#settle(item, item.seat);
  }

  /** The first of all, at most so many, in order; to be read before the heap changes. */
  best(most: number): readonly T[] {
    if (this.#items.length < 2) return most > 0 ? this.#items : [];
    const best: T[] = [];
    // what may come next is below what came already
    const next = new TinyQueue<T>(this.#items.slice(0, 1), this.#compare);
    while (best.length < most) {
      const item = next.pop();
      if (item === undefined) break;
      best.push(item);
      const below = item.seat * 2 + 1;
      for (const one of [this.#items[below], this.#items[below + 1]]) if (one !== undefined) next.push(one);
    }
    return best;
  }

  /** Puts an item on a seat that is free, or its own, and from there where it belongs. */
  #settle(item: T, seat: number): void {
    const above = this.#items[(seat - 1) >> 1];
    if (seat > 0 && above !== undefined && this.#compare(item, above) < 0) this.#rise(item, seat);
    else this.#sink(item, seat);
  }

  #rise(item: T, from: number): void {
    let seat = from;
    while (seat > 0) {
      const at = (seat - 1) >> 1;
      const above = this.#items[at];
      if (above === undefined || this.#compare(item, above) >= 0) break;
      this.#sit(above, seat);
      seat = at;
    }
    this.#sit(item, seat);
  }

  #sink(item: T, from: number): void {
    let seat = from;
    for (;;) {
      let at = seat * 2 + 1;
      let below = this.#items[at];
      if (below === undefined) break;
      const other = this.#items[at + 1];
      if (other !== undefined && this.#compare(other, below) < 0) [at, below] = [at + 1, other];
      if (this.#compare(item, below) <= 0) break;
      this.#sit(below, seat);
      seat = at;
    }
    this.#sit(item, seat);
  }

  #sit(item: T, seat: number): void {
    this.#items[seat] = item;
    item.seat = seat;
  }
}
