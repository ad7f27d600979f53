// The price at which each market is marked, as probability of its first side: the newest fair price, or
// before the first one the newest price of any book.
import type { Market, MarketId } from '../domain/index.ts';
import { RecentValues, swapKept, swappedPrice } from '../domain/index.ts';

/** How long earlier fair prices are kept, ms. */
const KEPT_MS = 10_000;

type Priced = {
  /** The newest price of any book until the first fair price, then the newest fair price. */
  mark: number;
  /** Undefined before the first fair price. */
  fair: RecentValues | undefined;
};

export class Prices {
  readonly #markets = new Map<MarketId, Priced>();

  get(id: MarketId): number | undefined {
    return this.#markets.get(id)?.mark;
  }

  /** The newest fair price. Undefined when there was none. */
  fairOf(id: MarketId): number | undefined {
    return this.#markets.get(id)?.fair?.newest;
  }

  /**
   * The newest fair price strictly before `t` (Unix ms), from the last seconds. Undefined when there was
   * none.
   */
  fairBefore(id: MarketId, t: number): number | undefined {
    return this.#markets.get(id)?.fair?.before(t);
  }

  /** `t`: Unix ms. */
  note(id: MarketId, p: number, isFair: boolean, t: number): void {
    let market = this.#markets.get(id);
    if (market === undefined) this.#markets.set(id, (market = { mark: p, fair: undefined }));
    if (isFair) (market.fair ??= new RecentValues(KEPT_MS)).note(p, t);
    else if (market.fair !== undefined) return;
    market.mark = p;
  }

  /** Notes a fair price of a market that is not quoted; it is marked as before. `t`: Unix ms. */
  noteFair(id: MarketId, p: number, t: number): void {
    this.#markets.get(id)?.fair?.note(p, t);
  }

  /** Home and away of the game of these markets changed places. */
  swapTeams(markets: readonly Market[]): void {
    swapKept(this.#markets, markets, ({ mark, fair }, market) => ({
      mark: swappedPrice(market, mark),
      fair: fair?.map((p) => swappedPrice(market, p)),
    }));
  }

  forget(id: MarketId): void {
    this.#markets.delete(id);
  }
}
