// Orders by the time at which they expire: a binary heap. Orders that ended before are skipped by whoever takes them out.
import { elementAt } from '../domain/index.ts';
import type { VenueOrder } from './records.ts';

type Entry = { readonly atMs: number; readonly order: VenueOrder };

export class ExpiryQueue {
  readonly #heap: Entry[] = [];

  add(atMs: number, order: VenueOrder): void {
    const heap = this.#heap;
    const entry = { atMs, order };
    let at = heap.push(entry) - 1;
    while (at > 0) {
      const parent = (at - 1) >>> 1;
      const above = elementAt(heap, parent);
      if (above.atMs <= atMs) break;
      heap[at] = above;
      at = parent;
    }
    heap[at] = entry;
  }

  /** When the next one may expire. */
  get nextMs(): number {
    return this.#heap[0]?.atMs ?? Number.POSITIVE_INFINITY;
  }

  /** Takes out one order whose time has come. */
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
    let at = 0;
    for (;;) {
      let child = at * 2 + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && elementAt(heap, child + 1).atMs < elementAt(heap, child).atMs) child++;
      const below = elementAt(heap, child);
      if (below.atMs >= entry.atMs) break;
      heap[at] = below;
      at = child;
    }
    heap[at] = entry;
  }
}
