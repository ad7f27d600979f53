// Times as spreadsheets and bookmakers write them. Whether a date begins with its day, and which zone a time without one
// has, is decided once for a file.
import { isUnixMs, parseTime } from '../domain/index.ts';

export type TimeFormat = {
  /** Minutes east of Greenwich of times without a zone; undefined: they are not known. */
  readonly zone: number | undefined;
  /** What dates such as 13/11/2025 begin with. Undefined: no date of the file shows it. */
  readonly dates: 'day' | 'month' | undefined;
  /** What is assumed of the whole file, one sentence each. */
  readonly assumed: readonly string[];
};

/**
 * The format of the times of one file.
 * @param zoneMinutes of times without a zone. Undefined: UTC, where none of `times` has one
 */
export function timeFormatOf(
  times: readonly string[],
  starts: readonly string[],
  zoneMinutes: number | undefined,
): TimeFormat {
  const all = [...times, ...starts];
  const dates = dateOrderOf(all);
  const isUtc = zoneMinutes === undefined && !times.some(hasZone);
  return {
    zone: isUtc ? 0 : zoneMinutes,
    dates,
    assumed: [
      ...(isUtc ? ['Times have no zone and are read as UTC: --zone +01:00 if they are of another.'] : []),
      ...(dates === undefined && all.some((text) => SLASHED.test(text))
        ? ['Dates such as 05/11/2025 are read with the month first: no date of the file shows the order.']
        : []),
    ],
  };
}

const ZONED = /(?:Z|UTC?|GMT|[ECMP][SD]T|[+-]\d{2}:?\d{2})\s*(?:\(.*\))?$/i;
const hasZone = (text: string): boolean => ZONED.test(text.trim()) || /^\d+(?:\.\d+)?$/.test(text.trim());

const SLASHED = /^(\d{1,2})\/(\d{1,2})\/(\d{4}|\d{2})(?!\d)/;
const DOTTED = /^(\d{1,2})\.(\d{1,2})\.(\d{4}|\d{2})(?!\d)/;

function dateOrderOf(times: readonly string[]): TimeFormat['dates'] {
  const dates = times.flatMap((text) => {
    const [, first, second] = SLASHED.exec(text) ?? [];
    return first === undefined ? [] : [{ first: Number(first), second: Number(second) }];
  });
  if (dates.some(({ first }) => first > 12)) return 'day';
  return dates.some(({ second }) => second > 12) ? 'month' : undefined;
}

/** A time whose date has its month first. Dates with points begin with their day. */
function dateRead(text: string, dates: TimeFormat['dates']): string {
  const [head, first = '', second = '', year = ''] = DOTTED.exec(text) ?? SLASHED.exec(text) ?? [];
  if (head === undefined) return text;
  const isDayFirst = head.includes('.') || dates === 'day';
  const [month, day] = isDayFirst ? [second, first] : [first, second];
  return `${month}/${day}/${year.length === 2 ? `20${year}` : year}${text.slice(head.length)}`;
}

const DATE_ONLY = /^\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}$/;

/** A time, Unix ms, or why the text is none. @param name of the field, for the message */
export function timeIn(text: string, { zone, dates }: TimeFormat, name: string): number | string {
  if (text === '') return `it has no ${name}`;
  const number = Number(text);
  if (/^\d+(?:\.\d+)?$/.test(text)) {
    const ms = isUnixMs(number) ? number : isUnixMs(number * 1000) ? number * 1000 : undefined;
    return ms ?? `${name} ${text}: expected an ISO time, or Unix seconds or ms`;
  }
  if (DATE_ONLY.test(text) && name === 'time') return `${name} ${text}: a date without a time of day has no price`;
  const ms = parseTime(dateRead(text, dates));
  if (ms === undefined || !isUnixMs(ms))
    return `${name} ${text}: expected a time such as 2026-11-08T18:03:00Z${dates === 'day' ? '; dates of this file begin with their day' : ''}`;
  if (hasZone(text)) return ms;
  if (zone === undefined) return `${name} ${text} has no zone, and others of the file have one: give --zone`;
  return ms - zone * 60_000;
}
