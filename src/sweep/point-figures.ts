// The figures of a point of a sweep, out of one run over all its games: of the whole, and game by game. Days are sums of games
// (src/sweep/days.ts); no run is made for a day alone, which would trade without what it carries from the day before.
import { eachPhase, phaseOf } from '../domain/index.ts';
import type { ScenarioRun } from '../backtest/index.ts';
import type { Command, GameId, Phase } from '../domain/index.ts';
import { NO_FACTS, scenarioFigures, sumsOf } from '../run/index.ts';
import { figureAt, pathsIn } from '../report/index.ts';
import type { Objective } from './objective.ts';
import { shareOf } from './objective.ts';
import type { GameOutcome, Played } from './outcome.ts';
import { isOfStrategy } from '../setup/index.ts';

/** What is told of a whole run beside the scenario of its report. */
const OF_RESULT = [
  ...['fills', 'riskFilled', 'quotedShare', 'pnl.marked', 'pnl.settled', 'pnl.maxDrawdown', 'pnl.worst'],
  ...['orders.placed', 'orders.edited', 'orders.cancelled', 'orders.refused', 'orders.unknown'],
];

export class PointFigures {
  readonly #permits = eachPhase(() => new Map<GameId, number>());

  /** What the bot asks for: a request with orders of several games is shared among them. */
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
    const of = this.#permits[phase];
    of.set(game, (of.get(game) ?? 0) + permits);
  }

  /** `seed`: of the draws of the report. */
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
      figures: { ...figuresOf(told(result)), ...figuresOf(scenarioFigures(facts, seed)) },
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

const told = ({ fills, riskFilled, quotedShare, pnl, orders }: ScenarioRun['result']): unknown => ({
  fills,
  riskFilled,
  quotedShare,
  orders,
  pnl: { marked: pnl.marked, settled: pnl.settled ?? null, maxDrawdown: pnl.maxDrawdown, worst: pnl.worst },
});

const figuresOf = (all: unknown): Played['figures'] =>
  Object.fromEntries(pathsIn(all).map((path) => [path, figureAt(all, path) ?? null]));

/** Shares of requests, without the noise of binary fractions. */
const rounded = (permits: number): number => Math.round(permits * 1e6) / 1e6;

/** Null as a whole where nothing was filled. */
const NULL_OF_NOTHING: Readonly<Record<string, readonly string[]>> = {
  'scores.fair': ['brier', 'logLoss'],
  'scores.close': ['brier', 'logLoss'],
  'scores.difference': ['brier', 'error'],
};

const BY_PHASE = /^(?:phases\.\w+\.)?/;

/** Of nothing: what may be asked for, as far as no point was played. */
export const FIGURES: readonly string[] = [
  ...OF_RESULT,
  ...pathsIn(scenarioFigures(NO_FACTS, 1)).flatMap(
    (path) => NULL_OF_NOTHING[path.replace(BY_PHASE, '')]?.map((part) => `${path}.${part}`) ?? [path],
  ),
];
