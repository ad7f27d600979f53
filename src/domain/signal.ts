// Named numbers from outside, such as the prices of an own model. Each holds for a while only: a model that died must not
// go on pricing.
import { parseDuration } from './durations.ts';

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

/** Why a message with signals is not taken: it cannot be read, it is of a time to come, or its time was over before it came. */
export type SignalRefusal = {
  readonly why: 'malformed' | 'future' | 'over';
  readonly problem: string;
};

export const DEFAULT_SIGNAL_TTL_MS = 60_000;
/** A clock of somebody else may be ahead by this much. */
const FUTURE_MS = 1000;
const LONGEST_TTL_MS = 7 * 24 * 3_600_000;
/** Ids of markets fit: whatever has no blank and no `=`, and is not absurdly long. */
const NAME = /^[^\s\p{C}=]{1,200}$/u;

/** What somebody outside tells: `values`, and `ttl` as `30s` or in milliseconds. What is wrong with it, as text. */
export function readSignals(values: unknown, ttl: unknown): SignalUpdate | string {
  if (typeof values !== 'object' || values === null || Array.isArray(values))
    return 'expected "values" to be an object of numbers by name';
  const entries = Object.entries(values as Readonly<Record<string, unknown>>);
  if (entries.length === 0) return 'expected at least one signal';
  const told: [string, number | null][] = [];
  for (const [name, value] of entries) {
    if (!NAME.test(name))
      return `${JSON.stringify(name.slice(0, 40))} is no name of a signal: 1 to 200 characters without blanks and "="`;
    if (value !== null && (typeof value !== 'number' || !Number.isFinite(value)))
      return `signal ${name}: expected a finite number, or null to withdraw it`;
    // JSON keeps no −0
    told.push([name, value === 0 ? 0 : value]);
  }
  const ttlMs =
    ttl === undefined ? DEFAULT_SIGNAL_TTL_MS : typeof ttl === 'string' ? parseDuration(ttl) : ttl;
  if (typeof ttlMs !== 'number' || !(ttlMs >= 1 && ttlMs <= LONGEST_TTL_MS))
    return `expected "ttl" to be a duration such as 30s, at most ${LONGEST_TTL_MS / 3_600_000}h`;
  return { values: Object.fromEntries(told), ttlMs };
}

/**
 * A message of a program outside: `{values: {name: number|null}, ttl?, ts?}`, the same over HTTP, in files and in streams. `ts`,
 * Unix ms: when it was true; it holds from then on.
 * @param now Unix ms
 */
export function readSignalMessage(told: unknown, now: number): SignalUpdate | SignalRefusal {
  if (typeof told !== 'object' || told === null || Array.isArray(told))
    return malformed('expected an object with "values"');
  const { values, ttl, ts } = told as Readonly<Record<string, unknown>>;
  const update = readSignals(values, ttl);
  if (typeof update === 'string') return malformed(update);
  if (ts === undefined) return update;
  if (typeof ts !== 'number' || !Number.isFinite(ts)) return malformed('expected "ts" in Unix ms');
  if (ts > now + FUTURE_MS)
    return { why: 'future', problem: `"ts" is ${Math.round(ts - now)} ms in the future` };
  const ttlMs = Math.floor(update.ttlMs - Math.max(0, now - ts));
  if (ttlMs < 1) return { why: 'over', problem: 'its time was over before it came: "ts" and "ttl"' };
  return { values: update.values, ttlMs, ts: Math.min(Math.round(ts), now) };
}

const malformed = (problem: string): SignalRefusal => ({ why: 'malformed', problem });
