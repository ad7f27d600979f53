// Builds the view of a market for one strategy: the common book, and the strategy's own offers and fills; for a
// strategy of whole games also the other markets of the game, and its prices. These parts are made when they are
// read.
import type { Game, GameId, Ladder, Market, Side, StrategyId } from '../domain/index.ts';
import type { Freshness } from '../mirror/index.ts';
import type { Account, OwnOrder } from '../account/index.ts';
import { sideIndex, withLast } from '../domain/index.ts';
import { remainingOf } from '../account/index.ts';
import type { GameModel } from '../pricing/index.ts';
import type { GameModels } from '../strategy/host/index.ts';
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
export type GameViewParts = {
  readonly models: GameModels;
  readonly gameOf: (id: GameId) => Game | undefined;
  /** Subscribes the running strategy to what the model of a game stands on. */
  readonly subscribe: (id: GameId) => void;
  /** The quoted markets of a whole game and its parts, with books as last shown. */
  readonly openIn: (id: GameId) => Iterable<CommonBook>;
  /** What a game and all games may still lose. */
  readonly roomOf: (id: GameId) => GameView['room'];
  /** γ of `reserve` where a strategy gives none. */
  readonly gamma: () => number;
};

export class MarketViews {
  readonly #account: Account;
  readonly #signals: Signals;
  readonly #parts: GameViewParts;

  constructor(account: Account, signals: Signals, parts: GameViewParts) {
    this.#account = account;
    this.#signals = signals;
    this.#parts = parts;
  }

  /** The view of a whole game as a market of it changed. */
  gameViewOf(strategy: StrategyId, changed: CommonBook, time: number): GameView {
    const parts = this.#parts;
    const { game } = changed;
    const whole = game.parentGameId === undefined ? game : (parts.gameOf(game.parentGameId) ?? game);
    const priceOf = (market: Market, side: Side, gamma: number): number | undefined => {
      parts.subscribe(whole.id);
      const own = parts.gameOf(market.gameId);
      const model = own === undefined ? undefined : parts.models.tiltedOf(own, whole, gamma);
      return model === undefined ? undefined : fairOf(model, market, side);
    };
    const viewOf = (book: CommonBook): MarketView => this.viewOf(strategy, book, time);
    let markets: readonly MarketView[] | undefined;
    return {
      ...this.viewOf(strategy, changed, time),
      game: whole,
      get markets() {
        return (markets ??= [...parts.openIn(whole.id)].map(viewOf));
      },
      get distribution() {
        parts.subscribe(whole.id);
        return parts.models.modelOf(whole);
      },
      fair: (market, side) => priceOf(market, side, 0),
      reserve: (market, side, gamma = parts.gamma()) => priceOf(market, side, gamma),
      get room() {
        return parts.roomOf(whole.id);
      },
    };
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

/** The fair price of a bet. Undefined where the model says nothing of it. */
function fairOf(model: GameModel, { type, line = 0 }: Market, side: Side): number | undefined {
  if (type === 'moneyline') return known(model.moneyline(side === 'home' ? 'home' : 'away').fair);
  const { fair } = type === 'spread' ? model.spread(line) : model.total(line);
  return known(sideIndex(side) === 0 ? fair : 1 - fair);
}

const known = (p: number): number | undefined => (p > 0 && p < 1 ? p : undefined);

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
