// The figures of a point: of the whole run, and game by game. Days are sums of games (src/sweep/days.ts): where
// the tapes of several days do not belong together, each was played by a new bot, else one run covers all.
import { eachPhase, phaseOf } from '../domain/index.ts';
import type { ScenarioRun } from '../backtest/index.ts';
import type { Command, GameId, Phase } from '../domain/index.ts';
import { NO_FACTS, scenarioFigures, sumsOf } from '../run/index.ts';
import { figureAt, pathsIn } from '../report/index.ts';
import type { Objective } from './objective.ts';
import { shareOf } from './objective.ts';
import type { GameOutcome, Played } from './outcome.ts';
import { isOfStrategy } from '../setup/index.ts';

/** Figures of the whole run that are not in the scenario of the report. */
const RESULT_FIGURES = [
  ...['fills', 'riskFilled', 'quotedShare', 'pnl.marked', 'pnl.settled', 'pnl.maxDrawdown', 'pnl.worst'],
  ...['orders.placed', 'orders.edited', 'orders.cancelled', 'orders.refused', 'orders.unknown'],
];

export class PointFigures {
  readonly #permits = eachPhase(() => new Map<GameId, number>());

  /**
   * Counts the place permits that the bot uses; a request with orders of several games is shared among them.
   */
  observe(commands: readonly Command[], phaseIn: (game: GameId) => Phase): void {
    for (const command of commands) {
      if (command.type === 'place')
        for (const { market } of command.orders)
          this.#count(market.gameId, phaseIn(market.gameId), 1 / command.orders.length);
      else if (command.type === 'edit') {
        const { gameId } = command.order.market;
        this.#count(gameId, phaseIn(gameId), 1);
      }
    }
  }

  #count(game: GameId, phase: Phase, permits: number): void {
    const permitsOf = this.#permits[phase];
    permitsOf.set(game, (permitsOf.get(game) ?? 0) + permits);
  }

  /** The result of a run. `seed`: seed of the random draws of the report. */
  outcome({ result, facts, fills, markets, errors }: ScenarioRun, objective: Objective, seed: number): Played {
    const byGame = Map.groupBy(fills, ({ gameId }) => gameId);
    const pnl = new Map<GameId, number>();
    for (const { gameId, settled, marked } of markets) pnl.set(gameId, (pnl.get(gameId) ?? 0) + (settled ?? marked));
    const { prematch, inplay } = this.#permits;
    const ids = [...new Set([...byGame.keys(), ...prematch.keys(), ...inplay.keys(), ...pnl.keys()])].sort();
    const games = ids.map((game): GameOutcome => {
      const inGame = byGame.get(game) ?? [];
      const sums = eachPhase((phase) => ({
        sums: sumsOf(inGame.filter((fill) => phaseOf(fill) === phase)),
        permits: rounded(this.#permits[phase].get(game) ?? 0),
      }));
      const [early, live] = [sums.prematch.sums, sums.inplay.sums];
      return {
        game,
        fills: inGame.length,
        pnl: Math.round(pnl.get(game) ?? 0),
        permits: rounded(sums.prematch.permits + sums.inplay.permits),
        earlyFills: early.fills,
        earlyKnown: early.edge.fills,
        earlyEdge: Math.round(early.edge.money),
        liveFills: live.fills,
        liveKnown: live.edge.fills,
        liveEdge: Math.round(live.edge.money),
        ...shareOf(objective, sums),
      };
    });
    return {
      status: 'played',
      figures: { ...figuresOf(resultFigures(result)), ...figuresOf(scenarioFigures(facts, seed)) },
      games,
      errors: [
        ...new Set(
          errors
            .filter(({ code }) => isOfStrategy(code) && code !== 'STRATEGY_COMPLETED')
            .map(({ code, text }) => `${code}: ${text}`),
        ),
      ],
    };
  }
}

const resultFigures = ({ fills, riskFilled, quotedShare, pnl, orders }: ScenarioRun['result']): unknown => ({
  fills,
  riskFilled,
  quotedShare,
  orders,
  pnl: { marked: pnl.marked, settled: pnl.settled ?? null, maxDrawdown: pnl.maxDrawdown, worst: pnl.worst },
});

const figuresOf = (all: unknown): Played['figures'] =>
  Object.fromEntries(pathsIn(all).map((path) => [path, figureAt(all, path) ?? null]));

/** Rounds shares of requests, to remove the noise of binary fractions. */
const rounded = (permits: number): number => Math.round(permits * 1e6) / 1e6;

/** Figures that are null as a whole when there are no fills, with the names of their parts. */
const NULL_WITHOUT_FILLS: Readonly<Record<string, readonly string[]>> = {
  'scores.fair': ['brier', 'logLoss'],
  'scores.close': ['brier', 'logLoss'],
  'scores.difference': ['brier', 'error'],
};

const BY_PHASE = /^(?:phases\.\w+\.)?/;

/**
 * Names of all figures, taken from a run without fills, so that an objective can be checked before any point
 * is played.
 */
export const FIGURES: readonly string[] = [
  ...RESULT_FIGURES,
  ...pathsIn(scenarioFigures(NO_FACTS, 1)).flatMap(
    (path) => NULL_WITHOUT_FILLS[path.replace(BY_PHASE, '')]?.map((part) => `${path}.${part}`) ?? [path],
  ),
];
