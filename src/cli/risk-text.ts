// The text of `ctl risk`: what each game with fills may bring, and a picture when there is only one.
import { printable } from '../domain/index.ts';
import type { Fields } from './fields.ts';
import { columnsText, like, listOf, partOf, signed, text } from './fields.ts';

const TITLES = [...(['game', 'expected', 'deviation', '5 % loss', 'shortfall', 'worst', 'by the'] as const)];

/** The games that have a text in their id or name, in any case. */
export const gamesLike = (games: unknown, part = ''): readonly Fields[] => like(games, part, ['gameId', 'game']);

export function riskText(games: readonly Fields[]): string {
  if (games.length === 0) return 'no game with fills\n';
  const [only] = games;
  return [
    columnsText(TITLES, games.map(rowOf)),
    ...games.flatMap(hurtingText),
    ...(games.length === 1 && only !== undefined ? mapText(partOf(only['map'])) : []),
  ].join('');
}

function rowOf(game: Fields): readonly string[] {
  const { live, period, worst, byScore } = game;
  const { expected, deviation, quantile, shortfall, worst: worstScore, source } = partOf(byScore);
  const part = typeof period === 'string' && period !== 'full' ? ` (${period})` : '';
  return [
    `${text(game['game'])}${part}${live === true ? ' live' : ''}`,
    ...[expected, deviation, quantile, shortfall, worstScore ?? worst].map(signed),
    source === 'odds' ? 'odds feed' : source === 'book' ? 'book' : 'limits: no distribution',
  ].map(printable);
}

/** The scores that hurt, for each game that has some. */
function hurtingText(game: Fields): readonly string[] {
  const hurting = listOf(partOf(game['byScore'])['hurting']);
  if (hurting.length === 0) return [];
  const rows = hurting.map(({ scores, value, p }) => [
    `  ${printable(text(scores))}`,
    signed(value),
    typeof p === 'number' ? `${(100 * p).toFixed(1)} % of games` : '–',
  ]);
  return [`\n${columnsText([`${printable(text(game['game']))} loses most`, '', ''], rows)}`];
}

/** Losses by size, and gains, of a cell; blank where hardly any game ends. */
const MARKS = { gain: '+', little: '·', some: '-', much: '=', most: '#' } as const;
/** The least share of games that gets a mark. */
const LEAST_P = 2e-4;

/** The picture over margin and total. */
function mapText({ margins, totals, cells }: Fields): readonly string[] {
  const columns = listOf(margins).map(rangeOf);
  const rows = listOf(totals).map(rangeOf);
  const grid = Array.isArray(cells) ? (cells as readonly unknown[]).map(listOf) : [];
  if (columns.length === 0 || rows.length === 0) return [];
  const values = grid.flat().map(({ value }) => (typeof value === 'number' ? value : 0));
  const worst = Math.min(0, ...values);
  const width = Math.max(...rows.map(({ length }) => length));
  const lines = rows
    .map((row, index) => `${row.padStart(width)} |${(grid[index] ?? []).map((cell) => markOf(cell, worst)).join('')}|`)
    .reverse();
  const axis = `${' '.repeat(width + 2)}${columns[0] ?? ''} … ${columns.at(-1) ?? ''}`;
  const legend = `${MARKS.gain} gain  ${MARKS.little} about 0  ${MARKS.some} ${MARKS.much} ${MARKS.most} a third, two thirds, all of the worst loss`;
  return [`\n${['total, by home’s score minus away’s:', ...lines, axis, legend].join('\n')}\n`];
}

const rangeOf = ({ from, to }: Fields): string => (from === to ? String(from) : `${String(from)} to ${String(to)}`);

function markOf({ p, value }: Fields, worst: number): string {
  if (typeof p !== 'number' || typeof value !== 'number' || p < LEAST_P) return ' ';
  if (value > -worst / 20 && value > 0) return MARKS.gain;
  const share = worst === 0 ? 0 : value / worst;
  return share < 0.05 ? MARKS.little : share < 1 / 3 ? MARKS.some : share < 2 / 3 ? MARKS.much : MARKS.most;
}
