// What each market is marked at, as probability of its first side: the newest fair price, and until there was one the newest
// price of any book.
import type { MarketId } from '../domain/index.ts';

export class Prices {
  readonly #of = new Map<MarketId, number>();
  readonly #hadFairPrice = new Set<MarketId>();

  get(id: MarketId): number | undefined {
    return this.#of.get(id);
  }

  /** The newest fair price alone. */
  fairOf(id: MarketId): number | undefined {
    return this.#hadFairPrice.has(id) ? this.#of.get(id) : undefined;
  }

  note(id: MarketId, p: number, isFair: boolean): void {
    if (isFair) this.#hadFairPrice.add(id);
    else if (this.#hadFairPrice.has(id)) return;
    this.#of.set(id, p);
  }

  forget(id: MarketId): void {
    this.#of.delete(id);
    this.#hadFairPrice.delete(id);
  }
}
