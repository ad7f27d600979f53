// Pictures of the pages as SVG: reliability and curves, side by side. Each has a light panel of its own, so that it
// is read on a dark page as well. The same numbers give the same bytes.
import type { Bin } from './statistics.ts';

export type Point = { readonly x: number; readonly y: number; readonly low?: number; readonly high?: number };
export type Series = {
  readonly name: string;
  readonly points: readonly Point[];
  /** Points only, or a line through them. */
  readonly drawn: 'points' | 'line';
};
export type Plot = {
  readonly title: string;
  readonly x: Axis;
  readonly y: Axis;
  readonly series: readonly Series[];
  /** True when a diagonal shows where both axes agree. */
  readonly diagonal?: boolean;
};
type Axis = { readonly label: string; readonly ticks: readonly number[]; readonly format?: (value: number) => string };

const COLOURS = ['#1f6feb', '#b3261e', '#1a7f37', '#9a6700'];
const COLUMNS = 3;
const CELL = { width: 320, height: 320 };
const EDGE = { left: 56, right: 24, top: 34, bottom: 46 };
const LEGEND = 17;

const PERCENT: Omit<Axis, 'label'> = {
  ticks: [0, 0.25, 0.5, 0.75, 1],
  format: (value) => `${Math.round(value * 100)} %`,
};

/** What was said against what happened. */
export const reliabilityPlot = (
  title: string,
  series: readonly { readonly name: string; readonly bins: readonly Bin[] }[],
): Plot => ({
  title,
  x: { label: 'probability said', ...PERCENT },
  y: { label: 'share that occurred', ...PERCENT },
  diagonal: true,
  series: series.map(({ name, bins }) => ({
    name,
    drawn: 'points',
    points: bins.map(({ said, share, low, high }) => ({ x: said, y: share, low, high })),
  })),
});

export function svgOf(label: string, plots: readonly Plot[], cell = CELL): string {
  const columns = Math.min(COLUMNS, plots.length);
  const names = Math.max(...plots.map(({ series }) => series.length));
  const legend = names > 1 ? names * LEGEND : 0;
  const [width, height] = [columns * cell.width, Math.ceil(plots.length / columns) * (cell.height + legend)];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(label)}" font-family="sans-serif" font-size="12" fill="#24292f">`,
    `<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="6" fill="#fff" stroke="#d0d7de"/>`,
    ...plots.flatMap((plot, index) => {
      const left = (index % columns) * cell.width;
      const top = Math.floor(index / columns) * (cell.height + legend);
      return [`<g transform="translate(${left} ${top})">`, ...drawn(plot, cell), '</g>'];
    }),
    '</svg>',
    '',
  ].join('\n');
}

function drawn({ title, x, y, series, diagonal = false }: Plot, { width, height }: typeof CELL): readonly string[] {
  const [right, bottom] = [width - EDGE.right, height - EDGE.bottom];
  const xOf = scale(x.ticks, EDGE.left, right);
  const yOf = scale(y.ticks, bottom, EDGE.top);
  const { format = String } = x;
  const { format: formatY = String } = y;
  const [first, last] = [x.ticks[0] ?? 0, x.ticks.at(-1) ?? 1];
  return [
    `<text x="${EDGE.left}" y="20" font-size="13" font-weight="600">${escaped(title)}</text>`,
    ...y.ticks.map(
      (tick) =>
        `<line x1="${EDGE.left}" x2="${right}" y1="${yOf(tick)}" y2="${yOf(tick)}" stroke="#e4e7eb"/>` +
        `<text x="${EDGE.left - 6}" y="${Number(yOf(tick)) + 4}" text-anchor="end" font-size="11">${formatY(tick)}</text>`,
    ),
    ...x.ticks.map(
      (tick) =>
        `<line x1="${xOf(tick)}" x2="${xOf(tick)}" y1="${EDGE.top}" y2="${bottom}" stroke="#f0f2f4"/>` +
        `<text x="${xOf(tick)}" y="${bottom + 15}" text-anchor="middle" font-size="11">${format(tick)}</text>`,
    ),
    `<text x="${(EDGE.left + right) / 2}" y="${bottom + 33}" text-anchor="middle">${escaped(x.label)}</text>`,
    `<text transform="translate(14 ${(EDGE.top + bottom) / 2}) rotate(-90)" text-anchor="middle">${escaped(y.label)}</text>`,
    ...(diagonal
      ? [
          `<line x1="${xOf(first)}" y1="${yOf(first)}" x2="${xOf(last)}" y2="${yOf(last)}" stroke="#8c959f" stroke-dasharray="4 4"/>`,
        ]
      : []),
    ...series.flatMap(({ points, drawn: how }, index) => {
      const colour = COLOURS[index % COLOURS.length] ?? '#000';
      const bars = points.flatMap(({ x: value, low, high }) =>
        low === undefined || high === undefined
          ? []
          : [
              `<line x1="${xOf(value)}" x2="${xOf(value)}" y1="${yOf(low)}" y2="${yOf(high)}" stroke="${colour}" stroke-opacity="0.5" stroke-width="1.5"/>`,
            ],
      );
      const marks =
        how === 'line'
          ? [
              `<polyline points="${points.map((point) => `${xOf(point.x)},${yOf(point.y)}`).join(' ')}" fill="none" stroke="${colour}" stroke-width="2"/>`,
            ]
          : points.map((point) => `<circle cx="${xOf(point.x)}" cy="${yOf(point.y)}" r="3.2" fill="${colour}"/>`);
      return [...bars, ...marks];
    }),
    ...(series.length > 1
      ? series.flatMap(({ name, drawn: how }, index) => {
          const [top, colour] = [height + LEGEND * index, COLOURS[index % COLOURS.length] ?? '#000'];
          const mark =
            how === 'line'
              ? `<line x1="${EDGE.left}" x2="${EDGE.left + 16}" y1="${top}" y2="${top}" stroke="${colour}" stroke-width="2"/>`
              : `<circle cx="${EDGE.left + 8}" cy="${top}" r="3.2" fill="${colour}"/>`;
          return [mark, `<text x="${EDGE.left + 24}" y="${top + 4}">${escaped(name)}</text>`];
        })
      : []),
  ];
}

/** From a value to a place in the picture, with one digit. Values beyond the ticks are at the edge. */
function scale(ticks: readonly number[], from: number, to: number): (value: number) => string {
  const [first, last] = [ticks[0] ?? 0, ticks.at(-1) ?? 1];
  return (value) => {
    const share = Math.min(Math.max((value - first) / (last - first), 0), 1);
    return (from + share * (to - from)).toFixed(1);
  };
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
