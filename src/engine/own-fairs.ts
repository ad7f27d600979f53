// What strategies said their markets are worth (`fair` of an intent), as it stood in the last seconds: for the figures of fills.
// Nothing is quoted by it.
import type { MarketId, StrategyId } from '../domain/index.ts';

type Said = { readonly t: number; readonly p: number | undefined };

/** Older ones go, but for the one that stood then, ms. */
const KEPT_MS = 10_000;

export class OwnFairs {
  readonly #paths = new Map<MarketId, Map<StrategyId, Said[]>>();

  /** A strategy replaced its intent; `fair`: probability of the market's first side; `t`: Unix ms. */
  note(market: MarketId, strategy: StrategyId, fair: number | undefined, t: number): void {
    let of = this.#paths.get(market);
    if (of === undefined) {
      // most strategies never say it
      if (fair === undefined) return;
      this.#paths.set(market, (of = new Map<StrategyId, Said[]>()));
    }
    let path = of.get(strategy);
    if (path === undefined) of.set(strategy, (path = []));
    if (path.at(-1)?.p === fair) return;
    path.push({ t, p: fair });
    const kept = path.findIndex((_, at) => (path[at + 1]?.t ?? t) > t - KEPT_MS);
    if (kept > 0) path.splice(0, kept);
  }

  /** The newest that was said strictly before `beforeMs`; undefined: none was, or it is longer ago than is kept. */
  before(market: MarketId, strategy: StrategyId, beforeMs: number): number | undefined {
    return this.#paths
      .get(market)
      ?.get(strategy)
      ?.findLast(({ t }) => t < beforeMs)?.p;
  }

  forget(market: MarketId): void {
    this.#paths.delete(market);
  }
}
