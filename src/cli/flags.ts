// Parsers of flag values that several commands share.
import { InvalidArgumentError } from 'commander';
import type { TapeStart } from '../domain/index.ts';
import { parseDuration, parseTapeStart, parseTime } from '../domain/index.ts';

/** The longest delay of a Node.js timer. */
const LONGEST_MS = 2 ** 31 - 1;

/** Wraps a parser of another folder: its RangeError becomes a wrong command line. */
export const parsedBy =
  <T, Before extends readonly unknown[]>(parse: (text: string, ...before: Before) => T) =>
  (text: string, ...before: Before): T => {
    try {
      return parse(text, ...before);
    } catch (error) {
      if (error instanceof RangeError) throw new InvalidArgumentError(error.message);
      throw error;
    }
  };

/** Milliseconds. @throws InvalidArgumentError */
export function duration(text: string): number {
  const ms = parseDuration(text);
  if (ms === undefined) throw new InvalidArgumentError('expected a duration such as 250ms, 5s, 10m or 2h');
  if (ms > LONGEST_MS) throw new InvalidArgumentError('at most 24 days; without --for it runs until it is stopped');
  return ms;
}

/** Unix ms. @throws InvalidArgumentError */
export function isoTime(text: string): number {
  const time = parseTime(text);
  if (time === undefined)
    throw new InvalidArgumentError('expected an ISO time or date that exists, such as 2026-11-01');
  return time;
}

/** @throws InvalidArgumentError */
export function tapeStart(text: string): TapeStart {
  const start = parseTapeStart(text);
  if (start === undefined)
    throw new InvalidArgumentError(
      'expected an ISO time that exists (2019-12-29T01:30:00Z), or an offset such as 90s or 20h',
    );
  return start;
}

/** @throws InvalidArgumentError */
export function positive(text: string): number {
  const number = Number(text);
  if (!(number > 0) || !Number.isFinite(number)) throw new InvalidArgumentError('expected a number above 0');
  return number;
}

/** Dollars. @throws InvalidArgumentError */
export function amount(text: string): number {
  const dollars = Number(text);
  if (text.trim() === '' || !(dollars >= 0 && dollars <= 1e12))
    throw new InvalidArgumentError('expected dollars, 0 or more');
  return dollars;
}

/** @throws InvalidArgumentError */
export const wholeNumber =
  (least: number, most: number) =>
  (text: string): number => {
    const number = Number(text);
    if (text.trim() === '' || !Number.isInteger(number) || number < least || number > most)
      throw new InvalidArgumentError(`expected a whole number from ${least} to ${most}`);
    return number;
  };

/** @throws InvalidArgumentError */
export function shareOfAll(text: string): number {
  const share = Number(text);
  if (text.trim() === '' || !(share >= 0 && share <= 1))
    throw new InvalidArgumentError('expected a number from 0 to 1');
  return share;
}

/** Collects the values of a flag that may be repeated. */
export const collected = (text: string, before: readonly string[]): readonly string[] => [...before, text];

/** @throws InvalidArgumentError */
export function mapped(text: string, before: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const [, name, column] = /^([a-zA-Z]+)=(.+)$/.exec(text) ?? [];
  if (name === undefined || column === undefined)
    throw new InvalidArgumentError('expected FIELD=COLUMN, such as odds=Price');
  return { ...before, [name]: column };
}

/** @throws InvalidArgumentError */
export function weighed(text: string, before: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  const [, name, weight] = /^(.+)=(.+)$/.exec(text) ?? [];
  if (name === undefined || !(Number(weight) > 0))
    throw new InvalidArgumentError('expected NAME=WEIGHT with a weight above 0, such as pinnacle=2');
  return { ...before, [name]: Number(weight) };
}
