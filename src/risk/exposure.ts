// Worst-case exposure by game, as the ledger knows it: positions, and every order that rests or may come to rest with
// all that may still fill. An edit in flight counts twice, old remaining and full new size (DESIGN rule 7).
import type {
  Game,
  GameId,
  Market,
  MarketExposure,
  MarketId,
  Micros,
  Position,
  Side,
} from '../domain/index.ts';
import { sideIndex, tieRuleOf, worstCaseOfGame } from '../domain/index.ts';

/** The ledger as risk sees it. */
export type ExposureSource = {
  readonly marketsOf: (gameId: GameId) => readonly Market[];
  readonly positionIn: (market: MarketId) => Position;
  readonly openIn: (market: MarketId) => Iterable<{ readonly side: Side; readonly remaining: Micros }>;
  readonly games: () => Iterable<GameId>;
  /** What may be lost in games that are not known. */
  readonly elsewhere: () => Micros;
};

/** The sport whose rules decide a level score: of a part of a game (a half, a player) they are not known. */
export const ruledBy = (game: Pick<Game, 'sport' | 'parentGameId'> | undefined): string =>
  game === undefined || game.parentGameId !== undefined ? '' : game.sport;

/** An order under consideration, not in the ledger yet. */
export type Proposed = { readonly market: Market; readonly side: Side; readonly risk: Micros };

export class Exposure {
  readonly #source: ExposureSource;
  readonly #worst = new Map<GameId, Micros>();

  constructor(source: ExposureSource) {
    this.#source = source;
  }

  /** Something of this game changed in the ledger. */
  forget(gameId: GameId): void {
    this.#worst.delete(gameId);
  }

  /** Worst outcome of a game: ≤ 0 is a loss. */
  worstOf(game: Pick<Game, 'id' | 'sport'>): Micros {
    const known = this.#worst.get(game.id);
    if (known !== undefined) return known;
    const worst = worstCaseOfGame(this.#exposures(game.id, []), tieRuleOf(game.sport));
    this.#worst.set(game.id, worst);
    return worst;
  }

  worstWith(game: Pick<Game, 'id' | 'sport'>, proposed: Proposed): Micros {
    return worstCaseOfGame(this.#exposures(game.id, [proposed]), tieRuleOf(game.sport));
  }

  /** The worst outcome of one market alone. */
  worstOfMarketWith(game: Pick<Game, 'id' | 'sport'>, proposed: Proposed): Micros {
    const exposures = this.#exposures(game.id, [proposed]);
    const own = exposures.filter(({ market }) => market.id === proposed.market.id);
    return worstCaseOfGame(own, tieRuleOf(game.sport));
  }

  /** The sum of the losses of the games that fit; a game that can only win counts 0. */
  worstOfGames(sportOf: (gameId: GameId) => string, fits: (gameId: GameId) => boolean): Micros {
    let sum = 0;
    for (const id of this.#source.games()) {
      if (!fits(id)) continue;
      // the sport is asked for only where it matters: this runs over all games for each order
      const worst = this.#worst.get(id) ?? this.worstOf({ id, sport: sportOf(id) });
      if (worst < 0) sum += worst;
    }
    return sum as Micros;
  }

  /** The sum of all games' losses, those that are not known included; without the game `besides`, if one is named. */
  totalWorst(sportOf: (gameId: GameId) => string, besides?: GameId): Micros {
    const known = this.worstOfGames(sportOf, (id) => id !== besides);
    return (known - this.#source.elsewhere()) as Micros;
  }

  #exposures(gameId: GameId, proposed: readonly Proposed[]): MarketExposure[] {
    const markets = new Map<MarketId, Market>();
    for (const one of this.#source.marketsOf(gameId)) markets.set(one.id, one);
    for (const one of proposed) markets.set(one.market.id, one.market);
    return [...markets.values()].map((market) => {
      const open: [number, number] = [0, 0];
      for (const order of this.#source.openIn(market.id)) open[sideIndex(order.side)] += order.remaining;
      for (const one of proposed) if (one.market.id === market.id) open[sideIndex(one.side)] += one.risk;
      return {
        market,
        position: this.#source.positionIn(market.id),
        openFirst: open[0] as Micros,
        openSecond: open[1] as Micros,
      };
    });
  }
}
