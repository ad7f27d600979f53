// What one strategy may lose by its own orders and by its fills that wait for their games, for limits of its own. Orders
// and fills of other clients belong to no strategy: they count in the limits of the account alone.
import type { Account } from '../account/index.ts';
import type { GameId, Market, MarketId, Micros, StrategyId } from '../domain/index.ts';
import { sideIndex } from '../domain/index.ts';
import type { ExposurePorts, ExposureSource } from './exposure.ts';
import { Exposure } from './exposure.ts';

/** The part of the account that belongs to one strategy. */
class StrategySource implements ExposureSource {
  readonly moved = new Set<GameId>();
  readonly holdings: ReturnType<Account['holdings']['byStrategy']['of']>;
  readonly #account: Account;
  readonly #strategy: StrategyId;

  constructor(account: Account, strategy: StrategyId) {
    this.#account = account;
    this.#strategy = strategy;
    this.holdings = account.holdings.byStrategy.of(strategy);
  }

  get games(): ReadonlyMap<GameId, ReadonlyMap<MarketId, Market>> {
    return this.#account.games;
  }

  get stakedElsewhere(): Micros {
    return this.holdings.stakedElsewhere;
  }

  addOpenIn(market: MarketId, stakes: [number, number]): void {
    for (const { strategy, side, bound } of this.#account.mayFillIn(market))
      if (strategy === this.#strategy) stakes[sideIndex(side)] += bound;
    const [first, second] = this.holdings.unsureIn(market);
    stakes[0] += first;
    stakes[1] += second;
  }
}

/** The exposures of the strategies that have limits of their own, made when they are needed. */
export class StrategyExposures {
  readonly #account: Account;
  readonly #ports: ExposurePorts;
  readonly #all = new Map<StrategyId, { readonly source: StrategySource; readonly exposure: Exposure }>();

  /** @param ports those of the account, without what is held elsewhere */
  constructor(account: Account, ports: Omit<ExposurePorts, 'elsewhere'>) {
    this.#account = account;
    this.#ports = ports;
  }

  of(strategy: StrategyId): Exposure {
    let known = this.#all.get(strategy);
    if (known === undefined) {
      const source = new StrategySource(this.#account, strategy);
      this.#all.set(strategy, (known = { source, exposure: new Exposure(source, this.#ports) }));
    }
    return known.exposure;
  }

  /** Games of the account changed. */
  applyMoved(games: Iterable<GameId>): void {
    if (this.#all.size === 0) return;
    for (const id of games) for (const { source } of this.#all.values()) source.moved.add(id);
  }
}
