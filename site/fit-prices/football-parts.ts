// Football: totals of whole games, and the quarters.
import { NORMAL } from '../../src/pricing/sport-models.ts';
import type { FootballGame } from './football-games.ts';
import { normalShare } from './shape.ts';
import { bySeason, gainText, heldOut, lossOf, mean, rangeText, rms, slopeOf, sum } from './statistics.ts';

const offLine = (game: FootballGame): number => game.total - game.totalLine;
const deviationOf = (games: readonly FootballGame[]): number => rms(games.map(offLine));
function correlationOf(games: readonly FootballGame[]): number {
  const margins = games.map(({ margin, line }) => margin + line);
  return (
    sum(games.map((game, index) => offLine(game) * (margins[index] ?? 0))) /
    (games.length * deviationOf(games) * rms(margins))
  );
}

export function footballTotals(games: readonly FootballGame[]) {
  const withLine = heldOut(games, deviationOf, (game, deviation) =>
    lossOf(normalShare(game.total, game.totalLine, deviation)),
  );
  const withoutLine = heldOut(
    games,
    (others) => {
      const middle = mean(others.map(({ total }) => total));
      return { middle, deviation: rms(others.map(({ total }) => total - middle)) };
    },
    (game, { middle, deviation }) => lossOf(normalShare(game.total, middle, deviation)),
  );
  return {
    fitted: deviationOf(games),
    seasons: bySeason(games, deviationOf).map(({ value }) => value),
    correlation: correlationOf(games),
    correlations: bySeason(games, correlationOf).map(({ value }) => value),
    gain: gainText(withLine, withoutLine),
  };
}

type Part = { readonly share: number; readonly deviation: number };

/** Each quarter's share of the expected margin and of the closing total, and the deviations around them. */
export const footballQuarters = (games: readonly FootballGame[]) =>
  [0, 1, 2, 3].map((index) => {
    const lossOfPart =
      (key: 'margin' | 'total') =>
      (game: FootballGame, { share, deviation }: Part) =>
        lossOf(
          normalShare(
            game.quarters[index]?.[key] ?? 0,
            share * (key === 'margin' ? game.mean : game.totalLine),
            deviation,
          ),
        );
    const part =
      (key: 'margin' | 'total') =>
      (own: readonly FootballGame[]): Part => {
        const lines = own.map((game) => (key === 'margin' ? game.mean : game.totalLine));
        const scores = own.map(({ quarters }) => quarters[index]?.[key] ?? 0);
        const share = slopeOf(scores, lines);
        return { share, deviation: rms(scores.map((score, row) => score - share * (lines[row] ?? 0))) };
      };
    const gain = (key: 'margin' | 'total', deviation: number): string => {
      const equal = { share: 0.25, deviation: deviation / 2 };
      return gainText(
        heldOut(games, part(key), lossOfPart(key)),
        games.map((game) => lossOfPart(key)(game, equal)),
      );
    };
    const [margin, total] = [part('margin'), part('total')];
    const rangeOf = (fit: typeof margin): string =>
      rangeText(
        bySeason(games, fit).map(({ value }) => value.share),
        2,
      );
    const { marginDeviation, totalDeviation } = NORMAL.football;
    return {
      margin: margin(games),
      margins: rangeOf(margin),
      marginGain: gain('margin', marginDeviation),
      total: total(games),
      totals: rangeOf(total),
      totalGain: gain('total', totalDeviation),
    };
  });
