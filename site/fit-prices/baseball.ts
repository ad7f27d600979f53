// Baseball: the MLB.
import type { Endings } from '../../src/pricing/runs-game.ts';
import { NO_ENDINGS, runsGrid } from '../../src/pricing/runs-game.ts';
import { RUNS } from '../../src/pricing/sport-models.ts';
import type { DataFolder } from './data.ts';
import { fairOfAmerican } from './data.ts';
import type { PricedGoals } from './goals.ts';
import { marginLoss, marginSizes, SolvedGames, totalLoss } from './goals.ts';
import { fixed, list, percent, prose, table, whole } from './markdown.ts';
import { reliabilityPlot, svgOf } from './picture.ts';
import type { SportPage } from './sport-page.ts';
import {
  binOf,
  bySeason,
  differenceOf,
  gainText,
  heldOut,
  holds,
  lowestBetween,
  mean,
  rangeText,
  reliability,
  rms,
  seasonsOf,
  sum,
} from './statistics.ts';

type Game = PricedGoals & {
  readonly season: number;
  readonly margin: number;
  readonly total: number;
  readonly runLine: number;
  /** The fair price of home at the run line. */
  readonly run: number | undefined;
};

/** Both sides at −110: the margin of a total, as one of its prices is in the file. */
const BOTH_SIDES = 2 * (110 / 210);
/** Candidates, evenly spaced in 1/r; 0 is Poisson. */
const INVERSES = [0, 0.08, 0.16, 0.24, 0.32, 0.4];
const SIZES = [1, 2, 3, 4, 5, 6];

function gamesOf(data: DataFolder): readonly Game[] {
  return data.rows('baseball').flatMap((row) => {
    const [home, away] = [row.number('home_score'), row.number('away_score')];
    const p = fairOfAmerican([row.number('home_close_ml'), row.number('away_close_ml')])?.[0];
    const [price, totalLine] = [row.number('close_ou_odds'), row.number('close_ou_line')];
    const over = (price > 0 ? 100 / (100 + price) : price / (price - 100)) / BOTH_SIDES;
    const isRight =
      home !== away && totalLine >= 5 && totalLine <= 15 && Math.abs(price) >= 100 && Math.abs(price) <= 150;
    if (p === undefined || p < 0.1 || p > 0.9 || !isRight || !Number.isInteger(home - away)) return [];
    const runLine = row.number('home_run_line');
    const run = fairOfAmerican([row.number('home_run_line_odds'), row.number('away_run_line_odds')])?.[0];
    const season = Number(row.text('date').slice(0, 4));
    // prices in steps of two points: fewer games to solve
    const rounded = { p: Math.round(p * 50) / 50, over: Math.round(over * 50) / 50 };
    return [{ ...rounded, totalLine, season, margin: home - away, total: home + away, runLine, run }];
  });
}

const solvedWith = (r: number, endings: Endings): SolvedGames =>
  new SolvedGames((means) =>
    runsGrid({ ...means, scored: { home: 0, away: 0 }, draw: 'impossible', hasTotal: true, r }, endings),
  );
const rOf = (inverse: number): number => 1 / Math.max(inverse, 0.001);

/** The endings under which margins of average games are as counted: the best of a few. */
function endingsFor(games: readonly Game[]): Endings {
  const counts = new Map<number, number>();
  for (const { margin } of games) counts.set(margin, (counts.get(margin) ?? 0) + 1);
  const average = (side: number): number => mean(games.map(({ margin, total }) => (total + side * margin) / 2));
  const means = { home: average(1), away: average(-1), scored: { home: 0, away: 0 } };
  const candidates = [0.1, 0.15, 0.2, 0.25, 0.3].flatMap((notBatted) =>
    [0, 0.1, 0.2, 0.3].flatMap((home) =>
      [0.4, 0.5, 0.6, 0.7].map((away): Endings => ({ notBatted, longer: { home, away } })),
    ),
  );
  const losses = candidates.map((endings) => {
    const grid = runsGrid({ ...means, draw: 'impossible', hasTotal: true, r: RUNS.r }, endings);
    return sum([...counts].map(([margin, count]) => count * marginLoss(grid, margin)));
  });
  return candidates[losses.indexOf(Math.min(...losses))] ?? RUNS.endings;
}

/** The wins by one run among all wins of a side. */
const byOne = (games: readonly Game[], side: number): number => {
  const won = games.filter(({ margin }) => margin * side > 0);
  return won.filter(({ margin }) => margin * side === 1).length / won.length;
};

export function baseball(data: DataFolder): SportPage {
  const games = gamesOf(data);
  const shipped = solvedWith(RUNS.r, RUNS.endings);
  const candidates = INVERSES.map((inverse) => ({ inverse, models: solvedWith(rOf(inverse), RUNS.endings) }));
  const lossesBy = new Map(
    candidates.map(({ inverse, models }) => [
      inverse,
      new Map(games.map((game) => [game, totalLoss(models.gridOf(game), game.total)])),
    ]),
  );
  const inverseFor = (own: readonly Game[]): number =>
    lowestBetween(
      INVERSES.map((inverse) => ({ x: inverse, y: mean(own.map((game) => lossesBy.get(inverse)?.get(game) ?? 0)) })),
    );
  const lossesOf = (models: SolvedGames) => ({
    margin: games.map((game) => marginLoss(models.gridOf(game), game.margin)),
    total: games.map((game) => totalLoss(models.gridOf(game), game.total)),
  });
  const [own, poisson, bare] = [
    lossesOf(shipped),
    lossesOf(solvedWith(rOf(0), NO_ENDINGS)),
    lossesOf(solvedWith(RUNS.r, NO_ENDINGS)),
  ];
  const fittedTotal = heldOut(
    games,
    (others) => solvedWith(rOf(Number(inverseFor(others).toFixed(2))), RUNS.endings),
    (game, models) => totalLoss(models.gridOf(game), game.total),
  );
  const fittedEndings = heldOut(
    games,
    (others) => solvedWith(RUNS.r, endingsFor(others)),
    (game, models) => marginLoss(models.gridOf(game), game.margin),
  );
  const moneyline = reliability(
    games.map(({ p, margin }) => ({ p, occurred: margin > 0 })),
    20,
  );
  const overs = games.filter(({ total, totalLine }) => total !== totalLine);
  const lined = games.flatMap((game) =>
    game.run !== undefined && Math.abs(game.runLine) === 1.5
      ? [
          {
            quoted: game.run,
            model: shipped.gridOf(game).spread(game.runLine).fair,
            occurred: game.margin > -game.runLine,
          },
        ]
      : [],
  );
  const byQuote = reliability(
    lined.map(({ quoted, occurred }) => ({ p: quoted, occurred })),
    20,
  );
  const byModel = reliability(
    lined.map(({ model, occurred }) => ({ p: model, occurred })),
    20,
  );
  const farTotals = [-3, -1.5, 1.5, 3].map((far) => ({
    far,
    bin: binOf(
      games.map((game) => {
        const line = Math.floor(game.totalLine) + 0.5 + far;
        const half = Number.isInteger(line) ? line + 0.5 : line;
        return { p: shipped.gridOf(game).over(half).fair, occurred: game.total > half };
      }),
    ),
  }));
  const sizes = marginSizes(games, (index) => shipped.gridOf(games[index] as Game), SIZES);
  const signed = [1, -1].map((side) => {
    const said = games.map((game) => {
      const grid = shipped.gridOf(game);
      const wins = grid.moneyline(side === 1 ? 'home' : 'away').win;
      const more = side === 1 ? grid.spread(-1.5).win : grid.spread(1.5).lose;
      return { wins, single: wins - more };
    });
    return mean(said.map(({ single }) => single)) / mean(said.map(({ wins }) => wins));
  });
  const singles = (side: number): string =>
    rangeText(
      bySeason(games, (season) => 100 * byOne(season, side)).map(({ value }) => value),
      1,
    );
  const seasons = seasonsOf(games);
  const misses = byModel.filter((bin) => !holds(bin));
  const farMisses = farTotals.filter(({ bin }) => !holds(bin));
  const fittedR = (season: readonly Game[]): number => rOf(inverseFor(season));
  const overShare = binOf(overs.map(({ total, totalLine, over }) => ({ p: over, occurred: total > totalLine })));

  return {
    sport: 'baseball',
    file: 'how-well-baseball.md',
    data: `${whole(games.length)} MLB games of ${seasons[0]}–${seasons.at(-1)} with closing lines`,
    moneyline,
    constants: [
      {
        name: 'r of the scores',
        shipped: String(RUNS.r),
        fitted: fixed(fittedR(games), 1),
        seasons: rangeText(
          bySeason(games, fittedR).map(({ value }) => value),
          1,
        ),
        gain: `${gainText(fittedTotal, poisson.total)} over Poisson (total)`,
      },
      {
        name: 'endings: wins by one run of home; of away',
        shipped: signed.map((share) => percent(share)).join('; '),
        fitted: [1, -1].map((side) => percent(byOne(games, side))).join('; '),
        seasons: `${singles(1)}; ${singles(-1)}`,
        gain: `${gainText(fittedEndings, bare.margin)} over none (margin)`,
      },
    ],
    misfits: farMisses.map(({ far, bin }) => ({
      by: differenceOf(bin),
      text: `Baseball, totals ${fixed(Math.abs(far), 1)} runs ${far > 0 ? 'above' : 'below'} the line: the over is said ${percent(bin.said)}, and ${percent(bin.share)} occurred.`,
    })),
    pictures: [
      {
        name: 'baseball.svg',
        svg: svgOf('reliability of baseball prices', [
          reliabilityPlot('Home wins', [{ name: 'closing moneyline', bins: moneyline }]),
          reliabilityPlot('Run line of 1.5', [
            { name: 'quoted', bins: byQuote },
            { name: 'model, from moneyline and total', bins: byModel },
          ]),
          {
            title: 'Margins of games',
            x: { label: 'margin, runs', ticks: SIZES },
            y: { label: 'share of games', ticks: [0, 0.1, 0.2, 0.3], format: (value) => percent(value, 0) },
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
    ],
    markdown: [
      '# How well the baseball prices fit',
      prose(`The data are ${whole(games.length)} games of the MLB, ${seasons[0]} to ${seasons.at(-1)}, with closing moneyline, run line and
        total. A total has one price in the file; its margin is taken as that of −110 on both sides. Moneyline and
        total of each game, in steps of two points, give its mean scores. Gains are in thousandths of log loss a game, with their standard
        error. [All sports](how-well.md).`),
      '## What does not fit',
      list([
        ...farMisses.map(
          ({ far, bin }) =>
            `Totals ${fixed(Math.abs(far), 1)} runs ${far > 0 ? 'above' : 'below'} the line: the over is said ${percent(bin.said)} and occurred ${percent(bin.share)} (${percent(bin.low)} to ${percent(bin.high)}).`,
        ),
        ...misses.map(
          ({ said, share, low, high, count }) =>
            `Run line: ${percent(said)} said by the model occurred ${percent(share)} (${percent(low)} to ${percent(high)}, ${whole(count)} games).`,
        ),
        `From moneyline and total the model is ${fixed(100 * rms(lined.map(({ quoted, model }) => quoted - model)), 1)} points r.m.s. from quoted run lines.`,
        `At its own line the over is said ${percent(overShare.said)} and occurred ${percent(overShare.share)} of games that did not push. The price of the under is not in the file, so the margin is a guess.`,
        `r by season alone is ${rangeText(
          bySeason(games, fittedR).map(({ value }) => value),
          1,
        )}: a season does not fix it.`,
        'Innings, first halves and in play have no data here.',
      ]),
      '## Reliability',
      '![Reliability and margins](baseball.svg)',
      prose('Bars are 95 % intervals. The dashed line is where prices are right.'),
      table(
        ['log loss', 'model', 'constants held out', 'without endings', 'Poisson'],
        [
          [
            'margin',
            fixed(mean(own.margin), 4),
            fixed(mean(fittedEndings), 4),
            fixed(mean(bare.margin), 4),
            fixed(mean(poisson.margin), 4),
          ],
          [
            'total',
            fixed(mean(own.total), 4),
            fixed(mean(fittedTotal), 4),
            fixed(mean(bare.total), 4),
            fixed(mean(poisson.total), 4),
          ],
        ],
      ),
      prose(`The margin gains ${gainText(own.margin, poisson.margin)} over Poisson, ${gainText(fittedEndings, bare.margin)} of it by the endings, held out. The
        total gains ${gainText(own.total, poisson.total)}.`),
      table(
        ['margin of', ...SIZES.map(String)],
        [
          ['occurred', ...sizes.map(({ occurred }) => percent(occurred))],
          ['model', ...sizes.map(({ said }) => percent(said))],
        ],
      ),
      table(
        ['over the line by', 'said', 'occurred', '95 % interval'],
        farTotals.map(({ far, bin: { said, share, low, high } }) => [
          fixed(far, 1),
          percent(said),
          percent(share),
          `${percent(low)} to ${percent(high)}`,
        ]),
      ),
      '## Constants by season',
      table(
        ['season', 'games', 'r', 'home wins by one', 'away wins by one', 'mean total'],
        bySeason(games, (season) => [
          whole(season.length),
          fixed(fittedR(season), 1),
          percent(byOne(season, 1)),
          percent(byOne(season, -1)),
          fixed(mean(season.map(({ total }) => total)), 2),
        ]).map(({ season, value }) => [season, ...value]),
      ),
    ].join('\n\n'),
  };
}
