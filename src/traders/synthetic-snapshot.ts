// The state of the synthetic market as JSON, from which a later run of the exchange continues. Traders'
// offers are not part of it: traders quote again.
import { z } from 'zod';

const number = z.number();
const count = z.int().min(0);
/** A time in Unix ms that can be written as a date. */
const time = z.number().min(0).max(8e15);
const play = z.strictObject({
  seconds: number,
  possessions: count,
  home: count,
  away: count,
  halfHome: count,
  halfAway: count,
  // files of version 0.2 do not have these
  thirdHome: count.default(0),
  thirdAway: count.default(0),
  endHome: count.default(0),
  endAway: count.default(0),
  star: count,
  run: z.int(),
});
const game = z.strictObject({
  index: count,
  startMs: time,
  moved: z.boolean(),
  live: z.boolean(),
  margin: number,
  pace: number,
  spread: number,
  total: number,
  closedS: number,
  overS: number,
  play,
});
const slateState = z.strictObject({
  version: z.literal(1),
  atMs: time,
  next: count,
  lastStartMs: time,
  games: z.array(game).readonly(),
  champion: z.strictObject({ season: count, startMs: time, strength: number }).optional(),
});

export type SlateState = Readonly<z.output<typeof slateState>>;

/**
 * Reads a stored state. `problem`: why it cannot be read. A missing state is no problem: the exchange ended
 * before it stored one.
 */
export function readSlateState(value: unknown): {
  readonly state: SlateState | undefined;
  readonly problem: string | undefined;
} {
  if (value === undefined || value === null) return { state: undefined, problem: undefined };
  const read = slateState.safeParse(value);
  if (read.success) return { state: read.data, problem: undefined };
  const [issue] = read.error.issues;
  const where = issue === undefined ? '' : `${issue.path.join('.')}: ${issue.message}`;
  return {
    state: undefined,
    problem: `the stored synthetic market cannot be read (${where}); a new one is started`,
  };
}
