// Where an order, a fill or a quote is, as people say it: two games, lines or halves never read the same.
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

/** `h1` is `1st half`; what is not known stays as it is. */
export function periodText(period: string): string {
  const known = WORDS[period];
  if (known !== undefined) return known;
  const [, unit = '', digit = ''] = /^([a-z])(\d)$/.exec(period) ?? [];
  const name = UNITS[unit];
  return name === undefined ? period : `${ORDINALS[Number(digit)] ?? `${digit}th`} ${name}`;
}

/** Type, line and period of a market; the line is that of its first side. */
export const marketText = ({ type, line, period }: Omit<Place, 'game'>): string =>
  `${`${type} ${lineText(line, type)}`.trimEnd()}, ${periodText(period)}`;

/** The same beside a side that has its line. */
export const typeText = ({ type, period }: Pick<Place, 'type' | 'period'>): string => `${type}, ${periodText(period)}`;

/** A side with its line, as its owner has it: away of a home line −3.5 is `away +3.5`. */
export const sideText = (side: string | null, { type, line }: Pick<Place, 'type' | 'line'>): string =>
  side === null ? '–' : `${side} ${lineText(side === 'away' && line !== null ? 0 - line + 0 : line, type)}`.trimEnd();
