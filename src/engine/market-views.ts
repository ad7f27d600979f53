// Builds the view of a market for one strategy: the common book, and the strategy's own offers and fills; for a
// strategy of whole games also the other markets of the game, and its prices. These parts are made when they are
// read.
import type { Game, GameId, Ladder, Market, Side, StrategyId } from '../domain/index.ts';
import type { Freshness } from '../mirror/index.ts';
import type { Account, OwnOrder } from '../account/index.ts';
import { withLast } from '../domain/index.ts';
import { remainingOf } from '../account/index.ts';
import type { GameViewParts } from '../strategy/host/index.ts';
import { withGame } from '../strategy/host/index.ts';
import type { GameView, MarketView, OwnOffer, Signals, SideView } from '../strategy/index.ts';

/** The part of a view that all strategies share. Pairs are first and second side. */
export type CommonBook = {
  readonly game: Game;
  readonly market: Market;
  /** The ladders without own offers. */
  readonly others: readonly [Ladder, Ladder];
  readonly freshness: readonly [Freshness, Freshness];
};

const NO_OWN: readonly OwnOffer[] = Object.freeze([]);

/** What views of games need beside the account. */
export type GameParts = Omit<GameViewParts, 'marketsOf'> & {
  /** The quoted markets of a whole game and its parts, with books as last shown. */
  readonly openIn: (id: GameId) => Iterable<CommonBook>;
};

export class MarketViews {
  readonly #account: Account;
  readonly #signals: Signals;
  readonly #parts: GameParts;

  constructor(account: Account, signals: Signals, parts: GameParts) {
    this.#account = account;
    this.#signals = signals;
    this.#parts = parts;
  }

  /** The view of a whole game as a market of it changed. */
  gameViewOf(strategy: StrategyId, changed: CommonBook, time: number): GameView {
    return withGame(this.viewOf(strategy, changed, time), {
      ...this.#parts,
      marketsOf: (id) =>
        [...this.#parts.openIn(id)]
          .filter(({ game }) => this.#parts.wholeOf(game).id === id)
          .map((book) => this.viewOf(strategy, book, time)),
    });
  }

  /** `time`: wall clock of the input, Unix ms. */
  viewOf(strategy: StrategyId, { game, market, others, freshness }: CommonBook, time: number): MarketView {
    const live = this.#account.activeIn(market.id);
    return {
      time,
      game,
      market,
      sides: [
        sideView(strategy, market.sides[0], others[0], freshness[0], live),
        sideView(strategy, market.sides[1], others[1], freshness[1], live),
      ],
      position: this.#account.positionIn(market.id),
      fills: this.#account.fills.fillsOf(strategy, market.id),
      signals: this.#signals,
    };
  }
}

function sideView(
  strategy: StrategyId,
  side: Side,
  offers: Ladder,
  freshness: Freshness,
  live: readonly OwnOrder[],
): SideView {
  let own: OwnOffer[] | undefined;
  for (let index = 0; index < live.length; index++) {
    const order = live[index];
    if (order === undefined) break;
    if (order.strategy !== strategy || order.side !== side) continue;
    const { rung, risk, key, status } = order;
    own = withLast(own, { side, rung, risk, remaining: remainingOf(order), key, status });
  }
  return { side, offers, freshness, own: own === undefined ? NO_OWN : Object.freeze(own) };
}
