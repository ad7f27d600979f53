// The fills of each strategy's own orders, by market, as its views show them.
import type { Fill, Market, MarketId, StrategyId, TxId } from '../domain/index.ts';
import { swapKept, swappedPlace } from '../domain/index.ts';

const NO_FILLS: readonly Fill[] = Object.freeze([]);

type Filled = { readonly byTx: Map<TxId, Fill>; shown: readonly Fill[] | undefined };

export class StrategyFills {
  readonly #byMarket = new Map<MarketId, Map<StrategyId, Filled>>();

  /**
   * The fills of the strategy in the market, oldest first, frozen. The array changes only with its content.
   */
  fillsOf(strategy: StrategyId, market: MarketId): readonly Fill[] {
    const filled = this.#byMarket.get(market)?.get(strategy);
    if (filled === undefined) return NO_FILLS;
    return (filled.shown ??= Object.freeze([...filled.byTx.values()]));
  }

  addFill(strategy: StrategyId, fill: Fill): void {
    const { id } = fill.market;
    let strategies = this.#byMarket.get(id);
    if (strategies === undefined) this.#byMarket.set(id, (strategies = new Map<StrategyId, Filled>()));
    let filled = strategies.get(strategy);
    if (filled === undefined) strategies.set(strategy, (filled = { byTx: new Map<TxId, Fill>(), shown: undefined }));
    filled.byTx.set(fill.txId, fill);
    filled.shown = undefined;
  }

  /** Removes a fill that belongs to another strategy after all. */
  remove(strategy: StrategyId, market: MarketId, txId: TxId): void {
    const filled = this.#byMarket.get(market)?.get(strategy);
    if (filled?.byTx.delete(txId) === true) filled.shown = undefined;
  }

  /** Home and away of these markets' game changed places: its fills stay on their teams. */
  swapTeams(markets: Iterable<Market>): void {
    swapKept(this.#byMarket, markets, (strategies) => {
      for (const filled of strategies.values()) {
        for (const [txId, fill] of filled.byTx) filled.byTx.set(txId, Object.freeze(swappedPlace(fill)));
        filled.shown = undefined;
      }
      return strategies;
    });
  }

  forget(market: MarketId): void {
    this.#byMarket.delete(market);
  }
}
