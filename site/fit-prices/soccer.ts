// Soccer: the five large leagues of Europe.
import { soccerGrid } from '../../src/pricing/goals-game.ts';
import type { ScoreGrid } from '../../src/pricing/score-grid.ts';
import { periodShare, SOCCER_RHO } from '../../src/pricing/sport-models.ts';
import type { DataFolder } from './data.ts';
import { fairOfDecimal, winterSeason } from './data.ts';
import type { Means, PricedGoals } from './goals.ts';
import { SolvedGames, totalLoss } from './goals.ts';
import { fixed, list, percent, prose, table, whole } from './markdown.ts';
import { reliabilityPlot, svgOf } from './picture.ts';
import type { SportPage } from './sport-page.ts';
import type { Said } from './statistics.ts';
import {
  bySeason,
  differenceOf,
  gainText,
  heldOut,
  holds,
  lossOf,
  lowest,
  mean,
  median,
  rangeText,
  reliability,
  seasonsOf,
  slopeOf,
  sum,
} from './statistics.ts';

type Score = { readonly home: number; readonly away: number };
type Game = PricedGoals & {
  readonly season: number;
  readonly score: Score;
  readonly half: Score;
  readonly draw: number;
  /** Home, draw, away by the close. */
  readonly close: readonly number[];
};

const WAYS = ['home', 'draw', 'away'] as const;
const FIRST_HALF = periodShare('soccer', 'h1')?.mean ?? Number.NaN;
/** Two values of ρ, between which that of a quoted draw is found. */
const [LOW, HIGH] = [-0.15, 0];

function gamesOf(data: DataFolder): readonly Game[] {
  return data.rows('soccer').flatMap((row) => {
    const close = fairOfDecimal(['home_close', 'draw_close', 'away_close'].map((column) => row.number(column)));
    const over = fairOfDecimal([row.number('over_2.5_close'), row.number('under_2.5_close')])?.[0];
    const score = { home: row.number('FTHG'), away: row.number('FTAG') };
    const half = { home: row.number('HTHG'), away: row.number('HTAG') };
    const [home, draw, away] = close ?? [];
    const isScored = [...Object.values(score), ...Object.values(half)].every(Number.isInteger);
    if (close === undefined || home === undefined || draw === undefined || away === undefined) return [];
    if (over === undefined || !isScored) return [];
    const season = winterSeason(row.text('Date'));
    return [{ season, p: home / (home + away), totalLine: 2.5, over, score, half, draw, close }];
  });
}

const solvedWith = (rho: number): SolvedGames =>
  new SolvedGames((means) =>
    soccerGrid({ ...means, scored: { home: 0, away: 0 }, draw: 'both-lose', hasTotal: true }, rho),
  );

/** The correction of Dixon and Coles at a score. */
function correction({ home, away }: Score, means: Means, rho: number): number {
  if (home > 1 || away > 1) return 1;
  if (home === 0) return away === 0 ? 1 - means.home * means.away * rho : 1 + means.home * rho;
  return away === 0 ? 1 + means.away * rho : 1 - rho;
}

const wayOf = ({ home, away }: Score): (typeof WAYS)[number] => (home > away ? 'home' : home < away ? 'away' : 'draw');
const waysOf = (grid: ScoreGrid, score: Score): readonly Said[] =>
  WAYS.map((way) => ({ p: grid.moneyline(way).win, occurred: wayOf(score) === way }));
const waysLoss = (grid: ScoreGrid, score: Score): number => lossOf(grid.moneyline(wayOf(score)).win);

export function soccer(data: DataFolder): SportPage {
  const games = gamesOf(data);
  const shipped = solvedWith(SOCCER_RHO);
  const plain = solvedWith(0);
  const meansOf = new Map(games.map((game) => [game, shipped.modelOf(game).means]));
  const ofGame = (game: Game): Means => meansOf.get(game) ?? { home: Number.NaN, away: Number.NaN };

  const rhoFor = (own: readonly Game[]): number =>
    lowest((rho) => mean(own.map((game) => lossOf(correction(game.score, ofGame(game), rho)))), -0.2, 0.1, 0.002);
  const byRho = new Map<string, SolvedGames>();
  const solvedAt = (rho: number): SolvedGames => {
    const models = byRho.get(rho.toFixed(2)) ?? solvedWith(Number(rho.toFixed(2)));
    byRho.set(rho.toFixed(2), models);
    return models;
  };
  const heldOutWays = heldOut(games, rhoFor, (game, rho) => waysLoss(solvedAt(rho).gridOf(game), game.score));
  const ways = (models: SolvedGames): readonly number[] =>
    games.map((game) => waysLoss(models.gridOf(game), game.score));
  const market = games.map(({ close, score }) => lossOf(close[WAYS.indexOf(wayOf(score))] ?? 0));
  const totals = (models: SolvedGames): readonly number[] =>
    games.map((game) => totalLoss(models.gridOf(game), game.score.home + game.score.away));

  const [low, high] = [solvedWith(LOW), solvedWith(HIGH)];
  const quotedRho = new Map(
    games.map((game) => {
      const [few, many] = [high.gridOf(game).moneyline('draw').win, low.gridOf(game).moneyline('draw').win];
      return [game, HIGH + ((LOW - HIGH) * (game.draw - few)) / (many - few)];
    }),
  );
  const quoted = (own: readonly Game[]): number => median(own.map((game) => quotedRho.get(game) ?? Number.NaN));

  const halfGoals = ({ half }: Game): number => half.home + half.away;
  const shareFor = (own: readonly Game[]): number =>
    sum(own.map(halfGoals)) / sum(own.map(({ score }) => score.home + score.away));
  const halfLoss = (game: Game, share: number): number => {
    const expected = (ofGame(game).home + ofGame(game).away) * share;
    const goals = halfGoals(game);
    const factorial = Array.from({ length: goals }, (_none, index) => index + 1).reduce((product, n) => product * n, 1);
    return expected - goals * Math.log(expected) + Math.log(factorial);
  };
  const halves = heldOut(games, shareFor, halfLoss);
  const even = games.map((game) => halfLoss(game, 0.5));

  // at half-time, with what is left of the goals
  const later = new Map<string, ScoreGrid>();
  const atHalf = (game: Game): ScoreGrid => {
    const { home, away } = ofGame(game);
    const means = { home: home * (1 - FIRST_HALF), away: away * (1 - FIRST_HALF) };
    const key = `${means.home.toFixed(6)} ${means.away.toFixed(6)} ${game.half.home} ${game.half.away}`;
    const grid = later.get(key) ?? soccerGrid({ ...means, scored: game.half, draw: 'both-lose', hasTotal: true }, 0);
    later.set(key, grid);
    return grid;
  };
  const halfEvents = games.flatMap((game) => waysOf(atHalf(game), game.score));
  const before = games.flatMap((game) => waysOf(shipped.gridOf(game), game.score));
  const closing = games.flatMap(({ close, score }) =>
    close.map((p, index) => ({ p, occurred: wayOf(score) === WAYS[index] })),
  );
  const draws = [
    {
      name: 'closing odds',
      bins: reliability(
        games.map(({ draw, score }) => ({ p: draw, occurred: wayOf(score) === 'draw' })),
        25,
      ),
    },
    {
      name: 'model',
      bins: reliability(
        games.map((game) => ({
          p: shipped.gridOf(game).moneyline('draw').win,
          occurred: wayOf(game.score) === 'draw',
        })),
        25,
      ),
    },
  ];
  const [moneyline, byModel, byHalf] = [closing, before, halfEvents].map((events) => reliability(events, 20));
  const farTotals = [0.5, 1.5, 2.5, 3.5, 4.5, 5.5].map((line) => {
    const said = mean(games.map((game) => shipped.gridOf(game).over(line).fair));
    const share = games.filter(({ score }) => score.home + score.away > line).length / games.length;
    return { line, said, share };
  });
  const afterHalf = games.map(({ score, half }) => ({
    lead: half.home - half.away,
    change: score.home - score.away - half.home + half.away,
  }));
  const leads = [-2, -1, 0, 1, 2].map((lead) => {
    const own = games.filter((_game, index) => afterHalf[index]?.lead === lead);
    const said = mean(own.map((game) => (ofGame(game).home - ofGame(game).away) * (1 - FIRST_HALF)));
    const goals = mean(own.map((game) => (ofGame(game).home + ofGame(game).away) * (1 - FIRST_HALF)));
    const scored = mean(own.map(({ score, half }) => score.home + score.away - half.home - half.away));
    const changed = mean(own.map(({ score, half }) => score.home - score.away - half.home + half.away));
    return { lead, count: own.length, said, changed, goals, scored };
  });
  const seasons = seasonsOf(games);
  const rhos = bySeason(games, rhoFor).map(({ value }) => value);
  const atHalfBins = byHalf ?? [];
  const misses = atHalfBins.filter((bin) => !holds(bin));
  const [worst] = [...atHalfBins].sort((a, b) => differenceOf(b) - differenceOf(a));
  const worstText = `The worst says ${percent(worst?.said ?? 0)}, and ${percent(worst?.share ?? 0)} occurred (${whole(worst?.count ?? 0)} bets)`;
  const tilt = slopeOf(
    games.map(
      (game, index) => (afterHalf[index]?.change ?? 0) - (ofGame(game).home - ofGame(game).away) * (1 - FIRST_HALF),
    ),
    afterHalf.map(({ lead }) => lead),
  );

  return {
    sport: 'soccer',
    file: 'how-well-soccer.md',
    data: `${whole(games.length)} games of five leagues, ${seasons[0]}–${(seasons.at(-1) ?? 0) + 1}, with average closing odds`,
    moneyline: moneyline ?? [],
    constants: [
      {
        name: 'ρ of Dixon and Coles, by results',
        shipped: fixed(SOCCER_RHO, 2),
        fitted: fixed(rhoFor(games), 3),
        seasons: rangeText(rhos, 3),
        gain: `${gainText(heldOutWays, ways(plain))} over plain Poisson (home, draw, away)`,
      },
      {
        name: 'ρ of Dixon and Coles, by closing odds',
        shipped: fixed(SOCCER_RHO, 2),
        fitted: fixed(quoted(games), 3),
        seasons: rangeText(
          bySeason(games, quoted).map(({ value }) => value),
          3,
        ),
        gain: `${gainText(ways(shipped), ways(plain))} over plain Poisson, shipped`,
      },
      {
        name: 'share of goals in the first half',
        shipped: fixed(FIRST_HALF, 3),
        fitted: fixed(shareFor(games), 3),
        seasons: rangeText(
          bySeason(games, shareFor).map(({ value }) => value),
          3,
        ),
        gain: `${gainText(halves, even)} over equal halves (goals of the first half)`,
      },
    ],
    misfits: [
      {
        by: worst === undefined ? 0 : differenceOf(worst),
        text: `Soccer at half-time: the side ahead is overrated, and ${misses.length} of ${atHalfBins.length} bins are outside their 95 % intervals. ${worstText}.`,
      },
      {
        by: 0,
        text: `Soccer: results ask for a ρ of ${fixed(rhoFor(games), 3)}, and closing odds for ${fixed(quoted(games), 3)} (median). From season to season results give ${rangeText(rhos, 2)}.`,
      },
    ],
    pictures: [
      {
        name: 'soccer.svg',
        svg: svgOf('reliability of soccer prices', [
          reliabilityPlot('Home, draw, away', [
            { name: 'closing odds', bins: moneyline ?? [] },
            { name: 'model', bins: byModel ?? [] },
          ]),
          {
            ...reliabilityPlot('Draws', draws),
            x: {
              label: 'probability said',
              ticks: [0.1, 0.15, 0.2, 0.25, 0.3, 0.35],
              format: (value) => percent(value, 0),
            },
            y: {
              label: 'share that occurred',
              ticks: [0.1, 0.15, 0.2, 0.25, 0.3, 0.35],
              format: (value) => percent(value, 0),
            },
          },
          reliabilityPlot('Home, draw, away at half-time', [{ name: 'model', bins: atHalfBins }]),
        ]),
      },
    ],
    markdown: [
      '# How well the soccer prices fit',
      prose(`The data are ${whole(games.length)} games of the first leagues of England, Spain, Italy, Germany and France, ${seasons[0]} to
        ${(seasons.at(-1) ?? 0) + 1}, with average closing odds of home, draw, away and of 2.5 goals. The odds of home and away, and of the total, give
        the mean goals of each game in steps of one point. The draw is what the model then says. Gains are in thousandths of
        log loss a game, with their standard error. [All sports](how-well.md).`),
      '## What does not fit',
      list([
        `Results and odds disagree about ρ: ${fixed(rhoFor(games), 3)} and ${fixed(quoted(games), 3)}. Draws were said ${percent(mean(games.map((game) => shipped.gridOf(game).moneyline('draw').win)))} by the model, ${percent(mean(games.map(({ draw }) => draw)))} by the odds, and occurred in ${percent(games.filter(({ score }) => wayOf(score) === 'draw').length / games.length)}.`,
        `A single season gives a ρ of ${rangeText(rhos, 3)}.`,
        `The closing odds with their own draw are better by ${gainText(market, ways(shipped))} thousandths than the model with one ρ. With \`fitGame\` a quoted draw moves ρ.`,
        `At half-time the side ahead is overrated: ${misses.length} of ${atHalfBins.length} bins are outside their 95 % intervals. ${worstText}. A lead loses ${fixed(-tilt, 2)} goals a goal in the second half, as teams ahead let up. In play the model is plain Poisson and does not know it.`,
        'Level games have fewer goals in the second half than said, and games with a lead of two for away more: see the last table.',
      ]),
      '## Reliability',
      '![Reliability](soccer.svg)',
      prose('Bars are 95 % intervals. The dashed line is where prices are right.'),
      table(
        ['log loss', 'closing odds', 'model', 'ρ held out', 'plain Poisson'],
        [
          ['home, draw, away', market, ways(shipped), heldOutWays, ways(plain)].map((cell) =>
            typeof cell === 'string' ? cell : fixed(mean(cell), 4),
          ),
          ['total', '', fixed(mean(totals(shipped)), 4), '', fixed(mean(totals(plain)), 4)],
        ],
      ),
      table(
        ['goals above', ...farTotals.map(({ line }) => String(line))],
        [
          ['said', ...farTotals.map(({ said }) => percent(said))],
          ['occurred', ...farTotals.map(({ share }) => percent(share))],
        ],
      ),
      table(
        ['home leads at half-time by', 'games', 'later margin said', 'occurred', 'later goals said', 'occurred'],
        leads.map(({ lead, count, said, changed, goals, scored }) => [
          fixed(lead, 0),
          whole(count),
          ...[said, changed, goals, scored].map((value) => fixed(value, 2)),
        ]),
      ),
      '## Constants by season',
      table(
        ['season', 'games', 'ρ by results', 'ρ by closing odds', 'first half'],
        bySeason(games, (own) => [
          whole(own.length),
          fixed(rhoFor(own), 3),
          fixed(quoted(own), 3),
          percent(shareFor(own)),
        ]).map(({ season, value }) => [`${season}–${String(season + 1).slice(2)}`, ...value]),
      ),
    ].join('\n\n'),
  };
}
