// The score model of version 0.3, which `modelFor` replaces: it does not know how a level score ends, so a game
// that cannot end level has three prices for one event. Removed with the next version.
import type { DrawRule } from '../domain/index.ts';
import type { Distribution, LinePrice } from './line-price.ts';
import { normalBelow } from './normal.ts';

/**
 * The price of a line.
 * @deprecated use `LinePrice`
 */
export type LineOutcome = LinePrice;

type Probabilities = Omit<Distribution, 'probabilities'> & { readonly probabilities: readonly number[] };

/**
 * Prices all full-time markets of one game.
 * @deprecated use `modelFor`, which knows how a level score ends
 */
export class ScoreModel {
  /** The distribution of home's score minus away's score. */
  readonly margin: Probabilities;
  /** The distribution of the sum of both scores. */
  readonly total: Probabilities;

  /**
   * Builds a model of two distributions.
   * @param margin home's score minus away's score
   * @param total the sum of both scores
   */
  constructor(margin: Probabilities, total: Probabilities) {
    this.margin = margin;
    this.total = total;
  }

  /**
   * Prices the moneyline.
   * @param draw the sport's rule for a level score: stakes are returned (`push`), the game goes on until a
   *   team wins, each with its share of the decided games (`impossible`), or both bets lose (`both-lose`)
   * @returns the probability of each team. They add up to 1, or to less with `both-lose`
   */
  moneyline(draw: DrawRule): {
    /** The probability of home. */
    readonly home: number;
    /** The probability of away. */
    readonly away: number;
  } {
    const { win, lose } = outcomeOf(this.margin, 0);
    return draw === 'both-lose' ? { home: win, away: lose } : { home: win / (win + lose), away: lose / (win + lose) };
  }

  /**
   * Prices a spread.
   * @param homeLine home's line in points, as in a market's id: at −3.5 home must win by 4 or more
   * @returns the outcome of a bet on home
   * @throws RangeError when the line is not a multiple of 0.25
   */
  spread(homeLine: number): LineOutcome {
    return lineOutcome(this.margin, 0 - homeLine);
  }

  /**
   * Prices the over of a total.
   * @param line the line of the total, points
   * @returns the outcome of a bet on the over
   * @throws RangeError when the line is not a multiple of 0.25
   */
  over(line: number): LineOutcome {
    return lineOutcome(this.total, line);
  }
}

/**
 * Builds a model of two independent Poisson scores, as in soccer and hockey (M. J. Maher, "Modelling
 * association football scores", Statistica Neerlandica 36, 1982). The margin has a Skellam distribution.
 * @param expected the mean score of each team, above 0 and at most 300
 * @returns the model
 * @deprecated use `modelFor('soccer', …)` or `modelFor('hockey', …)`
 * @example poissonScores({ home: 1.6, away: 1.1 }).moneyline('both-lose')
 * @throws RangeError when a mean is out of range
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
 * Builds a model with a normal margin and a normal total, both rounded to whole points, as in basketball and
 * football (H. S. Stern, "On the probability of winning a football game", The American Statistician 45, 1991,
 * where NFL margins have a standard deviation of 13.86).
 * @param expected in points: the margin (home − away) and the total of both, and their standard deviations,
 *   above 0 and at most 300
 * @returns the model
 * @deprecated use `modelFor('basketball', …)` or `modelFor('football', …)`
 * @example normalScores({ margin: 3, total: 224, marginDeviation: 13, totalDeviation: 18 }).spread(-3.5).fair
 * @throws RangeError when a value is out of range
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

/** Standard deviations kept on each side: values beyond have a probability below 10^-15. */
const FAR = 8;

function rounded(mean: number, deviation: number): Probabilities {
  if (!(deviation > 0 && deviation <= 300 && Math.abs(mean) <= 10_000))
    throw new RangeError(`expected a mean and a deviation in points: ${mean}, ${deviation}`);
  const from = Math.floor(mean - FAR * deviation);
  const length = Math.ceil(mean + FAR * deviation) - from + 1;
  const below = (x: number): number => normalBelow((x - mean) / deviation);
  const probabilities = Array.from({ length }, (_none, index) => below(from + index + 0.5) - below(from + index - 0.5));
  return { from, probabilities };
}

function poisson(mean: number): readonly number[] {
  const probabilities: number[] = [];
  const most = mean + 12 * Math.sqrt(mean) + 20;
  // logarithms, since e^−300 times a huge number would lose all digits
  let log = -mean;
  for (let score = 0; score <= most; score++) {
    probabilities.push(Math.exp(log));
    log += Math.log(mean / (score + 1));
  }
  return probabilities;
}

function lineOutcome(distribution: Probabilities, line: number): LineOutcome {
  if (!Number.isInteger(line * 4)) throw new RangeError(`expected a line in quarters, such as 3.5: ${line}`);
  // a quarter line is half a bet on each neighbouring line
  const lines = Number.isInteger(line * 2) ? [line] : [line - 0.25, line + 0.25];
  const parts = lines.map((half) => outcomeOf(distribution, half));
  const mean = (key: 'win' | 'push' | 'lose'): number => parts.reduce((sum, part) => sum + part[key], 0) / parts.length;
  const [win, push, lose] = [mean('win'), mean('push'), mean('lose')];
  return { win, push, lose, fair: win / (win + lose) };
}

function outcomeOf({ from, probabilities }: Probabilities, line: number): Omit<LineOutcome, 'fair'> {
  let [win, push, lose] = [0, 0, 0];
  probabilities.forEach((p, index) => {
    const value = from + index;
    if (value > line) win += p;
    else if (value < line) lose += p;
    else push += p;
  });
  const all = win + push + lose;
  return { win: win / all, push: push / all, lose: lose / all };
}
