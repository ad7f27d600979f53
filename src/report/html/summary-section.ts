// The first section of a report: pre-match and in play side by side, with the interval of the edge, the means by weight
// and the games that a verdict needs. The sum comes last.
import type { SectionFigures } from '../../run/index.ts';
import type { ReportScenario } from '../report-data.ts';
import { fillsIn, partsOf } from './in-phases.ts';
import { csvLink, escaped, money, NOT_KNOWN, percent, points, remark, section } from './markup.ts';

type Cell = { readonly value: number | null; readonly text: string };
type Row = readonly [name: string, cellOf: (part: SectionFigures) => Cell, shows?: (part: SectionFigures) => boolean];

const count = (value: number | null): Cell => ({
  value,
  text: value === null ? NOT_KNOWN : value.toLocaleString('en-US'),
});
const inPoints = (value: number | null): Cell => ({ value, text: points(value) });
const inShare = (value: number | null): Cell => ({ value, text: percent(value) });
const inDollars = (value: number | null): Cell => ({ value, text: money(value) });
const isEarly = ({ clv }: SectionFigures): boolean => clv.fills + clv.unknown > 0;

/** P&L of all settled fills, those without a price included. */
const settledOf = ({ identity }: SectionFigures): number | null =>
  identity.fills + identity.unpriced === 0
    ? null
    : Math.round(100 * ((identity.pnl ?? 0) + identity.unpricedPnl)) / 100;

/** A few words about whether the edge is more than chance. */
export function verdictOf({ interval: { edgeLow, edgeHigh, games, gamesNeeded, note } }: SectionFigures): string {
  if (edgeLow === null || edgeHigh === null) return games === 0 ? 'no game' : (note ?? NOT_KNOWN);
  if (edgeLow > 0) return 'above 0';
  if (edgeHigh < 0) return 'below 0';
  return gamesNeeded === null || gamesNeeded <= games ? 'not apart from 0' : `${gamesNeeded - games} more games needed`;
}

const ROWS: readonly Row[] = [
  ['fills', (part) => count(fillsIn(part))],
  ['games', ({ interval }) => count(interval.games)],
  ['P&L, settled', (part) => inDollars(settledOf(part))],
  ['edge', ({ edge }) => inDollars(edge.dollars)],
  [
    '95 % of the edge',
    ({ interval: { edgeLow, edgeHigh } }) => ({
      value: edgeLow,
      text: edgeLow === null ? NOT_KNOWN : `${money(edgeLow)} to ${money(edgeHigh)}`,
    }),
  ],
  ['games needed for a verdict', ({ interval }) => count(interval.gamesNeeded)],
  ['edge in points, by payout', ({ byWeight }) => inPoints(byWeight.edge.payout)],
  ['edge in points, by stake', ({ byWeight }) => inPoints(byWeight.edge.stake)],
  ['edge in points, each fill once', ({ byWeight }) => inPoints(byWeight.edge.plain)],
  ['above the close, by payout', ({ byWeight }) => inShare(byWeight.aboveClose.payout), isEarly],
  ['above the close, by stake', ({ byWeight }) => inShare(byWeight.aboveClose.stake), isEarly],
];

const NONE: Cell = { value: null, text: '–' };

/** A table with a figure in each row, narrow enough for a phone. */
const figureTable = (heads: readonly string[], rows: readonly (readonly [string, readonly Cell[]])[]): string =>
  [
    '<table class="figures"><thead><tr><td></td>',
    ...heads.map((head) => `<th class="n" scope="col">${escaped(head)}</th>`),
    '</tr></thead><tbody>',
    ...rows.map(
      ([name, cells]) =>
        `<tr><th scope="row">${escaped(name)}</th>${cells.map(({ value, text }) => `<td class="n${value !== null && value < 0 && text.includes('$') ? ' neg' : ''}">${escaped(text)}</td>`).join('')}</tr>`,
    ),
    '</tbody></table>',
  ].join('');

export function summarySection({ figures }: ReportScenario): string {
  const parts = partsOf(figures);
  const rows = ROWS.filter(([, , shows]) => shows === undefined || parts.some(({ of: part }) => shows(part)));
  return section(
    'phases',
    'Pre-match and in play',
    figureTable(
      parts.map(({ name }) => name),
      [
        ...rows.map(([name, cellOf, shows]): readonly [string, readonly Cell[]] => [
          name,
          parts.map(({ of: part }) => (shows === undefined || shows(part) ? cellOf(part) : NONE)),
        ]),
        ['verdict on the edge', parts.map(({ of: part }) => ({ value: null, text: verdictOf(part) }))],
      ],
    ),
    remark(
      'The edge of a fill is its payout × (price then − own price): the close pre-match, the price 300 s later in play. By payout, a fill counts with what it pays if it wins, stake included; by stake, with its stake: a favourite needs more of it for the same payout.',
    ),
    remark(
      'The interval is of draws of games. A verdict needs so many games like these that the interval leaves 0 at the present mean; it is not known with fewer than two games, or a mean of 0.',
    ),
    csvLink(
      'phases',
      ['figure', ...parts.map(({ key }) => key)],
      rows.map(([name, cellOf]) => [name, ...parts.map(({ of: part }) => cellOf(part).value)]),
    ),
  );
}
