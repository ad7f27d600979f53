// What is kept to be looked up later: adding costs a push, the index by key is made when somebody first asks for what has
// come since. The newest of a key counts.
import { elementAt } from '../domain/index.ts';
export class Archive<K, T> {
  readonly #keyOf: (one: T) => K;
  readonly #index = new Map<K, T>();
  #list: T[] = [];
  #indexed = 0;

  constructor(keyOf: (one: T) => K) {
    this.#keyOf = keyOf;
  }

  get size(): number {
    return this.#list.length;
  }

  add(one: T): void {
    this.#list.push(one);
  }

  get(key: K): T | undefined {
    for (; this.#indexed < this.#list.length; this.#indexed++) {
      const one = elementAt(this.#list, this.#indexed);
      this.#index.set(this.#keyOf(one), one);
    }
    return this.#index.get(key);
  }

  /** The last that were added, so many, oldest first. */
  newest(count: number): readonly T[] {
    return count > 0 ? this.#list.slice(-count) : [];
  }

  values(): IterableIterator<T> {
    return this.#list.values();
  }

  *keys(): Generator<K> {
    for (const one of this.#list) yield this.#keyOf(one);
  }

  /** Takes the oldest ones away, so many. */
  takeOldest(count: number): readonly T[] {
    this.#index.clear();
    this.#indexed = 0;
    return this.#list.splice(0, count);
  }

  remove(fits: (one: T) => boolean): void {
    this.#list = this.#list.filter((one) => !fits(one));
    this.#index.clear();
    this.#indexed = 0;
  }
}
