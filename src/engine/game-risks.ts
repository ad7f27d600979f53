// What each game with fills may bring, by the distribution of its score: for people, and for reports. Its models
// are apart from those of strategies and limits, so that reading it changes no decision.
import type { EventOf, Game, GameId, Market, Micros, Position } from '../domain/index.ts';
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
  /** By the distribution of the score. Undefined when nothing is known of it. */
  readonly byScore: ScoreRiskStatus | undefined;
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

type HeldPosition = { readonly market: Market; readonly position: Position };

export class GameRisks {
  readonly #ports: GameRiskPorts;

  constructor(ports: GameRiskPorts) {
    this.#ports = ports;
  }

  /** All games with fills that are not settled. */
  *all(): Iterable<GameRiskStatus> {
    for (const id of this.#ports.games()) {
      const game = this.#ports.gameOf(id);
      const held = [...this.#ports.positionsIn(id)];
      if (game !== undefined && held.length > 0) yield this.#statusOf(game, held);
    }
  }

  /** The worst result of what filled in a game, 0 or below. */
  worstOf(id: GameId): Micros {
    return this.#ports.worstOf(id);
  }

  /** What a game may bring now, with what that stands on. Undefined when nothing is filled. */
  measure(id: GameId): Omit<EventOf<'GameRisk'>, 'type' | 'game'> | undefined {
    const game = this.#ports.gameOf(id);
    const held = [...this.#ports.positionsIn(id)];
    if (game === undefined || held.length === 0) return undefined;
    const whole = this.#wholeOf(game);
    const model = this.#ports.models.modelOf(game, whole);
    const risk = model && gameRisk(model, betsOf(held, model));
    const worst = this.#ports.worstOf(id);
    const markets = held.map(({ market, position: { first, second, staked } }) => {
      return { market: market.id, first, second, staked };
    });
    if (model === undefined || risk === undefined) return { worst, markets };
    const { sport, parameters, state } = this.#ports.models.modelOf(whole) ?? model;
    const { period = 'full' } = game;
    const { draw } = model.grid;
    const micros = (dollars: number): Micros => Math.round(dollars * 1e6) as Micros;
    const { expected, deviation, quantile, shortfall } = risk;
    return {
      worst,
      markets,
      score: {
        source: this.#ports.models.sourceOf(whole),
        expected: micros(expected),
        deviation: micros(deviation),
        quantile: micros(quantile),
        shortfall: micros(shortfall),
        worst: micros(risk.worst),
        model: { sport, parameters: { ...parameters }, state: { ...state, draw }, period },
      },
    };
  }

  /** What a game brings over margin and total. Undefined when nothing is filled, or known of the score. */
  mapOf(id: GameId): PayoffMap | undefined {
    const game = this.#ports.gameOf(id);
    const model = game && this.#modelOf(game);
    const held = [...this.#ports.positionsIn(id)];
    return model === undefined || held.length === 0 ? undefined : payoffMap(model, betsOf(held, model));
  }

  #statusOf(game: Game, held: readonly HeldPosition[]): GameRiskStatus {
    const { id, eventName, league, start, live, period = 'full' } = game;
    return {
      gameId: id,
      game: eventName,
      league,
      start,
      live,
      period,
      markets: held.length,
      worst: dollarsOfMicros(this.#ports.worstOf(id)),
      byScore: this.#byScore(game, held),
    };
  }

  #byScore(game: Game, held: readonly HeldPosition[]): ScoreRiskStatus | undefined {
    const model = this.#modelOf(game);
    if (model === undefined) return undefined;
    const risk = gameRisk(model, betsOf(held, model));
    const source = this.#ports.models.sourceOf(this.#wholeOf(game));
    return risk && { ...risk, source, hurting: hurtingScores(risk, model) };
  }

  #modelOf(game: Game): GameModel | undefined {
    return this.#ports.models.modelOf(game, this.#wholeOf(game));
  }

  #wholeOf(game: Game): Game {
    return (game.parentGameId === undefined ? undefined : this.#ports.gameOf(game.parentGameId)) ?? game;
  }
}

const betsOf = (held: readonly HeldPosition[], { grid }: GameModel): readonly Holding[] =>
  held.flatMap((position) => holdingsOf(position, grid.draw));
