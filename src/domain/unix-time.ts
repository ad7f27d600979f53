// Times of messages are Unix milliseconds. What lies outside 2000 … 2100 is another unit, and playing or pricing by it would be
// silent nonsense: seconds are January 1970.
import { OddsmakerError } from './errors.ts';

const TIMES = { from: Date.UTC(2000, 0), to: Date.UTC(2100, 0) } as const;
const LAST_DATE = 8.64e15;

/** Whether this can be the time of a message: Unix ms from 2000 to 2100. */
export const isUnixMs = (time: number): boolean => time >= TIMES.from && time < TIMES.to;

const UNITS = [
  { unit: 'seconds', inMs: 1000, advice: 'multiply by 1000' },
  { unit: 'microseconds', inMs: 1e-3, advice: 'divide by 1000' },
  { unit: 'nanoseconds', inMs: 1e-6, advice: 'divide by 1000000' },
] as const;

/** A record whose times are in another unit: no line that may be left out, but a file that was written wrong. */
export class WrongUnit extends OddsmakerError {}

/** What is wrong with a time that `isUnixMs` refuses, and the unit that may be meant. */
export function unixMsProblem(field: string, time: number): string {
  const date = Math.abs(time) <= LAST_DATE ? `, which is ${new Date(time).toISOString().slice(0, 10)}` : '';
  const meant = UNITS.find(({ inMs }) => isUnixMs(time * inMs));
  const advice = meant === undefined ? '' : `: ${meant.unit}? ${meant.advice}`;
  return `"${field}" must be milliseconds since 1970, of 2000 to 2100, received ${time}${date}${advice}`;
}
