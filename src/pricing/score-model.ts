// A small score model: where a final score may end, as distributions of the margin (home − away) and of the total. All
// markets of a game are priced from the same two, so that moneyline, spreads and totals agree with each other.
import type { DrawRule } from '../domain/index.ts';
import { normalBelow } from './normal.ts';

/** How a bet on the first side of a line may end. A quarter line is half a bet on each of its neighbours. */
export type LineOutcome = {
  /** Shares of the stake that win, return and lose; they add up to 1. */
  readonly win: number;
  readonly push: number;
  readonly lose: number;
  /**
   * The probability at which neither side has an edge: win / (win + lose). A quote of the first side below it earns. NaN where
   * every score pushes.
   */
  readonly fair: number;
};

/** Distributions of whole numbers: `probabilities[i]` is that of `from + i`. */
export type Distribution = { readonly from: number; readonly probabilities: readonly number[] };

/** Prices of all full-time markets of one game. */
export class ScoreModel {
  /** Home's score less away's. */
  readonly margin: Distribution;
  /** Both scores together. */
  readonly total: Distribution;

  constructor(margin: Distribution, total: Distribution) {
    this.margin = margin;
    this.total = total;
  }

  /**
   * Who wins. A level score goes as the sport has it: it returns the stakes (`push`), is played on until somebody wins, each as
   * often as when it is not level (`impossible`), or loses both bets (`both-lose`: the two add up to less than 1).
   */
  moneyline(draw: DrawRule): { readonly home: number; readonly away: number } {
    const { win, lose } = outcomeOf(this.margin, 0);
    return draw === 'both-lose' ? { home: win, away: lose } : { home: win / (win + lose), away: lose / (win + lose) };
  }

  /** Home with its line added, in points, as a market's id has it: −3.5 wins by 4 or more. */
  spread(homeLine: number): LineOutcome {
    return lineOutcome(this.margin, 0 - homeLine);
  }

  /** Over this many points. */
  over(line: number): LineOutcome {
    return lineOutcome(this.total, line);
  }
}

/**
 * Two scores that do not know of each other, each Poisson: soccer, hockey (M. J. Maher, "Modelling association football scores",
 * Statistica Neerlandica 36, 1982). Their margin has the distribution of Skellam.
 * @param expected scores, above 0 and at most 300
 * @throws RangeError of others
 */
export function poissonScores(expected: { readonly home: number; readonly away: number }): ScoreModel {
  for (const mean of [expected.home, expected.away])
    if (!(mean > 0 && mean <= 300)) throw new RangeError(`expected a score above 0, at most 300: ${mean}`);
  const [home, away] = [poisson(expected.home), poisson(expected.away)];
  const margin = new Array<number>(home.length + away.length - 1).fill(0);
  const total = [...margin];
  home.forEach((pHome, h) => {
    away.forEach((pAway, a) => {
      const p = pHome * pAway;
      margin[h - a + away.length - 1] = (margin[h - a + away.length - 1] ?? 0) + p;
      total[h + a] = (total[h + a] ?? 0) + p;
    });
  });
  return new ScoreModel({ from: 1 - away.length, probabilities: margin }, { from: 0, probabilities: total });
}

/**
 * Margin and total, each normal and rounded to whole points: basketball, football (H. S. Stern, "On the probability of winning a
 * football game", The American Statistician 45, 1991, where margins of the NFL have a deviation of 13.86).
 * @param expected in points: the margin (home − away) and the total of both, and their standard deviations, above 0 and at most
 *   300
 * @throws RangeError of others
 */
export function normalScores(expected: {
  readonly margin: number;
  readonly total: number;
  readonly marginDeviation: number;
  readonly totalDeviation: number;
}): ScoreModel {
  const { margin, total, marginDeviation, totalDeviation } = expected;
  return new ScoreModel(rounded(margin, marginDeviation), rounded(total, totalDeviation));
}

/** What lies beyond is rarer than one in 10^15. */
const FAR = 8;

function rounded(mean: number, deviation: number): Distribution {
  if (!(deviation > 0 && deviation <= 300 && Math.abs(mean) <= 10_000))
    throw new RangeError(`expected a mean and a deviation in points: ${mean}, ${deviation}`);
  const from = Math.floor(mean - FAR * deviation);
  const length = Math.ceil(mean + FAR * deviation) - from + 1;
  const below = (x: number): number => normalBelow((x - mean) / deviation);
  const probabilities = Array.from({ length }, (_none, at) => below(from + at + 0.5) - below(from + at - 0.5));
  return { from, probabilities };
}

function poisson(mean: number): readonly number[] {
  const probabilities: number[] = [];
  const most = mean + 12 * Math.sqrt(mean) + 20;
  // in logarithms: e^−300 times a huge number would lose all digits
  let log = -mean;
  for (let score = 0; score <= most; score++) {
    probabilities.push(Math.exp(log));
    log += Math.log(mean / (score + 1));
  }
  return probabilities;
}

function lineOutcome(of: Distribution, line: number): LineOutcome {
  if (!Number.isInteger(line * 4)) throw new RangeError(`expected a line in quarters, such as 3.5: ${line}`);
  // a quarter line is half on each neighbour
  const lines = Number.isInteger(line * 2) ? [line] : [line - 0.25, line + 0.25];
  const parts = lines.map((one) => outcomeOf(of, one));
  const mean = (key: 'win' | 'push' | 'lose'): number => parts.reduce((sum, part) => sum + part[key], 0) / parts.length;
  const [win, push, lose] = [mean('win'), mean('push'), mean('lose')];
  return { win, push, lose, fair: win / (win + lose) };
}

function outcomeOf({ from, probabilities }: Distribution, line: number): Omit<LineOutcome, 'fair'> {
  let [win, push, lose] = [0, 0, 0];
  probabilities.forEach((p, at) => {
    const value = from + at;
    if (value > line) win += p;
    else if (value < line) lose += p;
    else push += p;
  });
  const all = win + push + lose;
  return { win: win / all, push: push / all, lose: lose / all };
}
