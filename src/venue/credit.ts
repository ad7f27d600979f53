// The risk of one account in one player mode. `allows` is exact: the balance must cover the worst final score
// of every game, with open orders counted as filled where that makes the loss larger. `#bound` answers most
// calls. It is never below the true worst loss: it grows with every stake and is recomputed only when it
// would refuse.
import type { GameId, Market, MarketEnd, MarketId, Micros, Position, Side, SportRule } from '../domain/index.ts';
import {
  applyFill,
  FLAT,
  negative,
  plus,
  settledBy,
  sideIndex,
  swapKept,
  swappedMarket,
  swappedPosition,
  worstCaseOfGame,
  ZERO,
} from '../domain/index.ts';

type Holding = { readonly market: Market; position: Position; openFirst: Micros; openSecond: Micros };
type GameHoldings = { readonly rule: SportRule; readonly markets: Map<MarketId, Holding> };

export class Credit {
  readonly #games = new Map<GameId, GameHoldings>();
  #bound = 0;
  #last: Holding | undefined;

  /** Adds the stake of an open order. */
  addOpen(market: Market, rule: SportRule, side: Side, risk: Micros): void {
    this.#change(this.#holding(market, rule), side, risk);
    this.#bound += risk;
  }

  /** Removes the stake of an open order. The bound stays; it is recomputed when it would refuse. */
  removeOpen(market: Market, rule: SportRule, side: Side, risk: Micros): void {
    this.#change(this.#holding(market, rule), side, negative(risk));
  }

  /**
   * Books a fill. The bound grows only for a fill without an open order: a fill never loses more than its
   * open order could.
   */
  fill(market: Market, rule: SportRule, side: Side, risk: Micros, win: Micros, wasOpen: boolean): void {
    const holding = this.#holding(market, rule);
    holding.position = applyFill(holding.position, side, risk, win);
    if (wasOpen) this.#change(holding, side, negative(risk));
    else this.#bound += risk;
  }

  /** The matched position in a market. */
  positionOf(market: Market): Position {
    return this.#games.get(market.gameId)?.markets.get(market.id)?.position ?? FLAT;
  }

  positions(): { readonly market: Market; readonly position: Position }[] {
    return [...this.#games.values()].flatMap((game) => [...game.markets.values()]);
  }

  /** True when the balance covers one more order of this size. */
  allows(balance: Micros, market: Market, rule: SportRule, side: Side, risk: Micros): boolean {
    if (this.#bound + risk <= balance) return true;
    const holding = this.#holding(market, rule);
    this.#change(holding, side, risk);
    const loss = this.worstLoss();
    this.#change(holding, side, negative(risk));
    this.#bound = this.worstLoss();
    return loss <= balance;
  }

  /** The worst loss in this game with one more order of this size; at least 0. */
  gameLossWith(market: Market, rule: SportRule, side: Side, risk: Micros): Micros {
    const holding = this.#holding(market, rule);
    this.#change(holding, side, risk);
    const loss = this.gameLoss(market.gameId);
    this.#change(holding, side, negative(risk));
    return loss;
  }

  /** The worst loss in this game now, open orders included; at least 0. */
  gameLoss(gameId: GameId): Micros {
    const game = this.#games.get(gameId);
    return game === undefined ? ZERO : lossOf(game);
  }

  /** The worst loss in this game from matched positions alone, without open orders; at least 0. */
  matchedLoss(gameId: GameId): Micros {
    const game = this.#games.get(gameId);
    if (game === undefined) return ZERO;
    const matched = [...game.markets.values()].map(({ market, position }) => ({
      market,
      position,
      openFirst: ZERO,
      openSecond: ZERO,
    }));
    return Math.max(0, 0 - worstCaseOfGame(matched, game.rule)) as Micros;
  }

  /**
   * Removes the decided markets of a game from the account's risk. Returns what they paid, below 0 for a
   * loss.
   */
  settle(gameId: GameId, endIn: (market: Market) => MarketEnd | undefined): Micros {
    let paid = 0;
    const markets = this.#games.get(gameId)?.markets;
    for (const [id, { market, position }] of markets ?? []) {
      const end = endIn(market);
      if (end === undefined) continue;
      paid += settledBy(position, end);
      markets?.delete(id);
    }
    if (markets?.size === 0) this.#games.delete(gameId);
    this.#last = undefined;
    // the bound still counts these stakes; it is recomputed when it would refuse
    return paid as Micros;
  }

  /** Swaps home and away of a game. Positions and open stakes stay with their teams. */
  swapTeams(gameId: GameId): void {
    this.#last = undefined;
    const game = this.#games.get(gameId);
    if (game === undefined) return;
    const markets = [...game.markets.values()].map(({ market }) => market);
    swapKept(game.markets, markets, ({ position, openFirst, openSecond }, market) => ({
      market: swappedMarket(market),
      position: swappedPosition(market, position),
      openFirst: openSecond,
      openSecond: openFirst,
    }));
  }

  /** The loss when every game ends as badly as it can; at least 0. Also drops markets without risk. */
  worstLoss(): Micros {
    let loss = 0;
    this.#last = undefined;
    for (const [gameId, game] of this.#games) {
      for (const [id, held] of game.markets) {
        if (held.openFirst === 0 && held.openSecond === 0 && held.position.staked === 0) game.markets.delete(id);
      }
      if (game.markets.size === 0) this.#games.delete(gameId);
      else loss += lossOf(game);
    }
    return loss as Micros;
  }

  #holding(market: Market, rule: SportRule): Holding {
    // consecutive calls mostly concern the same market
    if (this.#last?.market === market) return this.#last;
    let game = this.#games.get(market.gameId);
    if (game === undefined) this.#games.set(market.gameId, (game = { rule, markets: new Map() }));
    let holding = game.markets.get(market.id);
    if (holding === undefined) {
      holding = { market, position: FLAT, openFirst: ZERO, openSecond: ZERO };
      game.markets.set(market.id, holding);
    }
    this.#last = holding;
    return holding;
  }

  #change(holding: Holding, side: Side, by: Micros): void {
    if (sideIndex(side) === 0) holding.openFirst = plus(holding.openFirst, by);
    else holding.openSecond = plus(holding.openSecond, by);
  }
}

const lossOf = ({ markets, rule }: GameHoldings): Micros =>
  Math.max(0, 0 - worstCaseOfGame([...markets.values()], rule)) as Micros;
