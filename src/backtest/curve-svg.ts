// Plots the marked result of a backtest over time.
import type { Scenario } from '../report/index.ts';
import type { ScenarioRun } from './scenario-types.ts';
import type { CurvePoint } from '../run/index.ts';
import { timeAxis } from '../run/index.ts';

type Runs = ReadonlyMap<Scenario, Pick<ScenarioRun, 'equity'>>;

const WIDTH = 960;
const HEIGHT = 400;
const EDGE = { left: 80, right: 20, top: 40, bottom: 40 };
export const COLOURS: Readonly<Record<Scenario, string>> = {
  pessimistic: '#b3261e',
  calibrated: '#1f6feb',
  optimistic: '#1a7f37',
};
const TICKS = 5;

export function curveSvg(runs: Runs): string {
  const points = [...runs.values()].flatMap(({ equity }) => equity);
  const from = points.reduce((least, { t }) => Math.min(least, t), Number.POSITIVE_INFINITY);
  const to = points.reduce((most, { t }) => Math.max(most, t), Number.NEGATIVE_INFINITY);
  const levels = levelsOf(points.map(({ marked }) => marked));
  const low = levels[0] ?? 0;
  const high = levels.at(-1) ?? 0;
  const axis = timeAxis([...new Set(points.map(({ t }) => t))].sort((a, b) => a - b));
  const place = (share: number): number => EDGE.left + share * (WIDTH - EDGE.left - EDGE.right);
  const x = (t: number): number => place(axis.x(t));
  const y = (value: number): number =>
    HEIGHT - EDGE.bottom - ((value - low) / Math.max(0.01, high - low)) * (HEIGHT - EDGE.top - EDGE.bottom);
  const line = (curve: readonly CurvePoint[]): string =>
    curve.map(({ t, marked }) => `${x(t).toFixed(1)},${y(marked).toFixed(1)}`).join(' ');
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12">`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>`,
    `<text x="${EDGE.left}" y="20" font-size="14">Marked result, dollars${points.length === 0 ? '' : `; ${minuteOf(from)} to ${minuteOf(to)} UTC`}</text>`,
    ...levels.map(
      (value) =>
        `<line x1="${EDGE.left}" x2="${WIDTH - EDGE.right}" y1="${y(value).toFixed(1)}" y2="${y(value).toFixed(1)}" stroke="#ddd"/>` +
        `<text x="${EDGE.left - 8}" y="${(y(value) + 4).toFixed(1)}" text-anchor="end">${value.toFixed(high - low < 5 ? 2 : 0)}</text>`,
    ),
    `<line x1="${EDGE.left}" x2="${WIDTH - EDGE.right}" y1="${y(0).toFixed(1)}" y2="${y(0).toFixed(1)}" stroke="#888"/>`,
    ...axis.stretches.slice(1).map(({ from: begin }) => {
      const left = place(begin).toFixed(1);
      return `<line x1="${left}" x2="${left}" y1="${EDGE.top}" y2="${HEIGHT - EDGE.bottom}" stroke="#ccc" stroke-dasharray="2 3"/>`;
    }),
    ...axis.marks.map(({ x: share, text }) => {
      const anchor = share > 0.98 ? 'end' : 'middle';
      return `<text x="${place(share).toFixed(1)}" y="${HEIGHT - 14}" text-anchor="${anchor}">${text}</text>`;
    }),
    ...[...runs].flatMap(([name, { equity }], index) => [
      `<polyline points="${line(equity)}" fill="none" stroke="${COLOURS[name]}" stroke-width="1.5"/>`,
      `<text x="${WIDTH - EDGE.right - 90 * (runs.size - index)}" y="20" fill="${COLOURS[name]}">${name}</text>`,
    ]),
    '</svg>',
    '',
  ].join('\n');
}

const minuteOf = (t: number): string => new Date(t).toISOString().slice(0, 16).replace('T', ' ');

/** Evenly spaced round numbers from below the lowest value to above the highest. 0 is among them. */
export function levelsOf(values: readonly number[]): readonly number[] {
  const low = values.reduce((least, value) => Math.min(least, value), 0);
  const high = values.reduce((most, value) => Math.max(most, value), 0);
  const raw = Math.max(0.05, high - low) / TICKS;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = power * ([1, 2, 5].find((unit) => unit * power >= raw) ?? 10);
  const first = Math.floor(low / step);
  const last = Math.max(first + 1, Math.ceil(high / step));
  return Array.from({ length: last - first + 1 }, (_none, index) => (first + index) * step);
}
