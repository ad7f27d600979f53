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

/** A chart as plain values: everything that `drawChart` needs, also in the page. */
export type ChartPlan = {
  readonly label: string;
  readonly width: number;
  readonly height: number;
  readonly edge: { readonly left: number; readonly right: number; readonly top: number; readonly bottom: number };
  readonly isZoomed: boolean;
  /** The values at the bottom and at the top. */
  readonly low: number;
  readonly high: number;
  readonly ticks: readonly (readonly [value: number, text: string])[];
  readonly marks: readonly (readonly [x: number, text: string])[];
  readonly gaps: readonly number[];
  readonly lines: readonly Line[];
  readonly dots: readonly Dot[];
};

export function planOf({
  lines,
  dots = [],
  marks,
  gaps = [],
  height = 140,
  format,
  fromZero = false,
  label,
  zooms = false,
}: Chart): ChartPlan {
  const values = [
    ...lines.flatMap(({ points, band = [] }) => [
      ...points.flatMap(([, y]) => (y === null ? [] : [y])),
      ...band.flatMap(([, low, high]) => [low, high]),
    ]),
    ...dots.map(({ y }) => y),
  ];
  const ticks = levels(values, fromZero);
  return {
    label,
    width: WIDTH,
    height,
    edge: EDGE,
    isZoomed: zooms,
    low: ticks[0] ?? 0,
    high: ticks.at(-1) ?? 1,
    ticks: ticks.map((value) => [value, format(value)]),
    marks: marks.map(({ x, text }) => [x, text]),
    gaps,
    lines,
    dots,
  };
}

export const chart = (shown: Chart): string => drawChart(planOf(shown));

/**
 * The SVG of a chart. The page has this function as it is (script.ts), to draw what is chosen there: it may use nothing
 * from outside of itself.
 */
export function drawChart(plan: ChartPlan): string {
  const { width, height, edge, low, high } = plan;
  const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
  const text = (raw: string): string => raw.replace(/[&<>"]/g, (sign) => escapes[sign] ?? '');
  const inner = width - edge.left - edge.right;
  const x = (share: number): string => (edge.left + share * inner).toFixed(1);
  const y = (value: number): string =>
    (height - edge.bottom - ((value - low) / Math.max(1e-12, high - low)) * (height - edge.top - edge.bottom)).toFixed(
      1,
    );
  const pathOf = (points: Line['points'], isStep: boolean): string => {
    let path = '';
    let isOpen = false;
    for (const [share, value] of points) {
      if (value === null) {
        isOpen = false;
        continue;
      }
      const [px, py] = [x(share), y(value)];
      path += isOpen ? (isStep ? `H${px}V${py}` : `L${px},${py}`) : `M${px},${py}`;
      isOpen = true;
    }
    return path;
  };
  const drawn = [
    ...plan.gaps.map(
      (share) => `<line class="gap" x1="${x(share)}" x2="${x(share)}" y1="${edge.top}" y2="${height - edge.bottom}"/>`,
    ),
    ...plan.lines.map(({ band = [], tone }) =>
      band.length === 0
        ? ''
        : `<path class="band ${tone}" d="M${[...band.map(([share, , most]) => `${x(share)},${y(most)}`), ...[...band].reverse().map(([share, least]) => `${x(share)},${y(least)}`)].join('L')}Z"/>`,
    ),
    ...plan.lines.map(
      ({ points, tone, isStep = false, name }) =>
        `<path class="line ${tone}" d="${pathOf(points, isStep)}"><title>${text(name)}</title></path>`,
    ),
    ...plan.dots.map(
      ({ x: share, y: value, tone, title }) =>
        `<circle class="dot ${tone}" cx="${x(share)}" cy="${y(value)}" r="2"><title>${text(title)}</title></circle>`,
    ),
  ];
  const legend =
    plan.lines.length < 2
      ? ''
      : `<p class="legend">${plan.lines.map(({ name, tone }) => `<span class="${tone}">${text(name)}</span>`).join(' ')}</p>`;
  return [
    legend,
    `<svg class="chart${plan.isZoomed ? ' zooms' : ''}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${text(plan.label)}">`,
    ...plan.ticks.map(
      ([value, shown]) =>
        `<line class="${value === 0 ? 'zero' : 'grid'}" x1="${edge.left}" x2="${width - edge.right}" y1="${y(value)}" y2="${y(value)}"/>` +
        `<text class="axis" x="${edge.left - 4}" y="${y(value)}" dy=".32em" text-anchor="end">${text(shown)}</text>`,
    ),
    // a nested SVG clips the zoomed content at the edge
    `<svg class="plot" x="${edge.left}" y="0" width="${inner}" height="${height}" viewBox="${edge.left} 0 ${inner} ${height}" preserveAspectRatio="none">${drawn.join('')}</svg>`,
    ...plan.marks.map(([share, shown], index) => {
      const anchor = share < 0.02 ? 'start' : share > 0.98 ? 'end' : 'middle';
      return `<text class="axis mark${index % 2 === 1 ? ' odd' : ''}" x="${x(share)}" y="${height - 5}" text-anchor="${anchor}">${text(shown)}</text>`;
    }),
    '</svg>',
  ].join('');
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
