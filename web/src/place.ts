// The place of an order, fill or quote as text. Two games, lines or halves never have the same text.
import { line as lineText } from './format.ts';
import type { Place } from './wire.ts';

const UNITS: Readonly<Record<string, string>> = {
  h: 'half',
  q: 'quarter',
  p: 'period',
  i: 'inning',
  s: 'set',
  m: 'map',
};
const WORDS: Readonly<Record<string, string>> = {
  full: 'full game',
  reg: 'regulation',
  f5: 'first five innings',
  part: 'part of the game',
};
const ORDINALS = ['', '1st', '2nd', '3rd'];

/** The name of a period: `h1` is `1st half`. Unknown codes stay as they are. */
export function periodText(period: string): string {
  const known = WORDS[period];
  if (known !== undefined) return known;
  const [, unit = '', digit = ''] = /^([a-z])(\d)$/.exec(period) ?? [];
  const name = UNITS[unit];
  return name === undefined ? period : `${ORDINALS[Number(digit)] ?? `${digit}th`} ${name}`;
}

/** Type, line and period of a market. The line is that of its first side. */
export const marketText = ({ type, line, period }: Omit<Place, 'game'>): string =>
  `${`${type} ${lineText(line, type)}`.trimEnd()}, ${periodText(period)}`;

/** Type and period of a market, beside a side that shows the line. */
export const typeText = ({ type, period }: Pick<Place, 'type' | 'period'>): string => `${type}, ${periodText(period)}`;

/** A side with its line from the view of its owner: away of a home line −3.5 is `away +3.5`. */
export const sideText = (side: string | null, { type, line }: Pick<Place, 'type' | 'line'>): string =>
  side === null ? '–' : `${side} ${lineText(side === 'away' && line !== null ? 0 - line + 0 : line, type)}`.trimEnd();
