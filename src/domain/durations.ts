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

/** A date with a time of day, from its first digit on. */
const OF_DAY = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}.*)$/i;
const ZONE = /(?:Z|[+-]\d{2}:?\d{2}|\b(?:GMT|UTC?)(?:[+-]\d{4})?(?: \(.*\))?)$/i;

/** Unix ms of an ISO time, or undefined. A time without a zone is UTC, whatever the machine's zone is. */
export function parseTime(text: string): number | undefined {
  const ms = Date.parse(text.endsWith('Z') ? text : withZone(text));
  return Number.isNaN(ms) ? undefined : ms;
}

function withZone(text: string): string {
  const [, date, time] = OF_DAY.exec(text) ?? [];
  if (date !== undefined && time !== undefined) return `${date}T${time}${ZONE.test(time) ? '' : 'Z'}`;
  // a date alone is of UTC by itself; what is written out is of the machine's zone
  return ZONE.test(text) || !/[:a-z]/i.test(text) ? text : `${text} UTC`;
}

/** The ISO time of Unix ms, in UTC. */
export const isoTime = (ms: number): string => new Date(ms).toISOString();

/** Unix ms of a start, in a tape whose first line is of `firstMs`; none: the first line. */
export const tapeStartMs = (start: TapeStart | undefined, firstMs: number): number =>
  start === undefined ? firstMs : 'atMs' in start ? start.atMs : firstMs + start.afterMs;
