// What each market is marked at, as probability of its first side: the newest fair price, and until there was one the newest
// price of any book.
import type { Market, MarketId } from '../domain/index.ts';
import { RecentValues, swapKept, swappedPrice } from '../domain/index.ts';

/** Fair prices of a moment ago are asked for so far back, ms. */
const KEPT_MS = 10_000;

export class Prices {
  readonly #of = new Map<MarketId, number>();
  readonly #fair = new Map<MarketId, RecentValues>();

  get(id: MarketId): number | undefined {
    return this.#of.get(id);
  }

  /** The newest fair price alone. */
  fairOf(id: MarketId): number | undefined {
    return this.#fair.get(id)?.newest;
  }

  /** The same as it stood strictly before this Unix ms, of the last seconds. */
  fairBefore(id: MarketId, t: number): number | undefined {
    return this.#fair.get(id)?.before(t);
  }

  /** `t`: Unix ms. */
  note(id: MarketId, p: number, isFair: boolean, t: number): void {
    let fair = this.#fair.get(id);
    if (isFair) {
      if (fair === undefined) this.#fair.set(id, (fair = new RecentValues(KEPT_MS)));
      fair.note(p, t);
    } else if (fair !== undefined) return;
    this.#of.set(id, p);
  }

  /** Home and away of the game of these markets changed places. */
  swapTeams(markets: readonly Market[]): void {
    swapKept(this.#of, markets, (p, market) => swappedPrice(market, p));
    swapKept(this.#fair, markets, (fair, market) => fair.map((p) => swappedPrice(market, p)));
  }

  forget(id: MarketId): void {
    this.#of.delete(id);
    this.#fair.delete(id);
  }
}
