// What several configurations came to, as a picture: one line each, from its worst scenario to its best.
import { COLOURS, levelsOf } from './backtest-curve.ts';
import type { VariedRun } from './variations.ts';
import { settingText } from './variations.ts';

const WIDTH = 960;
const ROW = 24;
const EDGE = { right: 40, top: 70, bottom: 20 };
/** Of a letter, about: the names stand left of their lines. */
const LETTER = 6.6;
const LONGEST = 60;

export function spreadSvg(rows: readonly VariedRun[]): string {
  const isSettled = rows.every(({ result }) =>
    Object.values(result.scenarios).every(({ pnl }) => pnl.settled !== undefined),
  );
  const told = rows.map(({ variation, result }) => ({
    name: shortened(variation.map(settingText).join('  ')),
    points: Object.entries(result.scenarios).map(([scenario, { pnl }]) => ({
      colour: COLOURS[scenario as keyof typeof COLOURS],
      value: (isSettled ? pnl.settled : undefined) ?? pnl.marked,
    })),
  }));
  const levels = levelsOf(told.flatMap(({ points }) => points.map(({ value }) => value)));
  const low = levels[0] ?? 0;
  const high = levels.at(-1) ?? 0;
  const left = 30 + LETTER * Math.max(0, ...told.map(({ name }) => name.length));
  const bottom = EDGE.top + ROW * told.length;
  const x = (value: number): string =>
    (left + ((value - low) / Math.max(0.01, high - low)) * (WIDTH - EDGE.right - left)).toFixed(1);
  const scenarios = Object.keys(rows[0]?.result.scenarios ?? {}) as (keyof typeof COLOURS)[];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${bottom + EDGE.bottom}" font-family="sans-serif" font-size="12">`,
    `<rect width="${WIDTH}" height="${bottom + EDGE.bottom}" fill="#fff"/>`,
    `<text x="20" y="20" font-size="14">${isSettled ? 'Settled' : 'Marked'} result, dollars</text>`,
    ...scenarios.map(
      (name, index) =>
        `<text x="${WIDTH - 20 - 90 * (scenarios.length - index)}" y="20" fill="${COLOURS[name]}">${name}</text>`,
    ),
    ...levels.map(
      (value) =>
        `<line x1="${x(value)}" x2="${x(value)}" y1="${EDGE.top - 10}" y2="${bottom}" stroke="${value === 0 ? '#888' : '#ddd'}"/>` +
        `<text x="${x(value)}" y="${EDGE.top - 18}" text-anchor="middle">${value.toFixed(high - low < 5 ? 2 : 0)}</text>`,
    ),
    ...told.flatMap(({ name, points }, index) => {
      const y = EDGE.top + ROW * (index + 0.5);
      const values = points.map(({ value }) => value);
      return [
        `<text x="20" y="${y + 4}">${escaped(name)}</text>`,
        `<line x1="${x(Math.min(...values))}" x2="${x(Math.max(...values))}" y1="${y}" y2="${y}" stroke="#bbb" stroke-width="3"/>`,
        ...points.map(({ colour, value }) => `<circle cx="${x(value)}" cy="${y}" r="4" fill="${colour}"/>`),
      ];
    }),
    '</svg>',
    '',
  ].join('\n');
}

const shortened = (name: string): string => (name.length > LONGEST ? `${name.slice(0, LONGEST - 1)}…` : name);

const escaped = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replace(/\p{Cc}/gu, ' ');
