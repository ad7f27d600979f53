// Durations (`250ms`, `5s`, `10m`, `2h`), ages (`30d`), times, and starts of tapes, as text.
const UNIT_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 } as const;

/** Milliseconds, or undefined when the text is not a duration. */
export function parseDuration(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(text.trim());
  const unit = match?.[2] as keyof typeof UNIT_MS | undefined;
  return match?.[1] === undefined || unit === undefined ? undefined : Number(match[1]) * UNIT_MS[unit];
}

const DAY_MS = 86_400_000;

/** A duration, or days: milliseconds, or undefined when the text is neither. */
export function parseAge(text: string): number | undefined {
  const [, days] = /^(\d+(?:\.\d+)?)d$/.exec(text.trim()) ?? [];
  return days === undefined ? parseDuration(text) : Number(days) * DAY_MS;
}

/** Where a replay starts: an ISO time, or an offset from the first line of the tape. */
export type TapeStart = { readonly atMs: number } | { readonly afterMs: number };

/** `2019-12-29T01:30:00Z` or `20h`; undefined when it is neither. */
export function parseTapeStart(text: string): TapeStart | undefined {
  const afterMs = parseDuration(text);
  if (afterMs !== undefined) return { afterMs };
  if (!/^\d{4}-\d{2}-\d{2}/.test(text)) return undefined;
  const atMs = parseTime(text);
  return atMs === undefined ? undefined : { atMs };
}

/** Unix ms of an ISO time, or undefined. A time without a zone is UTC, whatever the machine's zone is. */
export function parseTime(text: string): number | undefined {
  const ms = ISO_UTC.test(text) ? Date.parse(text) : readTime(text);
  return Number.isNaN(ms) ? undefined : ms;
}

const ISO_UTC = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}[\d:.]*Z$/;
const ISO = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}[\d:.]*)?$/i;
const NAME = String.raw`Z|UTC?|GMT|[ECMP][SD]T`;
/** A time of day, then its zone: a name, an offset, or a name with an offset from it. */
const ZONED = new RegExp(
  String.raw`^(.*?\d:\d{2}(?::\d{2}(?:\.\d+)?)?(?: ?[ap]m)?) ?(${NAME})? ?(?:([+-])(\d{1,2})(?::?(\d{2}))?)?(?: \(.*\))?$`,
  'i',
);
const ELSEWHERE = new RegExp(String.raw`\b(?:${NAME})\b|[+-]\d{4}\b`, 'i');
/** West of Greenwich, in winter; in summer an hour less. */
const HOURS_WEST: Readonly<Record<string, number>> = { E: 5, C: 6, M: 7, P: 8 };
const HOUR_MS = 3_600_000;

function readTime(text: string): number {
  const [, local, name, sign, hours = '0', minutes = '0'] = ZONED.exec(text) ?? [];
  // what is written out otherwise, as `Tue Jan 1 12:00:00 UTC 2030`
  if (local === undefined) return ELSEWHERE.test(text) ? Date.parse(text) : ofUtc(text);
  const zone = name?.toUpperCase() ?? '';
  const west = (HOURS_WEST[zone.slice(0, -2)] ?? 0) - (zone.endsWith('DT') ? 1 : 0);
  const east = (Number(hours) * HOUR_MS + Number(minutes) * 60_000) * (sign === '-' ? -1 : 1);
  return ofUtc(local) + west * HOUR_MS - east;
}

/** Only what is ISO throughout is read the same way everywhere. */
const ofUtc = (text: string): number =>
  Date.parse(ISO.test(text) ? text.replace(/[T ](.*)$/i, 'T$1Z') : `${text} UTC`);

/** The ISO time of Unix ms, in UTC. */
export const isoTime = (ms: number): string => new Date(ms).toISOString();

/** Unix ms of a start, in a tape whose first line is of `firstMs`; none: the first line. */
export const tapeStartMs = (start: TapeStart | undefined, firstMs: number): number =>
  start === undefined ? firstMs : 'atMs' in start ? start.atMs : firstMs + start.afterMs;
