// Named numbers from outside, such as the prices of an own model. Each holds for a while only: a model that died must not
// go on pricing.
import { parseDuration } from './durations.ts';
import { isUnixMs, unixMsProblem } from './unix-time.ts';

/** On a tape, in the places of namespace and event. */
export const SIGNAL_LINE = { ns: 'signals', event: 'signal' } as const;

/** Of what bookmakers say that a market is worth, before its id: probability of its first side. */
export const ODDS_PREFIX = 'odds:';

/** Several at once, so that nobody sees half of them. */
export type SignalUpdate = {
  /** `null` withdraws what was told before. */
  readonly values: Readonly<Record<string, number | null>>;
  /** How long they hold, unless they are told again. */
  readonly ttlMs: number;
  /** When they were true, Unix ms, where the sender said so: they are as old as that, and not as their coming. */
  readonly ts?: number;
};

/** A message that was read. `slips`: values that are left out, each with its field and what was expected. */
export type ReadSignals = { readonly update: SignalUpdate; readonly slips: readonly string[] };

/**
 * Why a message with signals, or a part of it, is not taken: it cannot be read, it is of a time to come, its time was over before
 * it came, or values of it are slips (the others are taken).
 */
export type SignalRefusal = {
  readonly why: 'malformed' | 'future' | 'over' | 'slip';
  readonly problem: string;
};

export const DEFAULT_SIGNAL_TTL_MS = 60_000;
/** A clock of somebody else may be ahead by this much. */
const FUTURE_MS = 1000;
/** A number below is no time for which a price could hold: seconds are meant. */
const LEAST_TTL_MS = 100;
const LONGEST_TTL_MS = 7 * 24 * 3_600_000;
/** Ids of markets fit: whatever has no blank and no `=`, and is not absurdly long. */
const NAME = /^[^\s\p{C}=]{1,200}$/u;

/** Signals whose values are probabilities, from any source. */
const PROBABILITY = /^(fair|odds):/;

/** What is wrong with a number; undefined: nothing is. */
function slipOf(name: string, value: number): string | undefined {
  const isProbability = PROBABILITY.test(name);
  const expected = isProbability ? 'a probability, 0 … 1' : 'a finite number, or null to withdraw it';
  const slip = `signal ${name}: expected ${expected}, received ${value}`;
  if (!Number.isFinite(value)) return slip;
  if (!isProbability || (value > 0 && value < 1)) return undefined;
  return `${slip}${MEANT.find(({ is }) => is(value))?.text ?? ''}`;
}

const isPercentage = (value: unknown): boolean => typeof value === 'number' && value > 1 && value <= 100;
const MEANT: readonly { readonly is: (value: number) => boolean; readonly text: string }[] = [
  { is: (value) => value === 0 || value === 1, text: ': nothing is certain, null withdraws it' },
  { is: (value) => value > 1 && value < 3, text: ': decimal odds, or a percentage?' },
  { is: isPercentage, text: ': a percentage?' },
  { is: (value) => Math.abs(value) > 100, text: ': American odds?' },
];

/**
 * What somebody outside sends: `values`, and `ttl` as `30s` or in milliseconds. What is wrong with it, as text. Values that are
 * slips are left out: beside a percentage every probability may be one.
 */
export function readSignals(values: unknown, ttl: unknown): ReadSignals | string {
  if (typeof values !== 'object' || values === null || Array.isArray(values))
    return 'expected "values" to be an object of numbers by name';
  const entries = Object.entries(values as Readonly<Record<string, unknown>>);
  if (entries.length === 0) return 'expected at least one signal';
  const told: [string, number | null][] = [];
  const slips: string[] = [];
  const percentage = entries.find(([name, value]) => PROBABILITY.test(name) && isPercentage(value));
  for (const [name, value] of entries) {
    if (!NAME.test(name))
      return `${JSON.stringify(name.slice(0, 40))} is no name of a signal: 1 to 200 characters without blanks and "="`;
    if (value !== null && typeof value !== 'number') {
      const received = typeof value === 'string' ? `the text ${JSON.stringify(value.slice(0, 40))}` : typeof value;
      return `signal ${name}: expected a finite number, or null to withdraw it, received ${received}`;
    }
    const slip = value === null ? undefined : slipOf(name, value);
    if (slip !== undefined) slips.push(slip);
    else if (percentage !== undefined && value !== null && PROBABILITY.test(name))
      slips.push(`signal ${name}: ${String(value)} may be a percentage as well, beside ${percentage[0]}`);
    // JSON keeps no −0
    else told.push([name, value === 0 ? 0 : value]);
  }
  const ttlMs = ttl === undefined ? DEFAULT_SIGNAL_TTL_MS : typeof ttl === 'string' ? parseDuration(ttl) : ttl;
  if (typeof ttl === 'number' && ttl > 0 && ttl < LEAST_TTL_MS)
    return `expected "ttl" as a duration, received the number ${ttl}, which is milliseconds: write "${ttl}s"`;
  if (typeof ttlMs !== 'number' || !(ttlMs >= 1 && ttlMs <= LONGEST_TTL_MS))
    return `expected "ttl" to be a duration such as 30s, at most ${LONGEST_TTL_MS / 3_600_000}h`;
  return { update: { values: Object.fromEntries(told), ttlMs }, slips };
}

/**
 * A message of a program outside: `{values: {name: number|null}, ttl?, ts?}`, the same over HTTP, in files and in streams. `ts`,
 * Unix ms: when it was true; it holds from then on.
 * @param now Unix ms
 */
export function readSignalMessage(told: unknown, now: number): ReadSignals | SignalRefusal {
  if (typeof told !== 'object' || told === null || Array.isArray(told))
    return malformed('expected an object with "values"');
  const { values, ttl, ts } = told as Readonly<Record<string, unknown>>;
  const read = readSignals(values, ttl);
  if (typeof read === 'string') return malformed(read);
  if (ts === undefined) return read;
  const { update, slips } = read;
  if (typeof ts !== 'number' || !Number.isFinite(ts)) return malformed('expected "ts" in Unix ms');
  if (!isUnixMs(ts)) return malformed(unixMsProblem('ts', ts));
  if (ts > now + FUTURE_MS) return { why: 'future', problem: `"ts" is ${Math.round(ts - now)} ms in the future` };
  const ttlMs = Math.floor(update.ttlMs - Math.max(0, now - ts));
  if (ttlMs < 1) return { why: 'over', problem: 'its time was over before it came: "ts" and "ttl"' };
  return { update: { values: update.values, ttlMs, ts: Math.min(Math.round(ts), now) }, slips };
}

const malformed = (problem: string): SignalRefusal => ({ why: 'malformed', problem });
