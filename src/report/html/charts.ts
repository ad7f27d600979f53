// Charts of a report as SVG: they need no script, scale with the page, and print.
import { escaped } from './markup.ts';

/** Width of a phone. On a wide screen everything but the text grows (style.ts). */
const WIDTH = 420;
const EDGE = { left: 62, right: 8, top: 6, bottom: 18 };
const TICKS = 5;

export type Line = {
  readonly name: string;
  /** CSS class of the page that sets the colour. */
  readonly tone: string;
  /** x is 0 … 1; a null y breaks the line. */
  readonly points: readonly (readonly [x: number, y: number | null])[];
  readonly isStep?: boolean;
  /** Lower and upper bound around each point. */
  readonly band?: readonly (readonly [x: number, low: number, high: number])[];
};
export type Dot = { readonly x: number; readonly y: number; readonly tone: string; readonly title: string };

export type Chart = {
  readonly lines: readonly Line[];
  readonly dots?: readonly Dot[];
  readonly marks: readonly { readonly x: number; readonly text: string }[];
  /** x of the gaps in time, 0 … 1. */
  readonly gaps?: readonly number[];
  readonly height?: number;
  readonly format: (value: number) => string;
  /** True when the y axis includes 0. */
  readonly fromZero?: boolean;
  readonly label: string;
  /** True when the chart can be zoomed and moved. */
  readonly zooms?: boolean;
};

/** Round numbers at even distances, from below the lowest value to above the highest. */
export function levels(values: readonly number[], fromZero: boolean): readonly number[] {
  const known = fromZero ? [...values, 0] : values;
  const low = known.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY);
  const high = known.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY);
  if (!Number.isFinite(low)) return [0, 1];
  const raw = Math.max((high - low) / TICKS, Math.max(Math.abs(high), 1e-4) * 1e-3);
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = power * ([1, 2, 5].find((unit) => unit * power >= raw) ?? 10);
  const first = Math.floor(low / step + 1e-9);
  const last = Math.max(first + 1, Math.ceil(high / step - 1e-9));
  return Array.from({ length: last - first + 1 }, (_, index) => Number(((first + index) * step).toPrecision(12)));
}

export function chart({
  lines,
  dots = [],
  marks,
  gaps = [],
  height = 140,
  format,
  fromZero = false,
  label,
  zooms = false,
}: Chart): string {
  const values = [
    ...lines.flatMap(({ points, band = [] }) => [
      ...points.flatMap(([, y]) => (y === null ? [] : [y])),
      ...band.flatMap(([, low, high]) => [low, high]),
    ]),
    ...dots.map(({ y }) => y),
  ];
  const ticks = levels(values, fromZero);
  const [low, high] = [ticks[0] ?? 0, ticks.at(-1) ?? 1];
  const inner = WIDTH - EDGE.left - EDGE.right;
  const x = (share: number): string => (EDGE.left + share * inner).toFixed(1);
  const y = (value: number): string =>
    (height - EDGE.bottom - ((value - low) / Math.max(1e-12, high - low)) * (height - EDGE.top - EDGE.bottom)).toFixed(
      1,
    );
  const drawn = [
    ...gaps.map(
      (share) => `<line class="gap" x1="${x(share)}" x2="${x(share)}" y1="${EDGE.top}" y2="${height - EDGE.bottom}"/>`,
    ),
    ...lines.map(({ band, tone }) =>
      band === undefined || band.length === 0
        ? ''
        : `<path class="band ${tone}" d="M${[...band.map(([share, , most]) => `${x(share)},${y(most)}`), ...band.toReversed().map(([share, least]) => `${x(share)},${y(least)}`)].join('L')}Z"/>`,
    ),
    ...lines.map(
      ({ points, tone, isStep = false, name }) =>
        `<path class="line ${tone}" d="${pathOf(points, x, y, isStep)}"><title>${escaped(name)}</title></path>`,
    ),
    ...dots.map(
      ({ x: share, y: value, tone, title }) =>
        `<circle class="dot ${tone}" cx="${x(share)}" cy="${y(value)}" r="2"><title>${escaped(title)}</title></circle>`,
    ),
  ];
  const legend =
    lines.length < 2
      ? ''
      : `<p class="legend">${lines.map(({ name, tone }) => `<span class="${tone}">${escaped(name)}</span>`).join(' ')}</p>`;
  return [
    legend,
    `<svg class="chart${zooms ? ' zooms' : ''}" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${escaped(label)}">`,
    ...ticks.map(
      (value) =>
        `<line class="${value === 0 ? 'zero' : 'grid'}" x1="${EDGE.left}" x2="${WIDTH - EDGE.right}" y1="${y(value)}" y2="${y(value)}"/>` +
        `<text class="axis" x="${EDGE.left - 4}" y="${y(value)}" dy=".32em" text-anchor="end">${escaped(format(value))}</text>`,
    ),
    // a nested SVG clips the zoomed content at the edge
    `<svg class="plot" x="${EDGE.left}" y="0" width="${inner}" height="${height}" viewBox="${EDGE.left} 0 ${inner} ${height}" preserveAspectRatio="none">${drawn.join('')}</svg>`,
    ...marks.map(({ x: share, text }, index) => {
      const anchor = share < 0.02 ? 'start' : share > 0.98 ? 'end' : 'middle';
      return `<text class="axis mark${index % 2 === 1 ? ' odd' : ''}" x="${x(share)}" y="${height - 5}" text-anchor="${anchor}">${escaped(text)}</text>`;
    }),
    '</svg>',
  ].join('');
}

function pathOf(
  points: Line['points'],
  x: (share: number) => string,
  y: (value: number) => string,
  isStep: boolean,
): string {
  let path = '';
  let last: string | undefined;
  for (const [share, value] of points) {
    if (value === null) {
      last = undefined;
      continue;
    }
    const [px, py] = [x(share), y(value)];
    path += last === undefined ? `M${px},${py}` : isStep ? `H${px}V${py}` : `L${px},${py}`;
    last = py;
  }
  return path;
}

export type Step = { readonly name: string; readonly value: number; readonly isSum?: boolean };

/** A waterfall chart: from amount to amount to their sum. */
export function waterfall(steps: readonly Step[], format: (value: number) => string): string {
  const [rowHeight, left, right] = [17, 108, 82];
  const height = steps.length * rowHeight + 8;
  let sum = 0;
  const bars = steps.map(({ name, value, isSum = false }) => {
    const from = isSum ? 0 : sum;
    const to = isSum ? value : sum + value;
    sum = to;
    return { name, value, from, to, isSum };
  });
  const ends = [0, ...bars.flatMap(({ from, to }) => [from, to])];
  const [low, high] = [Math.min(...ends), Math.max(...ends)];
  const x = (value: number): number => left + ((value - low) / Math.max(0.01, high - low)) * (WIDTH - left - right);
  return [
    `<svg class="chart" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="where the money comes from">`,
    `<line class="zero" x1="${x(0).toFixed(1)}" x2="${x(0).toFixed(1)}" y1="0" y2="${height}"/>`,
    ...bars.map(({ name, value, from, to, isSum }, index) => {
      const y = index * rowHeight + 3;
      const [a, b] = [x(Math.min(from, to)), x(Math.max(from, to))];
      return (
        `<text class="axis name" x="${left - 6}" y="${y + 6}" dy=".32em" text-anchor="end">${escaped(name)}</text>` +
        `<rect class="bar ${isSum ? 'sum' : value < 0 ? 'bad' : 'good'}" x="${a.toFixed(1)}" y="${y}" width="${Math.max(1.5, b - a).toFixed(1)}" height="12"/>` +
        `<text class="axis" x="${(b + 4).toFixed(1)}" y="${y + 6}" dy=".32em">${escaped(format(value))}</text>`
      );
    }),
    '</svg>',
  ].join('');
}

/** A bar chart of counts or shares by name. */
export function bars(
  rows: readonly { readonly name: string; readonly value: number; readonly text: string }[],
  label: string,
): string {
  const [rowHeight, left, right] = [15, 108, 130];
  const height = rows.length * rowHeight + 6;
  const most = Math.max(1e-9, ...rows.map(({ value }) => value));
  return [
    `<svg class="chart" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${escaped(label)}">`,
    ...rows.map(({ name, value, text }, index) => {
      const y = index * rowHeight + 2;
      const width = (Math.max(0, value) / most) * (WIDTH - left - right);
      return (
        `<text class="axis name" x="${left - 6}" y="${y + 5}" dy=".32em" text-anchor="end">${escaped(name)}</text>` +
        `<rect class="bar sum" x="${left}" y="${y}" width="${Math.max(1, width).toFixed(1)}" height="10"/>` +
        `<text class="axis" x="${(left + width + 4).toFixed(1)}" y="${y + 5}" dy=".32em">${escaped(text)}</text>`
      );
    }),
    '</svg>',
  ].join('');
}
