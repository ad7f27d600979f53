// Games of the NFL as the files have them, without the rows that are wrong.
import { marginFor } from '../../src/pricing/index.ts';
import type { DataFolder } from './data.ts';
import { fairOfAmerican } from './data.ts';
import type { PricedMargin } from './shape.ts';

export type FootballGame = PricedMargin & {
  readonly season: number;
  readonly total: number;
  /** The closing total. */
  readonly totalLine: number;
  /** The parameter of the model at which the closing spread is fair. */
  readonly mean: number;
  /** The fair probability of home by the closing moneyline. */
  readonly moneyline: number;
  /** Margin and total of each quarter. */
  readonly quarters: readonly { readonly margin: number; readonly total: number }[];
};

const QUARTERS = ['1st', '2nd', '3rd', '4th'];

export function footballGames(data: DataFolder): readonly FootballGame[] {
  const means = new Map<number, number>();
  const meanAt = (line: number): number => {
    const known = means.get(line) ?? marginFor(0.5, line, { sport: 'football' });
    means.set(line, known);
    return known;
  };
  return data.rows('football').flatMap((row) => {
    const [line, totalLine] = [row.number('home_close_spread'), row.number('close_over_under')];
    const prices = [row.number('home_close_ml'), row.number('away_close_ml')];
    const moneyline = fairOfAmerican(prices)?.[0];
    // in some rows spread and total are exchanged, or the sign of the spread is wrong
    const isRight = Math.abs(line) <= 22 && totalLine >= 30 && totalLine <= 66 && Number.isInteger(line * 2);
    if (moneyline === undefined || !isRight) return [];
    if (Math.abs(line) > 2.5 && line < 0 !== (prices[0] ?? 0) < (prices[1] ?? 0)) return [];
    const [home, away] = [row.number('home_final'), row.number('away_final')];
    const quarters = QUARTERS.map((name) => {
      const [own, other] = [row.number(`home_${name}Qtr`), row.number(`away_${name}Qtr`)];
      return { margin: own - other, total: own + other };
    });
    const season = row.number('season');
    const scores = { margin: home - away, total: home + away };
    return [{ season, ...scores, line, p: 0.5, totalLine, mean: meanAt(line), moneyline, quarters }];
  });
}

/** Margin and total after so many quarters. */
export const scoreAfter = (game: FootballGame, quarters: number): { readonly margin: number; readonly total: number } =>
  game.quarters
    .slice(0, quarters)
    .reduce((sum, quarter) => ({ margin: sum.margin + quarter.margin, total: sum.total + quarter.total }), {
      margin: 0,
      total: 0,
    });

/** 1 where home won, a half where the game ended level. */
export const wonBy = (margin: number): number => (margin > 0 ? 1 : margin < 0 ? 0 : 0.5);
