// Venue time of a tape (DESIGN §7): t′ = T0 + (t − from) / speed. Served times go through it, so a game of years ago starts
// as long after the start of the server as it did after `from`.
import { parseDuration } from '../../domain/index.ts';

export type TapeClock = {
  readonly venueTime: (tapeMs: number) => number;
  readonly iso: (tapeMs: number) => string;
};

export function createTapeClock(t0Ms: number, fromMs: number, speed: number): TapeClock {
  const venueTime = (tapeMs: number): number => t0Ms + (tapeMs - fromMs) / speed;
  return { venueTime, iso: (tapeMs) => new Date(Math.round(venueTime(tapeMs))).toISOString() };
}

/** Where a replay starts: an ISO time, or an offset from the first line. */
export type TapeStart = { readonly atMs: number } | { readonly afterMs: number };

/** `2019-12-29T01:30:00Z` or `20h`; undefined when it is neither. */
export function parseTapeStart(text: string): TapeStart | undefined {
  const afterMs = parseDuration(text);
  if (afterMs !== undefined) return { afterMs };
  if (!/^\d{4}-\d{2}-\d{2}/.test(text)) return undefined;
  // a time without a zone is UTC, whatever the machine's zone is
  const zoned = /T.*(Z|[+-]\d{2}:?\d{2})$/.test(text) || !text.includes('T') ? text : `${text}Z`;
  const atMs = Date.parse(zoned);
  return Number.isNaN(atMs) ? undefined : { atMs };
}

export const startOf = (start: TapeStart | undefined, firstMs: number): number =>
  start === undefined ? firstMs : 'atMs' in start ? start.atMs : firstMs + start.afterMs;
