// What each game with fills may bring, by the distribution of its score: for people, and for reports. Its models
// are apart from those of strategies and limits, so that reading it changes no decision.
import type { EventOf, Game, GameId, HeldPosition, Micros, ScoreRisk } from '../domain/index.ts';
import { dollarsOfMicros } from '../domain/index.ts';
import type { GameModel, GameRisk, Holding, HurtingScores, PayoffMap } from '../pricing/index.ts';
import { gameRisk, holdingsOf, hurtingScores, payoffMap } from '../pricing/index.ts';
import type { GameModels } from '../strategy/host/index.ts';

/** What a game, or a part of one, may bring with what is filled now. Dollars; below 0 a loss. */
export type GameRiskStatus = {
  readonly gameId: GameId;
  readonly game: string;
  readonly league: string;
  /** Unix ms. */
  readonly start: number;
  readonly live: boolean;
  /** `full` for the whole game. */
  readonly period: string;
  /** The number of markets with a position. */
  readonly markets: number;
  /** The worst result of any score or void, as the limits count it without open orders. */
  readonly worst: number;
  /** By the distribution of the score. Undefined, as `map`, when nothing is known of it. */
  readonly byScore: ScoreRiskStatus | undefined;
  /** What it brings over margin and total. */
  readonly map: PayoffMap | undefined;
};

/** What a game may bring, by the distribution of its score. */
export type ScoreRiskStatus = Omit<GameRisk, 'hurting'> & {
  /** Where the distribution is from: the odds feed, or the exchange's own book. */
  readonly source: 'odds' | 'book';
  /** The scores that weigh most among the worst 5 %, worst first. */
  readonly hurting: readonly HurtingScores[];
};

export type GameRiskPorts = {
  readonly models: GameModels;
  readonly gameOf: (id: GameId) => Game | undefined;
  /** The games in which something filled. */
  readonly games: () => Iterable<GameId>;
  /** The account's positions in a game. */
  readonly positionsIn: (id: GameId) => Iterable<HeldPosition>;
  /** The worst result of what filled in a game, 0 or below. */
  readonly worstOf: (id: GameId) => Micros;
};

/** A game with fills, and what its distribution says of them where there is one. */
type Measured = {
  readonly game: Game;
  readonly held: readonly HeldPosition[];
  readonly worst: Micros;
  readonly byScore:
    { readonly model: GameModel; readonly bets: readonly Holding[]; readonly risk: GameRisk } | undefined;
};

export class GameRisks {
  readonly #ports: GameRiskPorts;

  constructor(ports: GameRiskPorts) {
    this.#ports = ports;
  }

  /** All games with fills that are not settled. */
  *all(): Iterable<GameRiskStatus> {
    for (const id of this.#ports.games()) {
      const measured = this.#measure(id);
      if (measured !== undefined) yield this.#statusOf(measured);
    }
  }

  /** The worst result of what filled in a game, 0 or below. */
  worstOf(id: GameId): Micros {
    return this.#ports.worstOf(id);
  }

  /** What a game may bring now, with what that stands on. Undefined when nothing is filled. */
  eventOf(id: GameId): EventOf<'GameRisk'> | undefined {
    const measured = this.#measure(id);
    if (measured === undefined) return undefined;
    const { game, held, worst, byScore } = measured;
    const markets = held.map(({ market, position: { first, second, staked } }) => {
      return { market: market.id, first, second, staked };
    });
    return {
      type: 'GameRisk',
      game: id,
      worst,
      markets,
      ...(byScore === undefined ? {} : { score: this.#scoreOf(game, byScore) }),
    };
  }

  #measure(id: GameId): Measured | undefined {
    const game = this.#ports.gameOf(id);
    const held = [...this.#ports.positionsIn(id)];
    if (game === undefined || held.length === 0) return undefined;
    const worst = this.#ports.worstOf(id);
    const model = this.#ports.models.modelOf(game);
    if (model === undefined) return { game, held, worst, byScore: undefined };
    const bets = held.flatMap((position) => holdingsOf(position, model.grid.draw));
    const risk = gameRisk(model, bets);
    return { game, held, worst, byScore: risk && { model, bets, risk } };
  }

  #scoreOf(game: Game, { model, risk }: NonNullable<Measured['byScore']>): ScoreRisk {
    const { models } = this.#ports;
    const { sport, parameters, state } = models.modelOf(models.baseOf(game)) ?? model;
    const { period = 'full' } = game;
    const { draw } = model.grid;
    return {
      source: models.sourceOf(game),
      expected: microsOf(risk.expected),
      deviation: microsOf(risk.deviation),
      quantile: microsOf(risk.quantile),
      shortfall: microsOf(risk.shortfall),
      worst: microsOf(risk.worst),
      model: { sport, parameters: { ...parameters }, state: { ...state, draw }, period },
    };
  }

  #statusOf({ game, held, worst, byScore }: Measured): GameRiskStatus {
    const { id, eventName, league, start, live, period = 'full' } = game;
    return {
      gameId: id,
      game: eventName,
      league,
      start,
      live,
      period,
      markets: held.length,
      worst: dollarsOfMicros(worst),
      byScore: byScore && {
        ...byScore.risk,
        source: this.#ports.models.sourceOf(game),
        hurting: hurtingScores(byScore.risk, byScore.model),
      },
      map: byScore && payoffMap(byScore.model, byScore.bets),
    };
  }
}

const microsOf = (dollars: number): Micros => Math.round(dollars * 1e6) as Micros;
