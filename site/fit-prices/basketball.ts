// Basketball: the NBA.
import { modelFor, normalBelow, normalQuantile } from '../../src/pricing/index.ts';
import { leftOf, NORMAL } from '../../src/pricing/sport-models.ts';
import type { Gain, Strengths } from './basketball-minutes.ts';
import {
  evenErrors,
  heldOutErrors,
  leftAfter,
  pathAt,
  pathsOf,
  powerFor,
  rateFor,
  slopeAt,
} from './basketball-minutes.ts';
import type { DataFolder } from './data.ts';
import { fairOfAmerican, winterSeason } from './data.ts';
import { fixed, list, percent, prose, table, whole } from './markdown.ts';
import { reliabilityPlot, svgOf } from './picture.ts';
import type { PricedMargin, Shape } from './shape.ts';
import { deviationFor, Margins, normalShare, shareOf, weightsFor } from './shape.ts';
import type { SportPage } from './sport-page.ts';
import {
  binOf,
  bySeason,
  gainText,
  heldOut,
  lossOf,
  mean,
  rangeText,
  reliability,
  rms,
  seasonsOf,
  slopeOf,
} from './statistics.ts';

type Game = PricedMargin & {
  readonly season: number;
  readonly total: number;
  readonly home: string;
  readonly away: string;
  /** The normal quantile of home's price. */
  readonly z: number;
};

const { marginDeviation, totalDeviation, correlation } = NORMAL.basketball;
const SHIPPED: Shape = { deviation: marginDeviation, weights: [], draw: 'impossible' };
const LARGEST = 20;
const SIZES = Array.from({ length: LARGEST }, (_none, index) => index + 1);
const THRESHOLDS = [3, 5, 10, 15];
const QUARTERS = [1, 2, 3];

function gamesOf(data: DataFolder): readonly Game[] {
  return data.rows('basketball').flatMap((row) => {
    const p = fairOfAmerican([row.number('home_ml'), row.number('away_ml')])?.[0];
    const [home, away] = [row.number('home_score'), row.number('away_score')];
    if (p === undefined || !Number.isInteger(home - away) || home === away) return [];
    const names = { home: row.text('home_name'), away: row.text('away_name') };
    const season = winterSeason(row.text('date'));
    return [{ ...names, season, margin: home - away, total: home + away, line: 0, p, z: normalQuantile(p) }];
  });
}

const slopeFor = (games: readonly Game[]): number =>
  slopeOf(
    games.map(({ margin }) => margin),
    games.map(({ z }) => z),
  );
const residualFor = (games: readonly Game[]): number => {
  const slope = slopeFor(games);
  return rms(games.map(({ margin, z }) => margin - slope * z));
};
/** Around the mean of the season, as the file has no lines of totals. */
const totalFor = (games: readonly Game[]): number => {
  const middle = mean(games.map(({ total }) => total));
  return rms(games.map(({ total }) => total - middle));
};

/** How much the expected margins of games vary: of all games, and of those of a team in a season. */
function strengthsOf(games: readonly Game[]): Strengths {
  const teams = new Map<string, number[]>();
  for (const { season, home, away, z } of games)
    for (const [name, value] of [
      [home, z],
      [away, -z],
    ] as const) {
      const key = `${season} ${name}`;
      teams.set(key, [...(teams.get(key) ?? []), value]);
    }
  const ofTeam = mean(
    [...teams.values()].map((values) => {
      const middle = mean(values);
      return mean(values.map((value) => (value - middle) ** 2));
    }),
  );
  return { all: mean(games.map(({ z }) => z * z)), ofTeam };
}

export function basketball(data: DataFolder): SportPage {
  const games = gamesOf(data);
  const seasons = seasonsOf(games);
  const margins = new Margins(SHIPPED);
  const shipped = games.map((game) => margins.lossOf(game));
  const bare = { weights: [], draw: 'impossible' } as const;
  const fitted = heldOut(
    games,
    (others) => new Margins({ ...bare, deviation: deviationFor(others, bare) }),
    (game, models) => models.lossOf(game),
  );
  const weighted = heldOut(
    games,
    (others) => new Margins(weightsFor(others, { deviation: marginDeviation, draw: 'impossible' }, LARGEST)),
    (game, models) => models.lossOf(game),
  );
  // neither the slope nor the residual of a regression gives the moneyline back
  const regressed = heldOut(
    games,
    (others) => ({ slope: slopeFor(others), deviation: residualFor(others) }),
    ({ margin, z }, { slope, deviation }) => lossOf(unlevelShare(margin, slope * z, deviation)),
  );
  const unpriced = heldOut(
    games,
    (others) => {
      const middle = mean(others.map(({ margin }) => margin));
      return { middle, deviation: rms(others.map(({ margin }) => margin - middle)) };
    },
    ({ margin }, { middle, deviation }) => lossOf(unlevelShare(margin, middle, deviation)),
  );
  const shape = weightsFor(games, { deviation: marginDeviation, draw: 'impossible' }, LARGEST);
  const weightedMargins = new Margins(shape);
  const moneyline = reliability(games.map(({ p, margin }) => ({ p, occurred: margin > 0 })));
  const far = THRESHOLDS.map((threshold) => ({
    threshold,
    events: games.flatMap((game) =>
      [1, -1].map((side) => {
        const price = margins.gridOf(game).spread(side * (0.5 - threshold));
        return { p: side === 1 ? price.win : price.lose, occurred: side * game.margin >= threshold };
      }),
    ),
  }));
  const sizes = SIZES.map((size) => ({
    size,
    occurred: games.filter(({ margin }) => Math.abs(margin) === size).length / games.length,
    said: mean(games.map((game) => shareOf(margins.gridOf(game), size) + shareOf(margins.gridOf(game), -size))),
  }));
  const between = (from: number, to: number, key: 'occurred' | 'said'): number =>
    sizes.filter(({ size }) => size >= from && size <= to).reduce((sum, row) => sum + row[key], 0);
  const even = { line: 0, p: 0.6 };
  const [moved] = [-3.5, -5.5, -7.5, -9.5]
    .map((line) => ({
      line,
      by: weightedMargins.gridOf(even).spread(line).fair - margins.gridOf(even).spread(line).fair,
    }))
    .sort((a, b) => Math.abs(b.by) - Math.abs(a.by));

  const paths = pathsOf(data);
  const strengths = strengthsOf(games);
  const rate = rateFor(marginDeviation);
  const gain: Gain = { rate, power: powerFor(paths, rate, strengths) };
  const evenly: Gain = { rate: 0, power: 1 };
  const teams = paths.map((_path, index) =>
    powerFor(
      paths.filter((_other, other) => other !== index),
      rate,
      strengths,
    ),
  );
  const errors = { held: rms(heldOutErrors(paths, rate, strengths)), even: rms(evenErrors(paths, strengths)) };
  const minutes = Array.from({ length: 49 }, (_none, minute) => minute);
  const leftRows = QUARTERS.map((quarter) => {
    const played = quarter / 4;
    const left = leftAfter(gain, played);
    const plainGain = { rate: 0, power: powerFor(paths, 0, strengths) };
    return { quarter, left, without: leftAfter(plainGain, played).mean, shipped: leftOf('basketball', 1 - played) };
  });
  const correlations = bySeason(games, (own) => {
    const [slope, middle] = [slopeFor(own), mean(own.map(({ total }) => total))];
    const product = mean(own.map(({ margin, z, total }) => (margin - slope * z) * (total - middle)));
    return product / residualFor(own) / totalFor(own);
  }).map(({ value }) => value);
  const safeLead = modelFor('basketball', { margin: 0, total: 220 }, { lead: 18, clock: 0.5 }).moneyline().fair;

  return {
    sport: 'basketball',
    file: 'how-well-basketball.md',
    data: `${whole(games.length)} NBA games of ${seasons[0]}–${(seasons.at(-1) ?? 0) + 1} with moneylines; win probabilities by minute of ${paths.length} teams, 2014–15 (FiveThirtyEight, CC BY 4.0)`,
    moneyline,
    constants: [
      {
        name: 'deviation of the margin',
        shipped: String(marginDeviation),
        fitted: fixed(deviationFor(games, bare), 1),
        seasons: rangeText(
          bySeason(games, (own) => deviationFor(own, bare)).map(({ value }) => value),
          1,
        ),
        gain: `${gainText(fitted, unpriced)} over a normal without prices`,
      },
      {
        name: 'residual of a regression on Φ⁻¹(p); its slope',
        shipped: `${marginDeviation}; none`,
        fitted: `${fixed(residualFor(games), 1)}; ${fixed(slopeFor(games), 1)}`,
        seasons: `${rangeText(
          bySeason(games, residualFor).map(({ value }) => value),
          1,
        )}; ${rangeText(
          bySeason(games, slopeFor).map(({ value }) => value),
          1,
        )}`,
        gain: `${gainText(regressed, fitted)} over the model`,
      },
      {
        name: 'deviation of the total (around the mean of a season)',
        shipped: String(totalDeviation),
        fitted: fixed(Math.max(...bySeason(games, totalFor).map(({ value }) => value)), 1),
        seasons: rangeText(
          bySeason(games, totalFor).map(({ value }) => value),
          1,
        ),
        gain: 'no lines of totals',
      },
      {
        name: 'correlation of margin and total',
        shipped: String(correlation),
        fitted: fixed(mean(correlations), 2),
        seasons: rangeText(correlations, 2),
        gain: 'not scored',
      },
      ...leftRows.map(({ quarter, left, shipped: own }) => ({
        name: `after quarter ${quarter}: margin left; lead that stays; variance left`,
        shipped: `${fixed(own.mean, 2)}; ${fixed(own.lead, 2)}; ${fixed(own.variance, 2)}`,
        fitted: `${fixed(left.mean, 2)}; ${fixed(left.lead, 2)}; ${fixed(left.variance, 2)}`,
        seasons: `one season; power ${rangeText(teams, 2)} without a team`,
        gain: 'paths of teams, not games',
      })),
    ],
    misfits: [
      {
        by: between(5, 9, 'occurred') - between(5, 9, 'said'),
        text: `Basketball: ${percent(between(5, 9, 'occurred'))} of games end by 5 to 9 points, said ${percent(between(5, 9, 'said'))}, and ${percent(between(1, 2, 'occurred'))} by 1 or 2, said ${percent(between(1, 2, 'said'))}. From the moneyline alone the model makes spreads of favourites too large.`,
      },
    ],
    pictures: [
      {
        name: 'basketball.svg',
        svg: svgOf('reliability of basketball prices', [
          reliabilityPlot('Home wins', [{ name: 'moneyline', bins: moneyline }]),
          reliabilityPlot(
            'Wins by so many points or more',
            far
              .slice(1, 3)
              .map(({ threshold, events }) => ({ name: `${threshold} or more`, bins: reliability(events) })),
          ),
          {
            title: 'Margins of games',
            x: { label: 'margin, points', ticks: [0, 5, 10, 15, 20] },
            y: { label: 'share of games', ticks: [0, 0.02, 0.04, 0.06, 0.08], format: (value) => percent(value, 0) },
            series: [
              {
                name: 'occurred',
                drawn: 'points',
                points: sizes.map(({ size, occurred }) => ({ x: size, y: occurred })),
              },
              { name: 'model', drawn: 'line', points: sizes.map(({ size, said }) => ({ x: size, y: said })) },
            ],
          },
        ]),
      },
      {
        name: 'basketball-in-play.svg',
        svg: svgOf(
          'win probabilities of teams by minute, as a part of the last one',
          [
            {
              title: 'Win probabilities of 30 teams by minute, 2014–15',
              x: { label: 'minute', ticks: [0, 12, 24, 36, 48] },
              y: { label: 'part of the last Φ⁻¹', ticks: [0, 0.25, 0.5, 0.75, 1] },
              series: [
                {
                  name: 'mean of the teams',
                  drawn: 'points',
                  points: minutes.map((minute) => ({ x: minute, y: slopeAt(paths, minute) })),
                },
                {
                  name: 'model',
                  drawn: 'line',
                  points: minutes.map((minute) => ({ x: minute, y: pathAt(gain, minute / 48, strengths) })),
                },
                {
                  name: 'evenly',
                  drawn: 'line',
                  points: minutes.map((minute) => ({ x: minute, y: pathAt(evenly, minute / 48, strengths) })),
                },
              ],
            },
          ],
          { width: 480, height: 320 },
        ),
      },
    ],
    markdown: [
      '# How well the basketball prices fit',
      prose(`The data are moneylines and scores of ${whole(games.length)} games of the NBA, ${seasons.length} seasons from ${seasons[0]} to
        ${(seasons.at(-1) ?? 0) + 1}. There are no spreads, no totals, no quarters. Gains are in thousandths of log loss a game, with their
        standard error. [All sports](how-well.md).`),
      '## What does not fit',
      list([
        `Margins have a shape. ${percent(between(5, 9, 'occurred'))} of games end by 5 to 9 points, said ${percent(between(5, 9, 'said'))}, and ${percent(between(1, 2, 'occurred'))} by 1 or 2, said ${percent(between(1, 2, 'said'))}: the side behind fouls at the end. Weights up to ${LARGEST} points, held out, gain ${gainText(weighted, shipped)} thousandths. They move the price of a favourite of 60 % by at most ${fixed(100 * Math.abs(moved?.by ?? 0), 1)} points, at ${fixed(moved?.line ?? 0, 1)}. The shipped model has none: it keeps the worked prices, and ten quoted lines of a captured game are within 1.1 points of the normal distribution.`,
        `The mean margin is ${fixed(slopeFor(games), 1)} Φ⁻¹(p) and the deviation around it ${fixed(residualFor(games), 1)} points. A normal distribution needs one number for both. So a model fitted to the moneyline alone makes the spread of a favourite too large: at 80 % it says ${fixed(marginDeviation * normalQuantile(0.8), 1)} points, and games give ${fixed(slopeFor(games) * normalQuantile(0.8), 1)}. Fit moneyline and spread together, and the deviation follows.`,
        `Totals have no lines in the data. Around the mean of a season their deviation is ${rangeText(
          bySeason(games, totalFor).map(({ value }) => value),
          1,
        )} points, which a line must lower: ${totalDeviation} is plausible, and not checked.`,
        'Quarters and halves have no data. Each quarter has a fourth of everything, and an overtime 5/48.',
        'In play the split between mean and variance is an assumption: see below.',
      ]),
      '## Before the start',
      '![Reliability and margins](basketball.svg)',
      prose('Bars are 95 % intervals. The dashed line is where prices are right. The model has the moneyline alone.'),
      table(
        ['log loss of the margin', '', 'gain over the shipped model'],
        [
          ['shipped', fixed(mean(shipped), 4), ''],
          ['deviation held out', fixed(mean(fitted), 4), gainText(fitted, shipped)],
          ['with weights, held out', fixed(mean(weighted), 4), gainText(weighted, shipped)],
          ['regression on Φ⁻¹(p), held out', fixed(mean(regressed), 4), gainText(regressed, shipped)],
          ['normal without prices, held out', fixed(mean(unpriced), 4), gainText(unpriced, shipped)],
        ],
      ),
      table(
        ['a side wins by', 'said', 'occurred', '95 % interval'],
        far.map(({ threshold, events }) => {
          const { said, share, low, high } = binOf(events);
          return [`${threshold} or more`, percent(said), percent(share), `${percent(low)} to ${percent(high)}`];
        }),
      ),
      table(
        ['season', 'games', 'deviation', 'slope', 'residual', 'deviation of the total'],
        bySeason(games, (own) => [
          whole(own.length),
          ...[deviationFor(own, bare), slopeFor(own), residualFor(own), totalFor(own)].map((value) => fixed(value, 1)),
        ]).map(({ season, value }) => [`${season}–${String(season + 1).slice(2)}`, ...value]),
      ),
      '## In play',
      '![Win probabilities by minute](basketball-in-play.svg)',
      prose(`FiveThirtyEight published the mean win probability of each team after each minute of 2014–15 (\`nba-winprobs\`, CC BY
        4.0). It knows score and clock, and not the teams: all paths begin at one half. The picture has Φ⁻¹ of it as a
        part of its last value, over all teams.`),
      prose(`What these paths identify is one number a minute: how much of its last advantage a team has by then, in deviations.
        They do not show how much is left of the variance, nor how much of a lead stays. These two follow the safe leads of
        Clauset, Kogan and Redner (2015): 18 points at half-time win in 95.5 %. If a lead shrinks at a constant rate, the rate is
        ${fixed(rate, 3)} a game. The model says ${percent(safeLead)}, and an even game ${percent(normalBelow(SAFE_EVEN))}.`),
      prose(`Then the paths give the share of its margin that a team has after a share u of the game: u to the power ${fixed(gain.power, 2)}
        (${rangeText(teams, 2)} when a team is left out). The error of a path, without its team, is ${fixed(errors.held, 4)} r.m.s., and
        ${fixed(errors.even, 4)} with even shares. This assumes that the published probabilities are right on average. If they are too
        cautious before the end, more of the margin comes early, up to even shares. In the last quarter the paths are below the curve, which speaks for that. With even variance and a lead that stays whole, the
        margin left would be as in the last column but one.`),
      table(
        [
          'after quarter',
          'margin left',
          'lead that stays',
          'variance left',
          'shipped',
          'margin left with even variance',
          'evenly',
        ],
        leftRows.map(({ quarter, left, shipped: own, without }) => [
          quarter,
          fixed(left.mean, 3),
          fixed(left.lead, 3),
          fixed(left.variance, 3),
          `${fixed(own.mean, 3)}; ${fixed(own.lead, 3)}; ${fixed(own.variance, 3)}`,
          fixed(without, 3),
          fixed(1 - quarter / 4, 2),
        ]),
      ),
    ].join('\n\n'),
  };
}

/** The quantile of a lead of 18 at half-time in a game where all comes evenly. */
const SAFE_EVEN = 18 / (marginDeviation * Math.sqrt(0.5));

/** The probability of a margin where no game ends level. */
const unlevelShare = (margin: number, middle: number, deviation: number): number =>
  normalShare(margin, middle, deviation) / (1 - normalShare(0, middle, deviation));
