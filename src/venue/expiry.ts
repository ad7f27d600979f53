// Orders by expiry time, in a binary heap. Orders that ended earlier stay in it; the caller of `due` skips
// them.
import { elementAt } from '../domain/index.ts';
import type { VenueOrder } from './records.ts';

type Entry = { readonly atMs: number; readonly order: VenueOrder };

export class ExpiryQueue {
  readonly #heap: Entry[] = [];

  addOrder(atMs: number, order: VenueOrder): void {
    const heap = this.#heap;
    const entry = { atMs, order };
    let index = heap.push(entry) - 1;
    while (index > 0) {
      const parent = (index - 1) >>> 1;
      const above = elementAt(heap, parent);
      if (above.atMs <= atMs) break;
      heap[index] = above;
      index = parent;
    }
    heap[index] = entry;
  }

  /** When the next order may expire, ms. Infinity when there is none. */
  get nextMs(): number {
    return this.#heap[0]?.atMs ?? Number.POSITIVE_INFINITY;
  }

  /** Removes and returns one order that is due, ended or not. Undefined when none is due. */
  due(nowMs: number): VenueOrder | undefined {
    const heap = this.#heap;
    const top = heap[0];
    if (top === undefined || top.atMs > nowMs) return undefined;
    const last = heap.pop() as Entry;
    if (heap.length > 0) this.#sink(last);
    return top.order;
  }

  #sink(entry: Entry): void {
    const heap = this.#heap;
    let index = 0;
    for (;;) {
      let child = index * 2 + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && elementAt(heap, child + 1).atMs < elementAt(heap, child).atMs) child++;
      const below = elementAt(heap, child);
      if (below.atMs >= entry.atMs) break;
      heap[index] = below;
      index = child;
    }
    heap[index] = entry;
  }
}
