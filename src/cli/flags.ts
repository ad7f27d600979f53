// Values of flags that several commands take.
import { InvalidArgumentError } from 'commander';
import { parseDuration } from '../domain/index.ts';

/** The longest timer there is. */
const LONGEST_MS = 2 ** 31 - 1;

/** Milliseconds. @throws InvalidArgumentError */
export function duration(text: string): number {
  const ms = parseDuration(text);
  if (ms === undefined) throw new InvalidArgumentError('expected a duration such as 250ms, 5s, 10m or 2h');
  if (ms > LONGEST_MS)
    throw new InvalidArgumentError('at most 24 days; without --for it runs until it is stopped');
  return ms;
}
