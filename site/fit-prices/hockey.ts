// Hockey: the NHL.
import { modelFor } from '../../src/pricing/index.ts';
import { hockeyGrid } from '../../src/pricing/goals-game.ts';
import type { ScoreGrid } from '../../src/pricing/score-grid.ts';
import { EMPTY_NET, EMPTY_NET_OF_TWO } from '../../src/pricing/sport-models.ts';
import type { DataFolder } from './data.ts';
import type { Means } from './goals.ts';
import { SolvedGames } from './goals.ts';
import type { HockeyGame, HockeyResult } from './hockey-games.ts';
import { hockeyGames, hockeyResults } from './hockey-games.ts';
import { fixed, list, percent, prose, table, whole } from './markdown.ts';
import { reliabilityPlot, svgOf } from './picture.ts';
import { shareOf } from './shape.ts';
import type { SportPage } from './sport-page.ts';
import {
  binOf,
  bySeason,
  differenceOf,
  gainText,
  heldOut,
  holds,
  lossOf,
  lowestBetween,
  mean,
  rangeText,
  reliability,
  rms,
  sum,
} from './statistics.ts';

/** Candidates for the ratio of the shares of two-goal and one-goal leads that grow. */
const RATIOS = [0, 0.4, 0.8, 1.2, 1.6, 2, 2.4, 2.8, 3.2];
const SIZES = [1, 2, 3, 4, 5, 6];
/** Two shares of one-goal leads, between which the quoted one is found. */
const [FEW, MANY] = [0.1, 0.3];

const solvedWith = (share: number, ratio: number): SolvedGames =>
  new SolvedGames((means: Means): ScoreGrid => {
    const game = { ...means, scored: { home: 0, away: 0 }, draw: 'impossible', hasTotal: true } as const;
    return hockeyGrid(game, { one: share, two: Math.min(share * ratio, 1) });
  });

/** Leads of two stay as they are. */
const FORMER = solvedWith(EMPTY_NET, 0);
/** How far a quoted puck line is above the model's, for the side that gives goals. */
const puckAbove = (models: SolvedGames, game: HockeyGame): number =>
  -Math.sign(game.puckLine) * (game.puck - models.gridOf(game).spread(game.puckLine).fair);
/** Quotes that contradict each other by more were taken in play. */
const CONTRADICTION = 0.05;

/** The probability of the size of a margin; a shoot-out wins by one. */
const sizeOf = (margin: number): number => Math.max(Math.abs(margin), 1);
const saidOf = (grid: ScoreGrid, size: number): number => shareOf(grid, size) + shareOf(grid, -size);

export function hockey(data: DataFolder): SportPage {
  const listed = hockeyGames(data);
  const games = listed.filter((game) => Math.abs(puckAbove(FORMER, game)) < CONTRADICTION);
  const { count, margins, priced } = hockeyResults(data, games);
  const shipped = solvedWith(EMPTY_NET, EMPTY_NET_OF_TWO);
  const plain = solvedWith(0, 0);
  const quoted = quotedShare();

  const above = (models: SolvedGames, own: readonly HockeyGame[]): readonly number[] =>
    own.map((game) => puckAbove(models, game));

  const lossWith = (models: SolvedGames, game: HockeyResult): number =>
    lossOf(saidOf(models.gridOf(game), sizeOf(game.margin)));
  // one season has results, so months take the place of seasons
  const months = priced.map((game) => ({ ...game, season: Number(game.day.slice(5, 7)) }));
  const candidates = RATIOS.map((ratio) => ({ ratio, models: solvedWith(EMPTY_NET, ratio) }));
  const ratioFor = (own: readonly HockeyResult[]): number =>
    lowestBetween(
      candidates.map(({ ratio, models }) => ({ x: ratio, y: mean(own.map((game) => lossWith(models, game))) })),
    );
  const losses = heldOut(
    months,
    (others) => solvedWith(EMPTY_NET, ratioFor(others)),
    (game, models) => lossWith(models, game),
  );
  const lossesOf = (models: SolvedGames): readonly number[] => months.map((game) => lossWith(models, game));
  const totalsOf = (models: SolvedGames): readonly number[] =>
    months.map((game) => {
      const { from, probabilities } = models.gridOf(game).total;
      // the goal of a shoot-out counts in totals
      return lossOf(probabilities[game.total + (game.margin === 0 ? 1 : 0) - from] ?? 0);
    });
  const decided = priced.filter(({ margin }) => margin !== 0);
  const moneyline = reliability(
    decided.map(({ p, margin }) => ({ p, occurred: margin > 0 })),
    10,
  );
  const puckEvents = priced.map((game) => ({
    game,
    model: shipped.gridOf(game).spread(game.puckLine).fair,
    occurred: game.margin > -game.puckLine,
  }));
  const puckModel = reliability(puckEvents.map(({ model, occurred }) => ({ p: model, occurred })));
  const puckQuoted = reliability(puckEvents.map(({ game, occurred }) => ({ p: game.puck, occurred })));
  const far = [2, 3, 4].map((goals) => ({
    goals,
    bin: binOf(
      priced.flatMap((game) =>
        [1, -1].map((side) => {
          const price = shipped.gridOf(game).spread((0.5 - goals) * side);
          return { p: side === 1 ? price.win : price.lose, occurred: side * game.margin >= goals };
        }),
      ),
    ),
  }));
  const sizes = SIZES.map((size) => {
    const saidBy = (models: SolvedGames): string =>
      percent(mean(priced.map((game) => saidOf(models.gridOf(game), size))));
    const share = (all: readonly number[]): string =>
      percent(all.filter((margin) => sizeOf(margin) === size).length / all.length);
    return {
      all: share(margins),
      priced: share(priced.map(({ margin }) => margin)),
      shipped: saidBy(shipped),
      former: saidBy(FORMER),
      plain: saidBy(plain),
    };
  });
  const level = margins.filter((margin) => margin === 0).length / margins.length;
  const { home, away } = averageMeans(priced, shipped);
  const regulation = modelFor('hockey', { home, away }).period('reg').moneyline('draw').win;
  const fourth = sizes[3];

  return {
    sport: 'hockey',
    file: 'how-well-hockey.md',
    data: `${whole(games.length)} NHL games of 2023–26 with prices at noon, ${whole(count)} results of 2025–26`,
    moneyline,
    constants: [
      {
        name: 'share of one-goal leads that become two',
        shipped: String(EMPTY_NET),
        fitted: fixed(quoted(games), 2),
        seasons: rangeText(
          bySeason(games, quoted).map(({ value }) => value),
          2,
        ),
        gain: `${fixed(100 * mean(above(plain, games)), 1)} points of the puck line under plain Poisson, now ${fixed(100 * mean(above(shipped, games)), 1)}`,
      },
      {
        name: 'leads of two grow so many times as often',
        shipped: String(EMPTY_NET_OF_TWO),
        fitted: fixed(ratioFor(priced), 1),
        seasons: `${rangeText(
          bySeason(months, ratioFor).map(({ value }) => value),
          1,
        )} (months)`,
        gain: `${gainText(losses, lossesOf(plain))} over plain Poisson (margin; months held out)`,
      },
    ],
    misfits: far
      .filter(({ bin }) => !holds(bin) || bin === far[0]?.bin)
      .map(({ goals, bin }) => ({
        by: differenceOf(bin),
        text: `Hockey: a side won by ${goals} goals or more in ${percent(bin.share)} of bets, said ${percent(bin.said)}.${goals === 2 ? ' Quoted puck lines and results disagree, and the model is between them.' : ''}`,
      })),
    pictures: [
      {
        name: 'hockey.svg',
        svg: svgOf('reliability of hockey prices', [
          reliabilityPlot('Home wins', [{ name: 'moneyline at noon', bins: moneyline }]),
          reliabilityPlot('Puck line of 1.5', [
            { name: 'quoted at noon', bins: puckQuoted },
            { name: 'model, from moneyline and total', bins: puckModel },
          ]),
          {
            title: 'Margins of games',
            x: { label: 'margin, goals', ticks: SIZES },
            y: { label: 'share of games', ticks: [0, 0.1, 0.2, 0.3, 0.4, 0.5], format: (value) => percent(value, 0) },
            series: [
              { name: 'occurred', drawn: 'points', points: pointsOf((size) => shareBy(priced, size)) },
              {
                name: 'model',
                drawn: 'line',
                points: pointsOf((size) => mean(priced.map((game) => saidOf(shipped.gridOf(game), size)))),
              },
              {
                name: 'leads of two stay',
                drawn: 'line',
                points: pointsOf((size) => mean(priced.map((game) => saidOf(FORMER.gridOf(game), size)))),
              },
            ],
          },
        ]),
      },
    ],
    markdown: [
      '# How well the hockey prices fit',
      prose(`The data are prices of two bookmakers at noon for ${whole(games.length)} games of the NHL, 2023 to January 2026, and ${whole(count)}
        results of 2025–26; ${whole(priced.length)} games have both. ${listed.length - games.length} games are left out, since their puck line and moneyline contradict each other by more than ${percent(CONTRADICTION, 0)}: prices in play. The results have no goal of a shoot-out, so a level score
        counts as a win by one. Gains are in thousandths of log loss a game, with their standard error.
        [All sports](how-well.md).`),
      '## What does not fit',
      list([
        `Quotes and results disagree at the puck line. The quotes say that ${percent(quoted(games), 0)} of one-goal leads become two. The model says ${percent(EMPTY_NET, 0)}, so that margins of two or more occur in ${percent(mean(priced.map((game) => 1 - saidOf(shipped.gridOf(game), 1))))} of games. They occurred in ${percent(priced.filter(({ margin }) => Math.abs(margin) >= 2).length / priced.length)}, with a standard error of ${fixed(100 * Math.sqrt(0.25 / priced.length), 1)} points: as if ${percent(resultShare(priced), 0)} of one-goal leads became two. The shipped ${percent(EMPTY_NET, 0)} lie between both.`,
        `Margins of four occurred in ${fourth?.priced ?? ''} of games, said ${fourth?.shipped ?? ''}, and those of five in ${sizes[4]?.priced ?? ''}, said ${sizes[4]?.shipped ?? ''}. A share of three-goal leads that grow would mend the first. ${whole(priced.length)} games are too few to fit it.`,
        `Level scores after regulation are not in the data. ${percent(level)} of games went to a shoot-out; the model says that ${percent(regulation)} are level after 60 minutes. Teams that are behind without a goalkeeper level some games, and the model does not know it: check prices of the regulation against a book before you quote them.`,
        'Results cover one season, so months replace seasons where constants are held out.',
        'Periods have no data here. Each has a third of the goals.',
      ]),
      '## Reliability',
      '![Reliability and margins](hockey.svg)',
      prose('Bars are 95 % intervals. The dashed line is where prices are right.'),
      table(
        ['margin of', ...SIZES.map(String)],
        [
          [`occurred, all ${whole(count)} results`, ...sizes.map(({ all }) => all)],
          [`occurred, ${whole(priced.length)} with prices`, ...sizes.map((size) => size.priced)],
          ['model', ...sizes.map((size) => size.shipped)],
          ['leads of two stay', ...sizes.map((size) => size.former)],
          ['plain Poisson', ...sizes.map((size) => size.plain)],
        ],
      ),
      table(
        ['a side wins by', 'said', 'occurred', '95 % interval'],
        far.map(({ goals, bin: { said, share, low, high } }) => [
          `${goals} or more`,
          percent(said),
          percent(share),
          `${percent(low)} to ${percent(high)}`,
        ]),
      ),
      table(
        ['log loss', 'model, months held out', 'leads of two stay', 'plain Poisson'],
        [
          ['margin', mean(losses), mean(lossesOf(FORMER)), mean(lossesOf(plain))],
          ['total', mean(totalsOf(shipped)), mean(totalsOf(FORMER)), mean(totalsOf(plain))],
        ].map(([what, ...values]) => [String(what), ...values.map((value) => fixed(Number(value), 4))]),
      ),
      prose(`The margin gains ${gainText(losses, lossesOf(FORMER))} over the rule without leads of two, and ${gainText(losses, lossesOf(plain))} over
        plain Poisson. The total gains ${gainText(totalsOf(shipped), totalsOf(plain))} over plain Poisson.`),
      '## Constants by season',
      table(
        [
          'season',
          'games',
          'share of one-goal leads by quoted puck lines',
          'puck line above plain Poisson',
          'above the model',
          'r.m.s.',
        ],
        bySeason(games, (own) => [
          whole(own.length),
          fixed(quoted(own), 3),
          `${fixed(100 * mean(above(plain, own)), 1)} points`,
          `${fixed(100 * mean(above(shipped, own)), 1)} points`,
          `${fixed(100 * rms(above(shipped, own)), 1)} points`,
        ]).map(({ season, value }) => [`${season}–${String(season + 1).slice(2)}`, ...value]),
      ),
      table(
        ['month of 2025–26', 'games', 'leads of two grow so many times as often'],
        bySeason(months, (own) => [whole(own.length), fixed(ratioFor(own), 1)]).map(({ season, value }) => [
          season,
          ...value,
        ]),
      ),
    ].join('\n\n'),
  };

  function pointsOf(share: (size: number) => number) {
    return SIZES.map((size) => ({ x: size, y: share(size) }));
  }
}

const shareBy = (games: readonly HockeyResult[], size: number): number =>
  games.filter(({ margin }) => sizeOf(margin) === size).length / games.length;

/** The share of one-goal leads at which the mean of quoted puck lines is that of the model: straight between two. */
function quotedShare(): (games: readonly HockeyGame[]) => number {
  const [few, many] = [solvedWith(FEW, EMPTY_NET_OF_TWO), solvedWith(MANY, EMPTY_NET_OF_TWO)];
  return (games) => {
    const meanAbove = (models: SolvedGames): number =>
      sum(
        games.map((game) => -Math.sign(game.puckLine) * (game.puck - models.gridOf(game).spread(game.puckLine).fair)),
      );
    const [low, high] = [meanAbove(few), meanAbove(many)];
    return FEW + ((MANY - FEW) * low) / (low - high);
  };
}

/** The share at which margins of one are as frequent as counted: straight between two. */
function resultShare(games: readonly HockeyResult[]): number {
  const [low = 0, high = 0] = [0, MANY].map((share) => {
    const models = solvedWith(share, EMPTY_NET_OF_TWO);
    return mean(games.map((game) => saidOf(models.gridOf(game), 1)));
  });
  return (MANY * (low - shareBy(games, 1))) / (low - high);
}

function averageMeans(games: readonly HockeyGame[], models: SolvedGames): Means {
  const means = games.map((game) => models.modelOf(game).means);
  return { home: mean(means.map(({ home }) => home)), away: mean(means.map(({ away }) => away)) };
}
