// What each strategy's own orders filled, market by market, as its views show it.
import type { Fill, MarketId, StrategyId } from '../domain/index.ts';
import type { OwnFill } from './own-order.ts';

const NO_FILLS: readonly Fill[] = Object.freeze([]);

export class StrategyFills {
  readonly #in = new Map<MarketId, Map<StrategyId, readonly Fill[]>>();

  /** Oldest first, frozen. */
  of(strategy: StrategyId, market: MarketId): readonly Fill[] {
    return this.#in.get(market)?.get(strategy) ?? NO_FILLS;
  }

  add(fill: OwnFill): void {
    const { market, strategy } = fill;
    let fills = this.#in.get(market.id);
    if (fills === undefined) this.#in.set(market.id, (fills = new Map<StrategyId, readonly Fill[]>()));
    fills.set(strategy, Object.freeze([...(fills.get(strategy) ?? []), fill]));
  }

  forget(market: MarketId): void {
    this.#in.delete(market);
  }
}
