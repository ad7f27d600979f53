// Parses durations (`250ms`, `5s`, `10m`, `2h`), ages (`30d`), times, and starts of tapes.
const UNIT_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 } as const;

/** A duration in ms; undefined when the text is none. */
export function parseDuration(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(text.trim());
  const unit = match?.[2] as keyof typeof UNIT_MS | undefined;
  return match?.[1] === undefined || unit === undefined ? undefined : Number(match[1]) * UNIT_MS[unit];
}

const DAY_MS = 86_400_000;

/** A duration or a number of days, in ms; undefined when the text is neither. */
export function parseAge(text: string): number | undefined {
  const [, days] = /^(\d+(?:\.\d+)?)d$/.exec(text.trim()) ?? [];
  return days === undefined ? parseDuration(text) : Number(days) * DAY_MS;
}

/** The start of a replay: an ISO time, or an offset from the first line of the tape. */
export type TapeStart = { readonly atMs: number } | { readonly afterMs: number };

/** A start such as `2019-12-29T01:30:00Z` or `20h`; undefined when the text is neither. */
export function parseTapeStart(text: string): TapeStart | undefined {
  const afterMs = parseDuration(text);
  if (afterMs !== undefined) return { afterMs };
  if (!/^\d{4}-\d{2}-\d{2}/.test(text)) return undefined;
  const atMs = parseTime(text);
  return atMs === undefined ? undefined : { atMs };
}

/**
 * The Unix ms of a time or date as text; undefined when it is none, or names a day that its month does not
 * have. A time without a zone is UTC, whatever the machine's zone is. All times are parsed here: `Date.parse`
 * assumes the machine's zone, and takes 30 February for 2 March.
 */
export function parseTime(text: string): number | undefined {
  const trimmed = text.trim();
  const isIso = ISO_UTC.test(trimmed);
  // every month has these 28 days
  if (isIso ? trimmed.slice(8, 10) > '28' && !isIsoDay(trimmed) : !isInCalendar(trimmed)) return undefined;
  const ms = isIso ? Date.parse(trimmed) : readTime(trimmed);
  return Number.isNaN(ms) ? undefined : ms;
}

const ISO_UTC = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}[\d:.]*Z$/;
const ISO = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}[\d:.]*)?$/i;
const NAME = String.raw`Z|UTC?|GMT|[ECMP][SD]T`;
/** A time of day, then its zone: a name, an offset, or a name with an offset. */
const ZONED = new RegExp(
  String.raw`^(.*?\d:\d{2}(?::\d{2}(?:\.\d+)?)?(?: ?[ap]m)?) ?(${NAME})? ?(?:([+-])(\d{1,2})(?::?(\d{2}))?)?(?: \(.*\))?$`,
  'i',
);
const ELSEWHERE = new RegExp(String.raw`\b(?:${NAME})\b|[+-]\d{4}\b`, 'i');
/** Hours west of Greenwich, in winter; one hour less in summer. */
const HOURS_WEST: Readonly<Record<string, number>> = { E: 5, C: 6, M: 7, P: 8 };
const HOUR_MS = 3_600_000;
/** The largest offset of a zone, hours: Kiribati. */
const FARTHEST_ZONE = 14;

function readTime(text: string): number {
  const [, local, name, sign, hours = '0', minutes = '0'] = ZONED.exec(text) ?? [];
  // other spellings, such as `Tue Jan 1 12:00:00 UTC 2030`
  if (local === undefined) return ELSEWHERE.test(text) ? Date.parse(text) : ofUtc(text);
  if (Number(hours) > FARTHEST_ZONE) return Number.NaN;
  const zone = name?.toUpperCase() ?? '';
  const west = (HOURS_WEST[zone.slice(0, -2)] ?? 0) - (zone.endsWith('DT') ? 1 : 0);
  const east = (Number(hours) * HOUR_MS + Number(minutes) * 60_000) * (sign === '-' ? -1 : 1);
  return ofUtc(local) + west * HOUR_MS - east;
}

/** Only a text that is ISO throughout is parsed alike by every engine. */
const ofUtc = (text: string): number => Date.parse(ISO.test(text) ? text.replace(/[T ](.*)$/i, 'T$1Z') : `${text} UTC`);

const YEAR_FIRST = /^(?<year>\d{4})(?:[-/](?<month>\d{1,2})(?:[-/](?<day>\d{1,2}))?)?(?!\d)/;
const MONTH_FIRST = /^(?<month>\d{1,2})[-/](?<day>\d{1,2})[-/](?<year>\d{4})(?!\d)/;
const MONTHS = 'jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec';
/** Dates such as `Tue Jan 1 12:00:00 UTC 2030` and `Tue, 01 Jan 2030 12:00:00 GMT`. */
const NAMED = [
  new RegExp(String.raw`\b(?<name>${MONTHS})[a-z]*\.?[ -]+(?<day>\d{1,2})(?!\d)`, 'i'),
  new RegExp(String.raw`(?<!\d)(?<day>\d{1,2})[ -]+(?<name>${MONTHS})`, 'i'),
];
const NAMED_YEAR = /(?:[ ,]|[a-z]-)(\d{4})(?!\d)/i;

/**
 * True when the text names a year and an existing day: `Date.parse` takes 30 February for 2 March, and
 * assumes 2001 without a year.
 */
function isInCalendar(text: string): boolean {
  const numbers = (YEAR_FIRST.exec(text) ?? MONTH_FIRST.exec(text))?.groups;
  const named = numbers ?? NAMED.map((form) => form.exec(text)?.groups).find((groups) => groups !== undefined);
  if (named === undefined) return false;
  const { day = '1', name } = named;
  const year = Number(named['year'] ?? NAMED_YEAR.exec(text)?.[1] ?? Number.NaN);
  const month = name === undefined ? Number(named['month'] ?? 1) : MONTHS.split('|').indexOf(name.toLowerCase()) + 1;
  return !Number.isNaN(year) && Number(day) <= daysIn(year, month);
}

const isIsoDay = (text: string): boolean =>
  Number(text.slice(8, 10)) <= daysIn(Number(text.slice(0, 4)), Number(text.slice(5, 7)));

/** The days of a month; 0 for a month that does not exist. */
function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month >= 1 && month <= 12 ? ([4, 6, 9, 11].includes(month) ? 30 : 31) : 0;
}

/** The ISO time of Unix ms, in UTC. */
export const isoTime = (ms: number): string => new Date(ms).toISOString();

/**
 * The Unix ms of a start, in a tape whose first line has the time `firstMs`; the first line when undefined.
 */
export const tapeStartMs = (start: TapeStart | undefined, firstMs: number): number =>
  start === undefined ? firstMs : 'atMs' in start ? start.atMs : firstMs + start.afterMs;

/** A span in ms, rounded to the microsecond: finer digits mean nothing, and take space. */
export const toMicroseconds = (ms: number): number => Math.round(ms * 1000) / 1000;
