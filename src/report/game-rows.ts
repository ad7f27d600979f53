// Each game of a run when it could lose most: figures, the scores that hurt, and what it brings over margin and total.
import type { GameId } from '../domain/index.ts';
import { marketOf } from '../domain/index.ts';
import type { GameModel, Holding, HurtingScores, ModelSport, ParametersOf, PayoffMap } from '../pricing/index.ts';
import { gameRisk, holdingsOf, hurtingScores, MODEL_SPORTS, modelFor, payoffMap } from '../pricing/index.ts';
import type { RiskPeak, ScoreFigures } from '../run/index.ts';
import { dollars, scoreFigures } from '../run/index.ts';

/** A game, or a part of one, with the fills with which it could lose most. Dollars; below 0 a loss. */
export type GameRow = ScoreFigures & {
  readonly gameId: GameId;
  /** Unix ms. */
  readonly t: number;
  /** The number of markets with a position. */
  readonly markets: number;
  /** At the worst score or void. */
  readonly worst: number;
};

/** A game that is drawn. */
export type DrawnGame = {
  readonly gameId: GameId;
  readonly hurting: readonly HurtingScores[];
  readonly map: PayoffMap;
};

/** The most games that are drawn. */
const MOST_DRAWN = 6;

/** All games with fills, the largest shortfall first. */
export const gameRows = (risks: readonly RiskPeak[]): readonly GameRow[] =>
  risks
    .map(({ game, t, markets, score, worst }) => ({
      gameId: game,
      t,
      markets: markets.length,
      ...scoreFigures(score, dollars),
      worst: dollars(worst),
    }))
    .sort((a, b) => (a.shortfall ?? a.worst) - (b.shortfall ?? b.worst));

/** The pictures of the games with the largest shortfall. */
export function drawnGames(risks: readonly RiskPeak[], rows: readonly GameRow[]): readonly DrawnGame[] {
  const byGame = new Map(risks.map((risk) => [risk.game, risk]));
  return rows.slice(0, MOST_DRAWN).flatMap(({ gameId }) => {
    const peak = byGame.get(gameId);
    const model = peak && modelOf(peak);
    if (peak === undefined || model === undefined) return [];
    const held = peak.markets.flatMap(({ market, ...position }): readonly Holding[] =>
      holdingsOf({ market: marketOf(market), position }, model.grid.draw),
    );
    const risk = gameRisk(model, held);
    return risk === undefined ? [] : [{ gameId, hurting: hurtingScores(risk, model), map: payoffMap(model, held) }];
  });
}

/** The model that an event describes. Undefined when it is none of this version. */
function modelOf({ score }: RiskPeak): GameModel | undefined {
  if (score === undefined) return undefined;
  const { parameters, state, period } = score.model;
  const sport = MODEL_SPORTS.find((known) => known === score.model.sport);
  if (sport === undefined) return undefined;
  try {
    const model = modelFor(sport, parameters as ParametersOf[ModelSport], state);
    return period === 'full' ? model : model.period(period, state['draw'] as GameModel['grid']['draw'] | undefined);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
