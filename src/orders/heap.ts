// A binary heap whose items know their position, so that an item in the middle can move or leave.
import TinyQueue from 'tinyqueue';

/** An item of a heap, in one heap at a time. Only the heap writes its position. */
export type Indexed = { heapIndex: number };

export class Heap<T extends Indexed> {
  readonly #items: T[] = [];
  /** Below 0 when `a` comes before `b`. Never 0, so that the order does not depend on history. */
  readonly #compare: (a: T, b: T) => number;

  constructor(compare: (a: T, b: T) => number) {
    this.#compare = compare;
  }

  get first(): T | undefined {
    return this.#items[0];
  }

  /** Adds an item that is in no heap. */
  addItem(item: T): void {
    this.#siftUp(item, this.#items.length);
  }

  /** Removes an item of this heap. */
  remove(item: T): void {
    const last = this.#items.pop();
    if (last !== undefined && last !== item) this.#settle(last, item.heapIndex);
  }

  /** Restores the order after the key of an item of this heap may have changed. */
  move(item: T): void {
    this.#settle(item, item.heapIndex);
  }

  /** The first `most` items, in order. Valid until the heap changes. */
  best(most: number): readonly T[] {
    if (this.#items.length < 2) return most > 0 ? this.#items : [];
    const best: T[] = [];
    // the next item is a child of one already returned
    const next = new TinyQueue<T>(this.#items.slice(0, 1), this.#compare);
    while (best.length < most) {
      const item = next.pop();
      if (item === undefined) break;
      best.push(item);
      const below = item.heapIndex * 2 + 1;
      for (const child of [this.#items[below], this.#items[below + 1]]) if (child !== undefined) next.push(child);
    }
    return best;
  }

  /** Puts an item at a position that is free or its own, and moves it to where it belongs. */
  #settle(item: T, heapIndex: number): void {
    const above = this.#items[(heapIndex - 1) >> 1];
    if (heapIndex > 0 && above !== undefined && this.#compare(item, above) < 0) this.#siftUp(item, heapIndex);
    else this.#siftDown(item, heapIndex);
  }

  #siftUp(item: T, from: number): void {
    let heapIndex = from;
    while (heapIndex > 0) {
      const parent = (heapIndex - 1) >> 1;
      const above = this.#items[parent];
      if (above === undefined || this.#compare(item, above) >= 0) break;
      this.#put(above, heapIndex);
      heapIndex = parent;
    }
    this.#put(item, heapIndex);
  }

  #siftDown(item: T, from: number): void {
    let heapIndex = from;
    for (;;) {
      let child = heapIndex * 2 + 1;
      let below = this.#items[child];
      if (below === undefined) break;
      const other = this.#items[child + 1];
      if (other !== undefined && this.#compare(other, below) < 0) [child, below] = [child + 1, other];
      if (this.#compare(item, below) <= 0) break;
      this.#put(below, heapIndex);
      heapIndex = child;
    }
    this.#put(item, heapIndex);
  }

  #put(item: T, heapIndex: number): void {
    this.#items[heapIndex] = item;
    item.heapIndex = heapIndex;
  }
}
