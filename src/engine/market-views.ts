// Builds the view of a market for one strategy: the common book, and the strategy's own offers and fills; for a
// strategy of whole games also the other markets of the game, and its prices. These parts are made when they are
// read.
import type { Game, GameId, Ladder, Market, Side, StrategyId } from '../domain/index.ts';
import type { Freshness } from '../mirror/index.ts';
import type { Account, OwnOrder } from '../account/index.ts';
import { withLast } from '../domain/index.ts';
import { remainingOf } from '../account/index.ts';
import type { GameScore } from '../pricing/index.ts';
import type { GameViewParts, MarketHistories } from '../strategy/host/index.ts';
import { peeking, withGame } from '../strategy/host/index.ts';
import type { AccountView, GameView, MarketView, OwnOffer, Signals, SideView } from '../strategy/index.ts';

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
  readonly histories: MarketHistories;
  /** Whether a strategy quotes a market, by its configuration. */
  readonly isWanted: (strategy: StrategyId, market: Market) => boolean;
  readonly accountView: AccountView;
  /** The score of a game in play, read through these signals. */
  readonly scoreIn: (game: Game, signals: Signals) => GameScore | undefined;
};

/** Whether a strategy quotes a market, by its configuration. */
export type IsWanted = (market: Market) => boolean;

export class MarketViews {
  readonly #account: Account;
  readonly #signals: Signals;
  readonly #parts: GameParts;

  constructor(account: Account, signals: Signals, parts: GameParts) {
    this.#account = account;
    this.#signals = signals;
    this.#parts = parts;
  }

  /**
   * The view of a whole game as a market of it changed.
   * @param trial in a trial, which must change nothing: the markets that the tried strategy wants
   */
  gameViewOf(strategy: StrategyId, changed: CommonBook, time: number, trial?: IsWanted): GameView {
    const isTrial = trial !== undefined;
    const isWanted = trial ?? ((market: Market) => this.#parts.isWanted(strategy, market));
    return withGame(this.viewOf(strategy, changed, time, isTrial), {
      ...this.#parts,
      marketsOf: (id) =>
        [...this.#parts.openIn(id)]
          .filter(({ game, market }) => this.#parts.wholeOf(game).id === id && isWanted(market))
          .map((book) => this.viewOf(strategy, book, time, isTrial)),
    });
  }

  /** `time`: wall clock of the input, Unix ms. `isTrial`: the view must change nothing. */
  viewOf(
    strategy: StrategyId,
    { game, market, others, freshness }: CommonBook,
    time: number,
    isTrial: boolean,
  ): MarketView {
    const history = this.#parts.histories.of(market);
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
      history: isTrial ? peeking(history) : history,
      account: this.#parts.accountView,
      score: () => this.#parts.scoreIn(game, this.#signals),
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
    const { rung, risk, key, status, sentT: sentAt } = order;
    own = withLast(own, { side, rung, risk, remaining: remainingOf(order), key, status, sentAt });
  }
  return { side, offers, freshness, own: own === undefined ? NO_OWN : Object.freeze(own) };
}
