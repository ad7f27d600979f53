// Football: the NFL.
import { normalBelow } from '../../src/pricing/index.ts';
import { leftOf, NORMAL, OVERTIME, periodShare } from '../../src/pricing/sport-models.ts';
import type { Left } from '../../src/pricing/sport-models.ts';
import type { DataFolder } from './data.ts';
import type { FootballGame } from './football-games.ts';
import { footballGames, scoreAfter, wonBy } from './football-games.ts';
import { footballInPlay } from './football-in-play.ts';
import { footballByBook } from './football-by-book.ts';
import { footballQuarters, footballTotals } from './football-parts.ts';
import { fixed, list, percent, prose, table, whole } from './markdown.ts';
import { reliabilityPlot, svgOf } from './picture.ts';
import type { Shape } from './shape.ts';
import { deviationFor, Margins, normalShare, shareOf, weightsFor } from './shape.ts';
import type { SportPage } from './sport-page.ts';
import {
  binOf,
  differenceOf,
  bySeason,
  gainText,
  heldOut,
  holds,
  lossOf,
  lossOfEither,
  mean,
  rangeText,
  reliability,
  rms,
  seasonsOf,
} from './statistics.ts';

const { marginDeviation, totalDeviation, correlation, marginWeights } = NORMAL.football;
const SHIPPED: Shape = { deviation: marginDeviation, weights: marginWeights, draw: 'push' };
/** H. Stern, "On the probability of winning a football game", The American Statistician 45, 1991. */
const STERN = 13.86;
const LARGEST = 28;
const THRESHOLDS = [3, 7, 10, 14];
const FREQUENT = [1, 2, 3, 4, 6, 7, 8, 10, 14, 17];
/** The share of 95 % intervals that miss. */
const CHANCE = 0.05;
const FAVOURITES = [2.5, 3, 3.5, 6.5, 7, 10];
const QUARTERS = ['q1', 'q2', 'q3', 'q4'] as const;

/** A plain normal distribution around the line. */
const plainLoss = (game: FootballGame, deviation: number): number =>
  lossOf(normalShare(game.margin, -game.line, deviation));

const shareOfSize = (games: readonly FootballGame[], size: number): number =>
  games.filter(({ margin }) => Math.abs(margin) === size).length / games.length;
/** How favourites by this line were priced, and how often they won. Level games count as a half. */
function favouriteRow(
  games: readonly FootballGame[],
  line: number,
  models: readonly Margins[],
): readonly (string | number)[] {
  const own = games.filter((game) => Math.abs(game.line) === line);
  const ofFavourite = (game: FootballGame, p: number): number => (game.line < 0 ? p : 1 - p);
  const said = (priceOf: (game: FootballGame) => number): string =>
    percent(mean(own.map((game) => ofFavourite(game, priceOf(game)))));
  return [
    line,
    whole(own.length),
    said(({ moneyline }) => moneyline),
    ...models.map((model) => said((game) => model.gridOf(game).moneyline('home').fair)),
    said(({ margin }) => wonBy(margin)),
  ];
}

const leftText = ({ mean: share, lead, variance }: Left): string =>
  `${fixed(share, 2)}; ${fixed(lead, 2)}; ${fixed(variance, 2)}`;

export function football(data: DataFolder): SportPage {
  const games = footballGames(data);
  const seasons = seasonsOf(games);
  const margins = new Margins(SHIPPED);
  const shipped = games.map((game) => margins.lossOf(game));
  const plain = heldOut(games, (others) => rms(others.map(({ margin, line }) => margin + line)), plainLoss);
  const shapes = heldOut(
    games,
    (others) => new Margins(weightsFor(others, { deviation: marginDeviation, draw: 'push' }, LARGEST)),
    (game, fitted) => fitted.lossOf(game),
  );
  const deviations = bySeason(games, (own) => deviationFor(own, SHIPPED)).map(({ value }) => value);
  const ownDeviation = heldOut(
    games,
    (others) => new Margins({ ...SHIPPED, deviation: deviationFor(others, SHIPPED) }),
    (game, fitted) => fitted.lossOf(game),
  );
  const inPlay = footballInPlay(games);
  const wideDeviation = Number(deviationFor(games, SHIPPED).toFixed(1));
  const books = footballByBook(data, [marginDeviation, wideDeviation]);

  const wide = new Margins({ ...SHIPPED, deviation: wideDeviation });
  const winner = {
    market: games.map(({ moneyline, margin }) => lossOfEither(moneyline, wonBy(margin))),
    model: games.map((game) => lossOfEither(margins.gridOf(game).moneyline('home').fair, wonBy(game.margin))),
    wide: games.map((game) => lossOfEither(wide.gridOf(game).moneyline('home').fair, wonBy(game.margin))),
    stern: games.map(({ line, margin }) => lossOfEither(normalBelow(-line / STERN), wonBy(margin))),
  };
  const decided = games.filter(({ margin }) => margin !== 0);
  const moneyline = reliability(decided.map(({ moneyline: p, margin }) => ({ p, occurred: margin > 0 })));
  const bySpread = reliability(
    decided.map((game) => ({ p: margins.gridOf(game).moneyline('home').fair, occurred: game.margin > 0 })),
  );
  const away = THRESHOLDS.map((threshold) => ({
    threshold,
    events: games.flatMap((game) =>
      [1, -1].map((side) => {
        const price = margins.gridOf(game).spread(side * (0.5 - threshold));
        return { p: side === 1 ? price.win : price.lose, occurred: side * game.margin >= threshold };
      }),
    ),
  }));
  const total = footballTotals(games);
  const quarters = footballQuarters(games);
  const weights = bySeason(
    games,
    (own) => weightsFor(own, { deviation: marginDeviation, draw: 'push' }, LARGEST).weights,
  );
  const weightRange = (size: number): string =>
    rangeText(
      weights.map(({ value }) => value[size] ?? 0),
      2,
    );
  const offMarket = (fitted: Margins): number =>
    rms(games.map((game) => fitted.gridOf(game).moneyline('home').fair - game.moneyline));
  const thinTail = binOf(away[3]?.events ?? []);
  const wideText = `large margins are more frequent than the model says: a side won by 14 points or more in ${percent(thinTail.share)} of bets, said ${percent(thinTail.said)}. A deviation of ${fixed(wideDeviation, 1)} points with the same weights fits margins better, by ${gainText(ownDeviation, shipped)} thousandths with the deviation held out and the weights not. It also fits the spreads of 2025 by book better. It fits closing moneylines a little worse: ${fixed(100 * offMarket(margins), 1)} points r.m.s. from closing moneylines with ${marginDeviation}, ${fixed(100 * offMarket(wide), 1)} with ${fixed(wideDeviation, 1)}.`;
  const all = weightsFor(games, { deviation: marginDeviation, draw: 'push' }, LARGEST).weights;
  const said = FREQUENT.map((size) =>
    mean(games.map((game) => shareOf(margins.gridOf(game), size) + shareOf(margins.gridOf(game), -size))),
  );
  const overtime = games.filter((game) => scoreAfter(game, 4).margin === 0);
  const worst = away.flatMap(({ events }) => reliability(events)).filter((bin) => !holds(bin));
  const inPlayMisses = inPlay.bins.flat().filter((bin) => !holds(bin));
  const quarterShare = (index: number): string => percent(quarters[index]?.margin.share ?? 0, 0);

  return {
    sport: 'football',
    file: 'how-well-football.md',
    data: `${whole(games.length)} NFL games of ${seasons[0]}–${seasons.at(-1)} with closing lines`,
    moneyline,
    constants: [
      {
        name: 'deviation of the margin, with weights',
        shipped: String(marginDeviation),
        fitted: fixed(wideDeviation, 1),
        seasons: rangeText(deviations, 1),
        gain: `${gainText(ownDeviation, plain)} over a plain normal (weights not held out)`,
      },
      {
        name: 'weights of margins: of 3; of 7',
        shipped: `${marginWeights[3]}; ${marginWeights[7]}`,
        fitted: `${fixed(all[3] ?? 0, 2)}; ${fixed(all[7] ?? 0, 2)}`,
        seasons: `${weightRange(3)}; ${weightRange(7)}`,
        gain: `${gainText(shapes, plain)} over a plain normal`,
      },
      {
        name: 'deviation of the total',
        shipped: String(totalDeviation),
        fitted: fixed(total.fitted, 1),
        seasons: rangeText(total.seasons, 1),
        gain: `${total.gain} over a total without its line`,
      },
      {
        name: 'correlation of margin and total',
        shipped: String(correlation),
        fitted: fixed(total.correlation, 2),
        seasons: rangeText(total.correlations, 2),
        gain: 'not scored',
      },
      ...quarters.map((quarter, index) => {
        const part = periodShare('football', QUARTERS[index] ?? 'q1');
        return {
          name: `quarter ${index + 1}: share of the margin; of the total`,
          shipped: `${fixed(part?.mean ?? 0, 2)}; ${fixed(part?.total?.mean ?? 0, 2)}`,
          fitted: `${fixed(quarter.margin.share, 2)}; ${fixed(quarter.total.share, 2)}`,
          seasons: `${quarter.margins}; ${quarter.totals}`,
          gain: `${quarter.marginGain}; ${quarter.totalGain} over equal quarters`,
        };
      }),
      ...inPlay.rows.map((row) => ({
        name: `after quarter ${row.quarters}: margin left; lead that stays; variance left`,
        shipped: leftText(leftOf('football', 1 - row.quarters / 4)),
        fitted: leftText(row.fitted),
        seasons: `${row.seasons.mean}; ${row.seasons.lead}; ${row.seasons.variance}`,
        gain: `${row.gain} over plain Brownian motion (winner)`,
      })),
      ...inPlay.rows.map((row) => ({
        name: `after quarter ${row.quarters}: total left`,
        shipped: fixed(leftOf('football', 1 - row.quarters / 4).total.mean, 2),
        fitted: fixed(row.fitted.total.mean, 2),
        seasons: row.seasons.total,
        gain: `${row.totalGain} over the shares of the margin`,
      })),
    ],
    misfits: [
      { by: thinTail.share - thinTail.said, text: `Football: ${wideText}` },
      ...[worst, inPlayMisses].flatMap((bins, index) => {
        const [largest] = [...bins].sort((a, b) => differenceOf(b) - differenceOf(a));
        const where = index === 0 ? `Football, wins by ${THRESHOLDS.join(', ')} points or more` : 'Football in play';
        const count = (index === 0 ? away.map(({ events }) => reliability(events)) : inPlay.bins).flat().length;
        // a few bins are outside by chance
        if (largest === undefined || bins.length < 2 * CHANCE * count) return [];
        const text = `${where}: ${bins.length} of ${count} bins are outside their 95 % intervals. The worst says ${percent(largest.said)}, and ${percent(largest.share)} occurred.`;
        return [{ by: differenceOf(largest), text }];
      }),
    ],
    pictures: [
      {
        name: 'football-before.svg',
        svg: svgOf('reliability of football prices before the start', [
          reliabilityPlot('Home wins', [
            { name: 'closing moneyline', bins: moneyline },
            { name: 'model, from the closing spread', bins: bySpread },
          ]),
          ...[
            [0, 1],
            [2, 3],
          ].map((pair) =>
            reliabilityPlot(
              'Wins by so many points or more',
              pair.map((index) => ({
                name: `${away[index]?.threshold ?? 0} or more`,
                bins: reliability(away[index]?.events ?? []),
              })),
            ),
          ),
        ]),
      },
      { name: 'football-in-play.svg', svg: svgOf('reliability of football prices in play', inPlay.plots) },
    ],
    markdown: [
      '# How well the football prices fit',
      prose(`The data are ${whole(games.length)} games of the NFL, ${seasons[0]} to ${seasons.at(-1)}, with closing spread, total,
        moneyline and the score of each quarter. The shipped weights come from 3,537 games of 2011–25, so that these
        games are among them; held-out figures fit the named constant on all other seasons. Where it says so, and in play, the weights stay the shipped ones, which are not held out. Gains are in thousandths of log
        loss a game, with their standard error. [All sports](how-well.md).`),
      '## What does not fit',
      list([
        `The weights of margins differ from season to season: that of 3 is ${weightRange(3)}, that of 7 ${weightRange(7)}. A season has about ${fixed(games.length / seasons.length, 0)} games, too few for weights of its own.`,
        `${wideText.slice(0, 1).toUpperCase()}${wideText.slice(1)} The shipped deviation is that of the worked prices of the models; give \`marginDeviation\` to use another.`,
        `Quarters are not equal: the expected margin comes to ${quarterShare(0)} in the first quarter, ${quarterShare(1)} in the second, ${quarterShare(2)} in the third and ${quarterShare(3)} in the last. Each share has a standard error of two points.`,
        `Overtime: ${whole(overtime.length)} games were level after four quarters, and ${percent(overtime.filter(({ margin }) => margin === 0).length / overtime.length)} of them stayed level (model ${percent(OVERTIME.football.level)}). Its margin had a root mean square of ${fixed(rms(overtime.map(({ margin }) => margin)), 1)} points, the model ${fixed(marginDeviation * Math.sqrt(OVERTIME.football.variance), 1)} before its weights. The rules of overtime changed in these years.`,
        `In play, ${inPlayMisses.length} of ${inPlay.bins.flat().length} bins of the winner are outside their 95 % intervals, where ${fixed(CHANCE * inPlay.bins.flat().length, 1)} are by chance.`,
        'College football has no data here. It has the constants of the NFL, and no game ends level.',
      ]),
      '## Before the start',
      '![Reliability before the start](football-before.svg)',
      prose(`Bars are 95 % intervals. The dashed line is where prices are right.`),
      table(
        ['log loss', 'model', 'plain normal', 'gain'],
        [
          ['margin, shipped constants', fixed(mean(shipped), 3), fixed(mean(plain), 3), gainText(shipped, plain)],
          ['margin, weights held out', fixed(mean(shapes), 3), fixed(mean(plain), 3), gainText(shapes, plain)],
          [
            'winner by the closing spread, against Stern (13.86)',
            fixed(mean(winner.model), 4),
            fixed(mean(winner.stern), 4),
            gainText(winner.model, winner.stern),
          ],
          [
            'winner by the closing moneyline, against Stern (13.86)',
            fixed(mean(winner.market), 4),
            fixed(mean(winner.stern), 4),
            gainText(winner.market, winner.stern),
          ],
        ],
      ),
      table(
        ['margin of', ...FREQUENT.map(String)],
        [
          ['occurred', ...FREQUENT.map((size) => percent(shareOfSize(games, size)))],
          ['model', ...said.map((share) => percent(share))],
        ],
      ),
      table(
        ['a side wins by', 'bets', 'said', 'occurred', '95 % interval'],
        away.map(({ threshold, events }) => {
          const { count, said: p, share, low, high } = binOf(events);
          return [
            `${threshold} or more`,
            whole(count),
            percent(p),
            percent(share),
            `${percent(low)} to ${percent(high)}`,
          ];
        }),
      ),
      table(
        ['favourite by', 'games', 'closing moneyline', 'model', `model, σ ${fixed(wideDeviation, 1)}`, 'won'],
        FAVOURITES.map((line) => favouriteRow(games, line, [margins, wide])),
      ),
      '## Closes of 2025 by book',
      books,
      '## Quarters and totals',
      table(
        [
          'quarter',
          'share of the margin',
          'its deviation',
          'gain',
          'share of the total',
          'its deviation',
          'gain',
          'shipped shares',
        ],
        quarters.map((quarter, index) => {
          const part = periodShare('football', QUARTERS[index] ?? 'q1');
          return [
            index + 1,
            `${fixed(quarter.margin.share, 3)} (${quarter.margins})`,
            fixed(quarter.margin.deviation, 2),
            quarter.marginGain,
            `${fixed(quarter.total.share, 3)} (${quarter.totals})`,
            fixed(quarter.total.deviation, 2),
            quarter.totalGain,
            `${fixed(part?.mean ?? 0, 3)}; ${fixed(part?.total?.mean ?? 0, 3)}`,
          ];
        }),
      ),
      prose(`In brackets: from the lowest to the highest season. Gains are held out, over equal quarters. The last quarter has no
        overtime here.`),
      '## In play',
      '![Reliability in play](football-in-play.svg)',
      inPlay.markdown,
      prose(`In brackets: from the lowest to the highest season. The last two columns are held-out gains: of the winner over
        plain Brownian motion with even shares, and of the total over the shares of the margin.`),
      table(
        ['after quarter', 'said', 'occurred', '95 % interval', 'games'],
        inPlay.bins.flatMap((bins, index) =>
          bins.map(({ count, said: p, share, low, high }) => [
            index + 1,
            percent(p),
            percent(share),
            `${percent(low)} to ${percent(high)}`,
            whole(count),
          ]),
        ),
      ),
    ].join('\n\n'),
  };
}
