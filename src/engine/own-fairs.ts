// The fair prices that strategies gave with their intents (`fair`) in the last seconds, for the figures of
// fills. They do not affect quoting.
import type { MarketId, StrategyId } from '../domain/index.ts';
import { RecentValues } from '../domain/index.ts';

const KEPT_MS = 10_000;

export class OwnFairs {
  readonly #markets = new Map<MarketId, Map<StrategyId, RecentValues>>();

  /** A strategy replaced its intent; `fair`: probability of the market's first side; `t`: Unix ms. */
  note(market: MarketId, strategy: StrategyId, fair: number | undefined, t: number): void {
    let byStrategy = this.#markets.get(market);
    if (byStrategy === undefined) {
      // most strategies never give a fair price
      if (fair === undefined) return;
      this.#markets.set(market, (byStrategy = new Map<StrategyId, RecentValues>()));
    }
    let recent = byStrategy.get(strategy);
    if (recent === undefined) byStrategy.set(strategy, (recent = new RecentValues(KEPT_MS)));
    recent.note(fair, t);
  }

  /**
   * The newest fair price given strictly before `t` (Unix ms). Undefined when there was none, or it is no
   * longer kept.
   */
  before(market: MarketId, strategy: StrategyId, t: number): number | undefined {
    return this.#markets.get(market)?.get(strategy)?.before(t);
  }

  forget(market: MarketId): void {
    this.#markets.delete(market);
  }
}
