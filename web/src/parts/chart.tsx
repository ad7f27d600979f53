// A plot over time: uPlot with a legend of the newest values, or of those under the pointer. Drag or pinch
// zooms, a double click shows everything. It takes complete arrays, and keeps the user's zoom when they
// change.
import { useEffect, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { clock } from '../format.ts';

/**
 * Formats a value. `step`: the distance of two marks of the axis, which must differ; undefined for a single
 * value.
 */
type Shows = (value: number, step?: number) => string;

export type Series = {
  readonly label: string;
  /** The name of a colour of the page, such as `good`. */
  readonly color: string;
  readonly values: readonly (number | null)[];
  readonly kind?: 'line' | 'step' | 'points' | 'area';
};

type Props = {
  /** Unix ms, ascending. */
  readonly times: readonly number[];
  readonly series: readonly Series[];
  readonly height: number;
  readonly shows: Shows;
  readonly name: string;
};

export function Chart({ times, series, height, shows, name }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(undefined);
  /** The index of the point under the pointer. */
  const [pointed, setPointed] = useState<number | undefined>(undefined);
  const shape = series.map(({ label, color, kind }) => `${label} ${color} ${kind ?? ''}`).join('|');
  useEffect(() => {
    const box = place.current;
    if (box === null) return undefined;
    const options = optionsOf(box, series, height, shows, setPointed);
    const made = new uPlot(options, dataOf(times, series), box);
    plot.current = made;
    const resized = new ResizeObserver(() => made.setSize({ width: box.clientWidth, height }));
    resized.observe(box);
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    const redraw = (): void => made.redraw(false, true);
    scheme.addEventListener('change', redraw);
    return () => {
      resized.disconnect();
      scheme.removeEventListener('change', redraw);
      made.destroy();
      plot.current = undefined;
    };
  }, [shape, height]);
  useEffect(() => {
    const made = plot.current;
    if (made === undefined) return;
    const { min, max } = made.scales['x'] ?? {};
    const before = made.data[0];
    const isZoomed =
      before.length > 1 &&
      min !== undefined &&
      max !== undefined &&
      (min > (before[0] ?? 0) || max < (before.at(-1) ?? 0));
    made.setData(dataOf(times, series), !isZoomed);
  }, [times, series]);
  return (
    <div class="chart">
      <Legend times={times} series={series} shows={shows} pointed={pointed} />
      <div class="plot" ref={place} role="img" aria-label={name} />
    </div>
  );
}

/** The legend. Without a pointer it shows the newest value of each series. */
function Legend({
  times,
  series,
  shows,
  pointed,
}: Pick<Props, 'times' | 'series' | 'shows'> & { readonly pointed: number | undefined }) {
  const t = times[pointed ?? times.length - 1];
  return (
    <p class="legend">
      {series.map(({ label, color, values }) => {
        const value = pointed === undefined ? values.findLast((value) => value !== null) : values[pointed];
        return (
          <span key={label} class="key">
            <i class={color} /> {label}{' '}
            <b class="number">{value === undefined || value === null ? '–' : shows(value)}</b>
          </span>
        );
      })}
      <span class="number">{t === undefined ? '' : `${clock(t)} UTC`}</span>
    </p>
  );
}

const dataOf = (times: readonly number[], series: readonly Series[]): uPlot.AlignedData => [
  times.map((t) => t / 1000),
  ...series.map(({ values }) => [...values]),
];

const colorOf = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

function optionsOf(
  box: HTMLElement,
  series: readonly Series[],
  height: number,
  shows: Shows,
  point: (index: number | undefined) => void,
): uPlot.Options {
  const axis: uPlot.Axis = {
    stroke: () => colorOf('dim'),
    grid: { stroke: () => colorOf('line'), width: 1 },
    ticks: { stroke: () => colorOf('line'), width: 1 },
    font: '12px system-ui, sans-serif',
  };
  return {
    width: box.clientWidth,
    height,
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
    cursor: { drag: { x: true, y: false } },
    legend: { show: false },
    hooks: { setCursor: [({ cursor }) => point(cursor.idx ?? undefined)] },
    plugins: [pinch()],
    axes: [
      { ...axis, space: 70, size: 34, values: (_plot, ticks) => timesOf(ticks) },
      {
        ...axis,
        values: (_plot, ticks, _axis, _space, step) => ticks.map((tick) => shows(tick, step)),
        size: (_plot, labels) => widthOf(labels),
      },
    ],
    series: [
      {},
      ...series.map(({ label, color, kind = 'line' }): uPlot.Series => ({
        label,
        stroke: () => colorOf(color),
        width: kind === 'points' ? 0 : 1.5,
        spanGaps: false,
        points: kind === 'points' ? { show: true, size: 8, fill: () => colorOf(color) } : { show: false },
        ...(kind === 'step' && uPlot.paths.stepped !== undefined ? { paths: uPlot.paths.stepped({ align: 1 }) } : {}),
        ...(kind === 'points' ? { paths: () => null } : {}),
      })),
    ],
  };
}

/** Width of the marks of an axis, px. A wider mark would lose its first character, which may be a minus. */
const widthOf = (labels: readonly string[] | null): number =>
  BESIDE_LABEL + WIDEST_SIGN * Math.max(4, ...(labels ?? []).map(({ length }) => length));
const WIDEST_SIGN = 7.5;
/** Width of a mark and its distance from the plot. */
const BESIDE_LABEL = 17;

/** Times of the axis, with seconds when marks are less than a minute apart. */
const timesOf = (ticks: readonly number[]): string[] => {
  const step = (ticks[1] ?? 60) - (ticks[0] ?? 0);
  return ticks.map((seconds) => clock(seconds * 1000).slice(0, step < 60 ? 8 : 5));
};

/** Two fingers zoom the time axis; one finger moves it once it is zoomed. */
function pinch(): uPlot.Plugin {
  return {
    hooks: {
      ready: (plot: uPlot) => {
        const { over } = plot;
        let before:
          { readonly x: number; readonly width: number; readonly min: number; readonly max: number } | undefined;
        const read = (touches: TouchList): { readonly x: number; readonly width: number } => {
          const [left] = [over.getBoundingClientRect().left];
          const xs = [...touches].map(({ clientX }) => clientX - left);
          const [a = 0, b = a] = xs;
          return { x: (a + b) / 2, width: Math.abs(a - b) };
        };
        over.addEventListener(
          'touchstart',
          ({ touches }) => {
            const { min, max } = plot.scales['x'] ?? {};
            if (typeof min !== 'number' || typeof max !== 'number') return;
            before = { ...read(touches), min, max };
          },
          { passive: true },
        );
        over.addEventListener(
          'touchmove',
          (event) => {
            if (before === undefined) return;
            const { x, width } = read(event.touches);
            const isPinch = event.touches.length === 2 && before.width > 0;
            const times = plot.data[0];
            const [first = 0, last = 0] = [times[0], times.at(-1)];
            const isZoomed = before.min > first || before.max < last;
            if (!isPinch && !isZoomed) return;
            event.preventDefault();
            const span = (before.max - before.min) * (isPinch ? before.width / Math.max(1, width) : 1);
            const pinned = before.min + ((before.max - before.min) * before.x) / over.clientWidth;
            const min = pinned - (span * x) / over.clientWidth;
            plot.setScale('x', { min: Math.max(first, min), max: Math.min(last, min + span) });
          },
          { passive: false },
        );
      },
    },
  };
}
