// What one strategy may lose by its own fills and orders, for limits of its own. Fills of an unknown player mode and
// orders of other clients belong to no strategy: they count in the limits of the account alone.
import type { Account } from '../account/index.ts';
import type { Fill, GameId, Market, MarketId, Position, StrategyId } from '../domain/index.ts';
import { applyFill, FLAT, sideIndex } from '../domain/index.ts';
import type { ExposurePorts, ExposureSource } from './exposure.ts';
import { Exposure } from './exposure.ts';

/** The part of the account that belongs to one strategy. */
class StrategySource implements ExposureSource {
  readonly moved = new Set<GameId>();
  readonly stakedElsewhere = 0 as ExposureSource['stakedElsewhere'];
  readonly holdings: ExposureSource['holdings'];
  readonly #account: Account;
  readonly #strategy: StrategyId;
  readonly #positions = new Map<MarketId, { readonly fills: readonly Fill[]; readonly position: Position }>();

  constructor(account: Account, strategy: StrategyId) {
    this.#account = account;
    this.#strategy = strategy;
    this.holdings = { surePositionIn: (market) => this.#positionIn(market), stakedIn: new Map() };
  }

  get games(): ReadonlyMap<GameId, ReadonlyMap<MarketId, Market>> {
    return this.#account.games;
  }

  addOpenIn(market: MarketId, stakes: [number, number]): void {
    for (const { strategy, side, bound } of this.#account.mayFillIn(market))
      if (strategy === this.#strategy) stakes[sideIndex(side)] += bound;
  }

  #positionIn(market: MarketId): Position {
    const fills = this.#account.fills.fillsOf(this.#strategy, market);
    if (fills.length === 0) return FLAT;
    const known = this.#positions.get(market);
    if (known?.fills === fills) return known.position;
    let position = FLAT;
    for (const { side, risk, win } of fills) position = applyFill(position, side, risk, win);
    this.#positions.set(market, { fills, position });
    return position;
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
