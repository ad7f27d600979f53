// Sports with few goals: the mean scores of both teams that give the moneyline and the total of a game, and what a
// model with them says of its scores.
import { logit } from '../../src/domain/index.ts';
import type { ScoreGrid } from '../../src/pricing/score-grid.ts';
import { lossOf } from './statistics.ts';
import { shareOf } from './shape.ts';

/** A game with the fair prices of its moneyline and its total. */
export type PricedGoals = {
  /** Of home; where a draw loses both bets, its part of the games that have a winner. */
  readonly p: number;
  readonly totalLine: number;
  readonly over: number;
};

export type Means = { readonly home: number; readonly away: number };

const STEPS = 15;
const CLOSE = 1e-4;
const NUDGE = 1e-4;

/** The models of games whose means are solved, by the prices in hundredths. */
export class SolvedGames {
  readonly #build: (means: Means) => ScoreGrid;
  readonly #known = new Map<string, { readonly means: Means; readonly grid: ScoreGrid }>();

  constructor(build: (means: Means) => ScoreGrid) {
    this.#build = build;
  }

  modelOf(game: PricedGoals): { readonly means: Means; readonly grid: ScoreGrid } {
    const [p, over] = [game.p.toFixed(2), game.over.toFixed(2)];
    const key = `${p} ${game.totalLine} ${over}`;
    const known = this.#known.get(key) ?? this.#solved({ ...game, p: Number(p), over: Number(over) });
    this.#known.set(key, known);
    return known;
  }

  gridOf(game: PricedGoals): ScoreGrid {
    return this.modelOf(game).grid;
  }

  /** Newton's method in the logarithms of the total and of the ratio. */
  #solved({ p, totalLine, over }: PricedGoals): { readonly means: Means; readonly grid: ScoreGrid } {
    const valueAt = (total: number, ratio: number) => {
      const all = Math.exp(total);
      const home = all / (1 + Math.exp(-ratio));
      const means = { home, away: all - home };
      const grid = this.#build(means);
      const [wins, loses] = [grid.moneyline('home').win, grid.moneyline('away').win];
      return { means, grid, a: Math.log(wins / loses) - logit(p), b: logit(grid.over(totalLine).fair) - logit(over) };
    };
    let [total, ratio] = [Math.log(totalLine), logit(p) / 2];
    for (let step = 0; step < STEPS; step++) {
      const now = valueAt(total, ratio);
      if (Math.abs(now.a) + Math.abs(now.b) < CLOSE) return now;
      const [more, wider] = [valueAt(total + NUDGE, ratio), valueAt(total, ratio + NUDGE)];
      const [aTotal, bTotal] = [(more.a - now.a) / NUDGE, (more.b - now.b) / NUDGE];
      const [aRatio, bRatio] = [(wider.a - now.a) / NUDGE, (wider.b - now.b) / NUDGE];
      const all = aTotal * bRatio - aRatio * bTotal;
      total -= (now.a * bRatio - now.b * aRatio) / all;
      ratio -= (now.b * aTotal - now.a * bTotal) / all;
    }
    throw new Error(`no means give a moneyline of ${p} and over ${totalLine} of ${over}`);
  }
}

/** Log losses of what happened in a game. */
export const marginLoss = (grid: ScoreGrid, margin: number): number => lossOf(shareOf(grid, margin));
export const totalLoss = ({ total: { from, probabilities } }: ScoreGrid, total: number): number =>
  lossOf(probabilities[total - from] ?? 0);

/** How often a margin of each size from 1 on occurred, and what models said. */
export function marginSizes(
  games: readonly { readonly margin: number }[],
  gridOf: (index: number) => ScoreGrid,
  sizes: readonly number[],
): readonly { readonly size: number; readonly occurred: number; readonly said: number }[] {
  return sizes.map((size) => {
    let [occurred, said] = [0, 0];
    for (const [index, { margin }] of games.entries()) {
      if (Math.abs(margin) === size) occurred += 1 / games.length;
      const grid = gridOf(index);
      said += (shareOf(grid, size) + (size === 0 ? 0 : shareOf(grid, -size))) / games.length;
    }
    return { size, occurred, said };
  });
}
