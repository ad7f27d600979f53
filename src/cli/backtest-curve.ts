// The result of a backtest over time, as numbers and as a picture.
import type { EquityPoint, ScenarioRun } from '../backtest/backtest.ts';
import type { Scenario } from '../backtest/scenarios.ts';

type Runs = ReadonlyMap<Scenario, Pick<ScenarioRun, 'equity'>>;

/** `time,pessimistic,…`: one row a point, ISO times, dollars; scenarios that ended earlier leave their field empty. */
export function curveCsv(runs: Runs): string {
  const times = [...new Set([...runs.values()].flatMap(({ equity }) => equity.map(({ t }) => t)))].sort(
    (a, b) => a - b,
  );
  const byTime = [...runs.values()].map(({ equity }) => new Map(equity.map(({ t, marked }) => [t, marked])));
  const rows = times.map((t) =>
    [new Date(t).toISOString(), ...byTime.map((points) => points.get(t) ?? '')].join(','),
  );
  return [['time', ...runs.keys()].join(','), ...rows, ''].join('\n');
}

const WIDTH = 960;
const HEIGHT = 400;
const EDGE = { left: 80, right: 20, top: 40, bottom: 40 };
const COLOURS: Readonly<Record<Scenario, string>> = {
  pessimistic: '#b3261e',
  calibrated: '#1f6feb',
  optimistic: '#1a7f37',
};
const TICKS = 5;

export function curveSvg(runs: Runs): string {
  const points = [...runs.values()].flatMap(({ equity }) => equity);
  const from = Math.min(...points.map(({ t }) => t));
  const to = Math.max(...points.map(({ t }) => t));
  const low = Math.min(0, ...points.map(({ marked }) => marked));
  const high = Math.max(0, ...points.map(({ marked }) => marked));
  const x = (t: number): number =>
    EDGE.left + ((t - from) / Math.max(1, to - from)) * (WIDTH - EDGE.left - EDGE.right);
  const y = (value: number): number =>
    HEIGHT - EDGE.bottom - ((value - low) / Math.max(0.01, high - low)) * (HEIGHT - EDGE.top - EDGE.bottom);
  const at = (share: number, a: number, b: number): number => a + (share / TICKS) * (b - a);
  const levels = Array.from({ length: TICKS + 1 }, (_none, i) => at(i, low, high));
  const times = points.length === 0 ? [] : Array.from({ length: TICKS + 1 }, (_none, i) => at(i, from, to));
  const line = (of: readonly EquityPoint[]): string =>
    of.map(({ t, marked }) => `${x(t).toFixed(1)},${y(marked).toFixed(1)}`).join(' ');
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12">`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>`,
    `<text x="${EDGE.left}" y="20" font-size="14">Marked result, dollars</text>`,
    ...levels.map(
      (value) =>
        `<line x1="${EDGE.left}" x2="${WIDTH - EDGE.right}" y1="${y(value).toFixed(1)}" y2="${y(value).toFixed(1)}" stroke="#ddd"/>` +
        `<text x="${EDGE.left - 8}" y="${(y(value) + 4).toFixed(1)}" text-anchor="end">${value.toFixed(high - low < 20 ? 2 : 0)}</text>`,
    ),
    `<line x1="${EDGE.left}" x2="${WIDTH - EDGE.right}" y1="${y(0).toFixed(1)}" y2="${y(0).toFixed(1)}" stroke="#888"/>`,
    ...times.map(
      (t) =>
        `<text x="${x(t).toFixed(1)}" y="${HEIGHT - 14}" text-anchor="middle">${new Date(t).toISOString().slice(5, 16).replace('T', ' ')}</text>`,
    ),
    ...[...runs].flatMap(([name, { equity }], index) => [
      `<polyline points="${line(equity)}" fill="none" stroke="${COLOURS[name]}" stroke-width="1.5"/>`,
      `<text x="${WIDTH - EDGE.right - 90 * (runs.size - index)}" y="20" fill="${COLOURS[name]}">${name}</text>`,
    ]),
    '</svg>',
    '',
  ].join('\n');
}
