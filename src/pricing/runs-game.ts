// Baseball: both scores are negative binomial. Home does not bat in the ninth inning when it leads, and stops
// when it takes the lead there or later.
import type { GoalsGame } from './goals-game.ts';
import { Goals, counts } from './goals-game.ts';
import type { ScoreGrid } from './score-grid.ts';

export type RunsGame = GoalsGame & {
  /** Of the negative binomial scores: variance = mean + mean² / r. */
  readonly r: number;
};

/**
 * The endings of games that were counted. `notBatted`: of home's leads of two and more, the share that is one
 * run smaller. `longer`: of the leads of 1, 2, … after extra innings, the share that is a run larger.
 */
export type Endings = {
  readonly notBatted: number;
  readonly longer: { readonly home: number; readonly away: number };
};

/** Of a part of a game, or for want of counts. */
export const NO_ENDINGS: Endings = { notBatted: 0, longer: { home: 0, away: 0 } };

/** The end of a game adds this share of its runs, on average. Means are those of final scores. */
const ADDED = 0.011;

export function runsGrid(game: RunsGame, { notBatted, longer }: Endings): ScoreGrid {
  const scale = game.draw === 'impossible' ? 1 - ADDED : 1;
  const [home, away] = [game.home * scale, game.away * scale];
  const runs = new Goals(game, negativeBinomial(home, game.r), negativeBinomial(away, game.r));
  runs.shrinkLeads(notBatted);
  if (game.draw === 'impossible') runs.breakTies(longer);
  return runs.grid(game);
}

/** The probabilities of 0, 1, 2 … @throws RangeError when the mean or r is out of range */
export function negativeBinomial(mean: number, r: number): Float64Array {
  if (!(mean >= 0 && mean <= 300)) throw new RangeError(`expected a mean score of 0 to 300: ${mean}`);
  if (!(r > 0 && r <= 1000)) throw new RangeError(`expected r of a negative binomial score, 0 to 1000: ${r}`);
  const share = mean / (r + mean);
  return counts((1 - share) ** r, (score) => ((score + r) / (score + 1)) * share, mean);
}
