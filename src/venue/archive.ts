// A list with lookup by key. Adding is item push; the index is extended on the next lookup. For equal keys
// the newest item counts.
import { elementAt } from '../domain/index.ts';
export class Archive<K, T> {
  readonly #keyOf: (item: T) => K;
  readonly #index = new Map<K, T>();
  #list: T[] = [];
  #indexed = 0;

  constructor(keyOf: (item: T) => K) {
    this.#keyOf = keyOf;
  }

  get size(): number {
    return this.#list.length;
  }

  addItem(item: T): void {
    this.#list.push(item);
  }

  get(key: K): T | undefined {
    for (; this.#indexed < this.#list.length; this.#indexed++) {
      const item = elementAt(this.#list, this.#indexed);
      this.#index.set(this.#keyOf(item), item);
    }
    return this.#index.get(key);
  }

  /** The last `count` items added, oldest first. */
  newest(count: number): readonly T[] {
    return count > 0 ? this.#list.slice(-count) : [];
  }

  values(): IterableIterator<T> {
    return this.#list.values();
  }

  *keys(): Generator<K> {
    for (const item of this.#list) yield this.#keyOf(item);
  }

  /** Removes and returns the `count` oldest items. */
  takeOldest(count: number): readonly T[] {
    this.#index.clear();
    this.#indexed = 0;
    return this.#list.splice(0, count);
  }

  remove(fits: (item: T) => boolean): void {
    this.#list = this.#list.filter((item) => !fits(item));
    this.#index.clear();
    this.#indexed = 0;
  }
}
