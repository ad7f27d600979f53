// What strategies said their markets are worth (`fair` of an intent), as it stood in the last seconds: for the figures of fills.
// Nothing is quoted by it.
import type { MarketId, StrategyId } from '../domain/index.ts';
import { RecentValues } from '../domain/index.ts';

const KEPT_MS = 10_000;

export class OwnFairs {
  readonly #markets = new Map<MarketId, Map<StrategyId, RecentValues>>();

  /** A strategy replaced its intent; `fair`: probability of the market's first side; `t`: Unix ms. */
  note(market: MarketId, strategy: StrategyId, fair: number | undefined, t: number): void {
    let of = this.#markets.get(market);
    if (of === undefined) {
      // most strategies never say it
      if (fair === undefined) return;
      this.#markets.set(market, (of = new Map<StrategyId, RecentValues>()));
    }
    let said = of.get(strategy);
    if (said === undefined) of.set(strategy, (said = new RecentValues(KEPT_MS)));
    said.note(fair, t);
  }

  /** The newest that was said strictly before `t`; undefined: none was, or it is longer ago than is kept. */
  before(market: MarketId, strategy: StrategyId, t: number): number | undefined {
    return this.#markets.get(market)?.get(strategy)?.before(t);
  }

  forget(market: MarketId): void {
    this.#markets.delete(market);
  }
}
