// What is held by the fills of each strategy, until their games are settled. A strategy owns the fills of its orders, of
// former runs too. Invariant as for the account: a fill of unknown player mode hedges nothing (rules.md, 9).
import type { GameId, MarketId, Micros, Position, StrategyId } from '../domain/index.ts';
import { applyFill, FLAT, times, sideIndex } from '../domain/index.ts';
import type { HeldFill } from './records.ts';

const NO_STAKES: readonly [Micros, Micros] = [0 as Micros, 0 as Micros];

/** The open fills of one strategy. */
export class StrategyHoldings {
  readonly #positions = new Map<MarketId, Position>();
  readonly #unsure = new Map<MarketId, readonly [Micros, Micros]>();
  readonly #stakedIn = new Map<GameId, Micros>();
  #stakedElsewhere = 0;

  /** The position held for certain in the configured player mode. */
  surePositionIn(market: MarketId): Position {
    return this.#positions.get(market) ?? FLAT;
  }

  /** Stakes of fills of unknown player mode on the first and second side, micro-dollars. */
  unsureIn(market: MarketId): readonly [Micros, Micros] {
    return this.#unsure.get(market) ?? NO_STAKES;
  }

  /** Stake of fills whose market is not known, by game. */
  get stakedIn(): ReadonlyMap<GameId, Micros> {
    return this.#stakedIn;
  }

  /** The sum of `stakedIn`. */
  get stakedElsewhere(): Micros {
    return this.#stakedElsewhere as Micros;
  }

  /** Adds a fill that counts for the account, or takes it away. */
  count({ market, side, gameId, mode, risk, win }: HeldFill, by: 1 | -1): void {
    if (market === undefined || side === undefined) {
      this.#stakedElsewhere += by * risk;
      set(this.#stakedIn, gameId, ((this.#stakedIn.get(gameId) ?? 0) + by * risk) as Micros, (staked) => staked === 0);
      return;
    }
    if (mode === 'unsure') {
      const [first, second] = this.unsureIn(market.id);
      const stake = by * risk;
      const stakes = (sideIndex(side) === 0 ? [first + stake, second] : [first, second + stake]) as [Micros, Micros];
      set(this.#unsure, market.id, stakes, ([a, b]) => a === 0 && b === 0);
      return;
    }
    const position = applyFill(this.surePositionIn(market.id), side, times(risk, by), times(win, by));
    set(this.#positions, market.id, position, ({ staked }) => staked === 0);
  }
}

/** The open fills by strategy. */
export class HoldingsByStrategy {
  readonly #all = new Map<StrategyId, StrategyHoldings>();

  of(strategy: StrategyId): StrategyHoldings {
    let known = this.#all.get(strategy);
    if (known === undefined) this.#all.set(strategy, (known = new StrategyHoldings()));
    return known;
  }

  /** Adds a fill to what its owner holds, or takes it away. */
  count(fill: HeldFill, by: 1 | -1): void {
    if (fill.owner !== undefined) this.of(fill.owner).count(fill, by);
  }
}

function set<Key, Value>(map: Map<Key, Value>, key: Key, value: Value, isNothing: (value: Value) => boolean): void {
  if (isNothing(value)) map.delete(key);
  else map.set(key, value);
}
