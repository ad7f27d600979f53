// Completes the view of a market to the view of its game. The parts are made when they are read.
import type { Game, GameId, Market, Side } from '../../domain/index.ts';
import { sideIndex } from '../../domain/index.ts';
import type { GameModel } from '../../pricing/index.ts';
import type { GameView } from '../game-view.ts';
import type { MarketView } from '../view.ts';
import type { GameModels } from './game-models.ts';

export type GameViewParts = {
  readonly models: GameModels;
  readonly gameOf: (id: GameId) => Game | undefined;
  /** The game of the view of a game: the whole one, unless each part stands alone. */
  readonly wholeOf: (game: Game) => Game;
  /** Subscribes the running strategy to what the model of a game stands on. */
  readonly subscribe: (game: Game) => void;
  /** Views of the quoted markets of a whole game and its parts. */
  readonly marketsOf: (id: GameId) => readonly MarketView[];
  /** What a game and all games may still lose. */
  readonly roomOf: (id: GameId) => GameView['room'];
  /** γ of `reserve` where a strategy gives none. */
  readonly gamma: () => number;
};

export function withGame(view: MarketView, parts: GameViewParts): GameView {
  const whole = parts.wholeOf(view.game);
  let isSubscribed = false;
  const subscribe = (): void => {
    if (!isSubscribed) parts.subscribe(view.game);
    isSubscribed = true;
  };
  const priceOf = (market: Market, side: Side, gamma: number): number | undefined => {
    subscribe();
    const own = parts.gameOf(market.gameId);
    const model = own === undefined ? undefined : parts.models.tiltedOf(own, gamma);
    return model === undefined ? undefined : fairOf(model, market, side);
  };
  let markets: readonly MarketView[] | undefined;
  return {
    ...view,
    game: whole,
    get markets() {
      return (markets ??= parts.marketsOf(whole.id));
    },
    get distribution() {
      subscribe();
      return parts.models.modelOf(whole);
    },
    fair: (market, side) => priceOf(market, side, 0),
    reserve: (market, side, gamma = parts.gamma()) => priceOf(market, side, gamma),
    get room() {
      return parts.roomOf(whole.id);
    },
  };
}

/** The fair price of a bet. Undefined where the model says nothing of it. */
function fairOf(model: GameModel, { type, line = 0 }: Market, side: Side): number | undefined {
  if (type === 'moneyline') return known(model.moneyline(side === 'home' ? 'home' : 'away').fair);
  const { fair } = type === 'spread' ? model.spread(line) : model.total(line);
  return known(sideIndex(side) === 0 ? fair : 1 - fair);
}

const known = (p: number): number | undefined => (p > 0 && p < 1 ? p : undefined);
