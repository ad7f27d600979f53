// Times of messages are Unix milliseconds. A value outside 2000 … 2100 is in another unit, and replaying or
// pricing with it would be silent nonsense: seconds would mean January 1970.
import { OddsmakerError } from './errors.ts';

const TIMES = { from: Date.UTC(2000, 0), to: Date.UTC(2100, 0) } as const;
const LAST_DATE = 8.64e15;

/** True when this can be the time of a message: Unix ms from 2000 to 2100. */
export const isUnixMs = (time: number): boolean => time >= TIMES.from && time < TIMES.to;

const UNITS = [
  { unit: 'seconds', inMs: 1000, advice: 'multiply by 1000' },
  { unit: 'microseconds', inMs: 1e-3, advice: 'divide by 1000' },
  { unit: 'nanoseconds', inMs: 1e-6, advice: 'divide by 1000000' },
] as const;

/**
 * The error for a record with times in another unit: the whole file is wrong, so the line must not be
 * skipped.
 */
export class WrongUnit extends OddsmakerError {}

/** The problem of a time that `isUnixMs` refuses, and the unit that may be meant. */
export function unixMsProblem(field: string, time: number): string {
  const date = Math.abs(time) <= LAST_DATE ? `, which is ${new Date(time).toISOString().slice(0, 10)}` : '';
  const meant = UNITS.find(({ inMs }) => isUnixMs(time * inMs));
  const advice = meant === undefined ? '' : `: ${meant.unit}? ${meant.advice}`;
  return `"${field}" must be milliseconds since 1970, of 2000 to 2100, received ${time}${date}${advice}`;
}
