// Plots the results of several variations: one line each, from its worst scenario to its best.
import { COLOURS, levelsOf } from './curve-svg.ts';
import type { VariedRun } from './variations.ts';
import { settingText } from './variations.ts';

const WIDTH = 960;
const ROW = 24;
const EDGE = { right: 40, top: 70, bottom: 24 };
/** The greatest width of a letter: the names stand left of their lines. */
const LETTER = 7.5;
const GAP = 20;
const LONGEST = 60;
/** With more rows than this, the scale is repeated below them. */
const MANY = 20;
/** The scenario that is drawn last, on top of the others. */
const DRAWN_LAST = 'calibrated';

export function spreadSvg(rows: readonly VariedRun[]): string {
  const isSettled = rows.every(({ result }) =>
    Object.values(result.scenarios).every(({ pnl }) => pnl.settled !== undefined && (pnl.unsettled ?? []).length === 0),
  );
  // names show only the settings that differ between variations
  const differs = rows[0]?.variation.map(({ text }, index) =>
    rows.some(({ variation }) => variation[index]?.text !== text),
  );
  const plotted = rows.map(({ run, variation, result }) => ({
    name: shortened(
      [run, ...variation.filter((_setting, index) => differs?.[index] ?? false).map(settingText)].join('  '),
    ),
    title: variation.map(settingText).join('  '),
    points: Object.entries(result.scenarios)
      .map(([scenario, { pnl }]) => ({
        scenario,
        colour: COLOURS[scenario as keyof typeof COLOURS],
        value: (isSettled ? pnl.settled : undefined) ?? pnl.marked,
      }))
      .sort((a, b) => Number(a.scenario === DRAWN_LAST) - Number(b.scenario === DRAWN_LAST)),
  }));
  const levels = levelsOf(plotted.flatMap(({ points }) => points.map(({ value }) => value)));
  const low = levels[0] ?? 0;
  const high = levels.at(-1) ?? 0;
  const left = 20 + GAP + LETTER * Math.max(0, ...plotted.map(({ name }) => name.length));
  const bottom = EDGE.top + ROW * plotted.length;
  const x = (value: number): string =>
    (left + ((value - low) / Math.max(0.01, high - low)) * (WIDTH - EDGE.right - left)).toFixed(1);
  const scaleYs = [EDGE.top - 18, ...(rows.length > MANY ? [bottom + 16] : [])];
  const scenarios = (plotted[0]?.points ?? []).map(({ scenario }) => scenario as keyof typeof COLOURS).reverse();
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
        scaleYs
          .map(
            (y) =>
              `<text x="${x(value)}" y="${y}" text-anchor="middle">${value.toFixed(high - low < 5 ? 2 : 0)}</text>`,
          )
          .join(''),
    ),
    ...plotted.flatMap(({ name, title, points }, index) => {
      const y = EDGE.top + ROW * (index + 0.5);
      const values = points.map(({ value }) => value);
      return [
        `<text x="20" y="${y + 4}">${escaped(name)}<title>${escaped(title)}</title></text>`,
        `<line x1="${x(Math.min(...values))}" x2="${x(Math.max(...values))}" y1="${y}" y2="${y}" stroke="#bbb" stroke-width="3"/>`,
        ...points.map(({ colour, value }) => `<circle cx="${x(value)}" cy="${y}" r="4" fill="${colour}"/>`),
      ];
    }),
    '</svg>',
    '',
  ].join('\n');
}

const shortened = (name: string): string => (name.length > LONGEST ? `${name.slice(0, LONGEST - 1)}…` : name);

export const escaped = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replace(/\p{Cc}/gu, ' ');
