// The price at which each market is marked, as probability of its first side: the newest fair price, or
// before the first one the newest price of any book.
import type { Market, MarketId } from '../domain/index.ts';
import { RecentValues, swapKept, swappedPrice } from '../domain/index.ts';

/** How long earlier fair prices are kept, ms. */
const KEPT_MS = 10_000;

export class Prices {
  readonly #marks = new Map<MarketId, number>();
  readonly #fair = new Map<MarketId, RecentValues>();

  get(id: MarketId): number | undefined {
    return this.#marks.get(id);
  }

  /** The newest fair price. Undefined when there was none. */
  fairOf(id: MarketId): number | undefined {
    return this.#fair.get(id)?.newest;
  }

  /**
   * The newest fair price strictly before `t` (Unix ms), from the last seconds. Undefined when there was
   * none.
   */
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
    this.#marks.set(id, p);
  }

  /** Home and away of the game of these markets changed places. */
  swapTeams(markets: readonly Market[]): void {
    swapKept(this.#marks, markets, (p, market) => swappedPrice(market, p));
    swapKept(this.#fair, markets, (fair, market) => fair.map((p) => swappedPrice(market, p)));
  }

  forget(id: MarketId): void {
    this.#marks.delete(id);
    this.#fair.delete(id);
  }
}
