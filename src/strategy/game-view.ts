// What a strategy with `scope: 'game'` sees: the market that changed, and with it the whole game.
import type { Market, Micros, Side } from '../domain/index.ts';
import type { GameModel } from '../pricing/index.ts';
import type { MarketView } from './view.ts';

/** A view of a whole game. Its parts are made when they are read. */
export type GameView = MarketView & {
  /**
   * The quoted markets of the game and of its child games, as they are now. The market of this view is among
   * them.
   */
  readonly markets: readonly MarketView[];
  /**
   * The distribution of the score, by the odds feed (`signals.odds.model: fit`), else by the exchange's own
   * book. Undefined when nothing is known of it.
   */
  readonly distribution: GameModel | undefined;
  /**
   * The fair price of a bet by the distribution.
   * @param market a market of the game, or of a child game
   * @param side whose bet
   * @returns the probability of a win, of the bets that do not push. Undefined without a distribution.
   */
  readonly fair: (market: Market, side: Side) => number | undefined;
  /**
   * The price at which the account is indifferent to one more bet, given all that it holds in the game.
   * @param market a market of the game, or of a child game
   * @param side whose bet
   * @param gamma aversion to risk per dollar, as of `aversion`. Default: an even price moves by five points when
   * the difference held is `risk.maxGameLoss`
   * @returns a probability. Undefined without a distribution.
   */
  readonly reserve: (market: Market, side: Side, gamma?: number) => number | undefined;
  /** What the account may still lose within the limits, micro-dollars, 0 or more. */
  readonly room: {
    /** What fills in this game and its parts leave of `risk.maxGameLoss`. Open orders do not count here. */
    readonly game: Micros;
    /** What is left of `risk.maxTotalLoss`, open orders of all games included. */
    readonly total: Micros;
  };
};
