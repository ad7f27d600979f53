// The section of a report about what each game could bring, with a picture over margin and total.
import type { Range } from '../../pricing/index.ts';
import type { DrawnGame } from '../game-rows.ts';
import type { ReportScenario } from '../report-data.ts';
import { csvLink, escaped, inMoney, money, percent, remark, section, table } from './markup.ts';

/** Cells less likely than this are left out. */
const LEAST_P = 1e-4;
const [WIDTH, ROW, LEFT, BOTTOM] = [420, 11, 36, 14];

export function gamesSection({ games = [], pictures, names = {} }: ReportScenario): string {
  if (games.length === 0) return '';
  const nameOf = (id: string): string => names[id] ?? id;
  const drawn = pictures.games ?? [];
  return section(
    'games',
    'What each game could bring',
    table(
      ['game', 'expected', 'deviation', '5 % loss', 'shortfall', 'worst', 'by the'],
      games.map(({ gameId, expected, deviation, quantile, shortfall, worst, source }) => [
        ...[nameOf(gameId), inMoney(expected), inMoney(deviation), inMoney(quantile), inMoney(shortfall)],
        ...[inMoney(worst), source === 'odds' ? 'odds feed' : source === 'book' ? 'book' : 'limits'],
      ]),
      true,
    ),
    remark(
      'With the fills and the distribution of the score at the time when the shortfall was largest: 5 % loss is what 95 % of scores bring at least, shortfall the mean of the worst 5 %. The worst is that of any score or void.',
    ),
    csvLink(
      'games',
      ['game', 'time', 'expected', 'deviation', 'quantile', 'shortfall', 'worst', 'source'],
      games.map((row) => [
        ...[nameOf(row.gameId), new Date(row.t).toISOString(), row.expected, row.deviation, row.quantile],
        ...[row.shortfall, row.worst, row.source],
      ]),
    ),
    ...(drawn.length === 0 ? [] : [remark(READING)]),
    ...drawn.map((game) => picture(game, nameOf(game.gameId))),
  );
}

const READING =
  'Pictures of the games with the largest shortfall. Left to right: home’s score minus away’s. Bottom to top: the total. Large squares are likely scores; green gains and red loses, the stronger the more.';

function picture({ hurting, map }: DrawnGame, name: string): string {
  const { margins, totals, cells } = map;
  const shown = cells.flat().filter(({ p }) => p >= LEAST_P);
  const largest = Math.max(1e-9, ...shown.map(({ value }) => Math.abs(value)));
  const likeliest = Math.max(1e-9, ...shown.map(({ p }) => p));
  const column = (WIDTH - LEFT) / margins.length;
  const height = totals.length * ROW + BOTTOM;
  const topOf = (row: number): number => (totals.length - 1 - row) * ROW;
  const squares = cells.flatMap((row, y) =>
    row.flatMap(({ p, value }, x) => {
      if (p < LEAST_P) return [];
      // its area shows how likely it is, its colour what it brings
      const size = Math.max(0.25, Math.sqrt(p / likeliest));
      const left = LEFT + x * column + (column * (1 - size)) / 2;
      const top = topOf(y) + (ROW * (1 - size)) / 2;
      const title = `${rangeText(margins[x])}, total ${rangeText(totals[y])}: ${money(value)} in ${percent(p)} of games`;
      return [
        `<rect class="bar ${value < 0 ? 'bad' : 'good'}" x="${left.toFixed(1)}" y="${top.toFixed(1)}" width="${(column * size).toFixed(1)}" height="${(ROW * size).toFixed(1)}" fill-opacity="${(0.12 + (0.88 * Math.abs(value)) / largest).toFixed(2)}"><title>${escaped(title)}</title></rect>`,
      ];
    }),
  );
  const every = Math.max(1, Math.ceil(margins.length / 6));
  const below = margins.flatMap(({ from }, x) =>
    x % every === 0
      ? [`<text x="${(LEFT + (x + 0.5) * column).toFixed(1)}" y="${height - 3}" text-anchor="middle">${from}</text>`]
      : [],
  );
  const beside = totals.flatMap((range, y) =>
    y % 2 === 0 ? [`<text x="${LEFT - 4}" y="${topOf(y) + ROW - 3}" text-anchor="end">${range.from}</text>`] : [],
  );
  return [
    `<h3>${escaped(name)}</h3>`,
    `<svg class="chart" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${escaped(`what ${name} brings over margin and total`)}">${squares.join('')}${below.join('')}${beside.join('')}</svg>`,
    ...(hurting.length === 0
      ? []
      : [
          table(
            ['loses most at', 'brings', 'of games'],
            hurting.map(({ scores, value, p }) => [scores, inMoney(value), { value: p, text: percent(p) }]),
            true,
          ),
        ]),
  ].join('');
}

const rangeText = (range: Range | undefined): string =>
  range === undefined ? '' : range.from === range.to ? `${range.from}` : `${range.from} to ${range.to}`;
