// Football after each quarter: what is left of margin and total, and how well it prices winners and totals.
import { normalGrid } from '../../src/pricing/normal-game.ts';
import type { Left } from '../../src/pricing/sport-models.ts';
import { leftOf, NORMAL, OVERTIME } from '../../src/pricing/sport-models.ts';
import type { FootballGame } from './football-games.ts';
import { scoreAfter, wonBy } from './football-games.ts';
import { fixed, table } from './markdown.ts';
import type { Plot } from './picture.ts';
import { reliabilityPlot } from './picture.ts';
import { normalShare } from './shape.ts';
import type { Bin } from './statistics.ts';
import {
  bySeason,
  gainText,
  heldOut,
  lossOf,
  lossOfEither,
  mean,
  rangeText,
  reliability,
  rms,
  slopeOf,
  slopesOf,
} from './statistics.ts';

const { marginDeviation, totalDeviation, correlation, marginWeights } = NORMAL.football;
const AFTER = [1, 2, 3];

/** What is left by regression of what is still to come on the closing lines and the lead. */
function leftIn(games: readonly FootballGame[], quarters: number): Left {
  const scores = games.map((game) => scoreAfter(game, quarters));
  const toCome = games.map((game, index) => game.margin - (scores[index]?.margin ?? 0));
  const means = games.map((game) => game.mean);
  const leads = scores.map(({ margin }) => margin);
  const [byMean, byLead] = slopesOf(toCome, means, leads);
  const rest = toCome.map((value, index) => value - byMean * (means[index] ?? 0) - byLead * (leads[index] ?? 0));
  const totals = games.map((game, index) => game.total - (scores[index]?.total ?? 0));
  const lines = games.map(({ totalLine }) => totalLine);
  const share = slopeOf(totals, lines);
  const spread = rms(totals.map((value, index) => value - share * (lines[index] ?? 0)));
  return {
    mean: byMean,
    variance: (rms(rest) / marginDeviation) ** 2,
    lead: 1 + byLead,
    total: { mean: share, variance: (spread / totalDeviation) ** 2 },
  };
}

/** The fair probability of home, as the model has it. */
function homeWins(game: FootballGame, lead: number, left: Left): number {
  const extra = OVERTIME.football;
  return normalGrid({
    margin: {
      mean: lead * left.lead + game.mean * left.mean,
      deviation: marginDeviation * Math.sqrt(left.variance),
    },
    total: undefined,
    correlation,
    marginWeights,
    overtime: {
      mean: game.mean * extra.mean,
      deviation: marginDeviation * Math.sqrt(extra.variance),
      level: extra.level,
    },
    draw: 'push',
  }).moneyline('home').fair;
}

/** The log loss of the last total. */
function totalLoss(game: FootballGame, scored: number, { mean: share, variance }: Left['total']): number {
  const deviation = totalDeviation * Math.sqrt(variance);
  return lossOf(normalShare(game.total - scored, share * game.totalLine, deviation));
}

export type FootballInPlay = {
  readonly markdown: string;
  readonly plots: readonly Plot[];
  readonly bins: readonly (readonly Bin[])[];
  /** After each quarter. */
  readonly rows: readonly {
    readonly quarters: number;
    readonly fitted: Left;
    readonly seasons: {
      readonly mean: string;
      readonly lead: string;
      readonly variance: string;
      readonly total: string;
    };
    readonly gain: string;
    readonly totalGain: string;
  }[];
};

export function footballInPlay(games: readonly FootballGame[]): FootballInPlay {
  const all = AFTER.map((quarters) => {
    const scores = new Map(games.map((game) => [game, scoreAfter(game, quarters)]));
    const leadOf = (game: FootballGame): number => scores.get(game)?.margin ?? 0;
    const scoredIn = (game: FootballGame): number => scores.get(game)?.total ?? 0;
    const fit = (others: readonly FootballGame[]): Left => leftIn(others, quarters);
    const evenly = 1 - quarters / 4;
    const even: Left = { mean: evenly, variance: evenly, lead: 1, total: { mean: evenly, variance: evenly } };
    const winnerLoss = (game: FootballGame, left: Left): number =>
      lossOfEither(homeWins(game, leadOf(game), left), wonBy(game.margin));
    const shipped = leftOf('football', evenly);
    // the shares of the margin, which totals had before
    const asMargin = { mean: shipped.mean, variance: shipped.variance };
    const seasons = bySeason(games, fit).map(({ value }) => value);
    return {
      quarters,
      fitted: fit(games),
      seasons: {
        mean: rangeText(
          seasons.map((left) => left.mean),
          2,
        ),
        lead: rangeText(
          seasons.map((left) => left.lead),
          2,
        ),
        variance: rangeText(
          seasons.map((left) => left.variance),
          2,
        ),
        total: rangeText(
          seasons.map((left) => left.total.mean),
          2,
        ),
      },
      gain: gainText(
        heldOut(games, fit, winnerLoss),
        games.map((game) => winnerLoss(game, even)),
      ),
      totalGain: gainText(
        heldOut(games, fit, (game, left) => totalLoss(game, scoredIn(game), left.total)),
        games.map((game) => totalLoss(game, scoredIn(game), asMargin)),
      ),
      loss: mean(games.map((game) => winnerLoss(game, shipped))),
      bins: reliability(
        games.flatMap((game) =>
          game.margin === 0 ? [] : [{ p: homeWins(game, leadOf(game), shipped), occurred: game.margin > 0 }],
        ),
      ),
      evenBins: reliability(
        games.flatMap((game) =>
          game.margin === 0 ? [] : [{ p: homeWins(game, leadOf(game), even), occurred: game.margin > 0 }],
        ),
      ),
    };
  });
  return {
    rows: all,
    bins: all.map(({ bins }) => bins),
    plots: all.map(({ quarters, bins, evenBins }) =>
      reliabilityPlot(`Home wins, after quarter ${quarters}`, [
        { name: 'model', bins },
        { name: 'plain Brownian motion', bins: evenBins },
      ]),
    ),
    markdown: table(
      [
        'after quarter',
        'margin left',
        'lead that stays',
        'variance left',
        'total left',
        'its variance',
        'winner',
        'total',
      ],
      all.map(({ quarters, fitted, seasons, gain, totalGain }) => [
        quarters,
        `${fixed(fitted.mean, 3)} (${seasons.mean})`,
        `${fixed(fitted.lead, 3)} (${seasons.lead})`,
        `${fixed(fitted.variance, 3)} (${seasons.variance})`,
        `${fixed(fitted.total.mean, 3)} (${seasons.total})`,
        fixed(fitted.total.variance, 3),
        gain,
        totalGain,
      ]),
    ),
  };
}
