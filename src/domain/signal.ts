// Named numbers of outside programs, such as the prices of an own model. Each is valid for a limited time:
// after a model dies, its values must not price anything.
import { parseDuration } from './durations.ts';
import { expectedHeld, isHeldName } from './held.ts';
import { isUnixMs, unixMsProblem } from './unix-time.ts';

/** The namespace and event of signals on a tape. */
export const SIGNAL_LINE = { ns: 'signals', event: 'signal' } as const;

/**
 * The prefix of signals with bookmakers' prices; the market id follows. Values are probabilities of its first
 * side.
 */
export const ODDS_PREFIX = 'odds:';
/**
 * The prefix of the bot's own signals: a market id with the fair probability of its first side by the model of
 * the game, the same with `:error`, or a game id with `:<parameter>` of that model.
 */
export const MODEL_PREFIX = 'model:';
/** The prefixes of the score of a game in play; the game id follows. */
export const SCORE_PREFIXES = { lead: 'lead:', clock: 'clock:', scored: 'scored:' } as const;
/** True for a signal with a part of the score of a game. */
export const isScore = (name: string): boolean =>
  Object.values(SCORE_PREFIXES).some((prefix) => name.startsWith(prefix));

/** One update of several signals: a reader sees all of its values or none. */
export type SignalUpdate = {
  /** The values by name; `null` withdraws an earlier value. */
  readonly values: Readonly<Record<string, number | null>>;
  /** How long the values are valid unless repeated, ms. */
  readonly ttlMs: number;
  /**
   * The time for which the values hold, Unix ms, when the sender gives one: their age counts from it, and not
   * from their arrival.
   */
  readonly ts?: number;
};

/** A parsed message. `slips`: the values that were left out, each with its field and the expected value. */
export type ReadSignals = { readonly update: SignalUpdate; readonly slips: readonly string[] };

/**
 * Why a message with signals, or a part of it, is refused: it cannot be read (`malformed`), its time is in
 * the future, its time had expired before it arrived (`over`), or some values are slips (the others are
 * accepted).
 */
export type SignalRefusal = {
  readonly why: 'malformed' | 'future' | 'over' | 'slip';
  readonly problem: string;
};

export const DEFAULT_SIGNAL_TTL_MS = 60_000;
/** The sender's clock may be ahead by this much, ms. */
const FUTURE_MS = 1000;
/** A lower number cannot be the validity of a price in ms: the sender means seconds. */
const LEAST_TTL_MS = 100;
const LONGEST_TTL_MS = 7 * 24 * 3_600_000;
/** A valid name: no blank and no `=`, at most 200 characters. Ids of markets fit. */
const NAME = /^[^\s\p{C}=]{1,200}$/u;

/** The names of signals with probabilities, from any source. */
const PROBABILITY = /^(fair|odds):/;

/** What the parts of a score may be. */
const SCORES = {
  lead: {
    prefix: SCORE_PREFIXES.lead,
    expected: "home's score minus away's, a whole number",
    fits: (value: number) => Number.isInteger(value),
  },
  clock: {
    prefix: SCORE_PREFIXES.clock,
    expected: 'the share of the game that is left, 1 … 0',
    fits: (value: number) => value >= 0 && value <= 1,
  },
  scored: {
    prefix: SCORE_PREFIXES.scored,
    expected: 'the sum of both scores, a whole number',
    fits: (value: number) => Number.isInteger(value) && value >= 0,
  },
} as const;

/** The problem of a number; undefined when there is none. */
function slipOf(name: string, value: number): string | undefined {
  const isProbability = PROBABILITY.test(name);
  const score = Object.values(SCORES).find(({ prefix }) => name.startsWith(prefix));
  const expected = isProbability
    ? 'a probability, 0 … 1'
    : (score?.expected ?? 'a finite number, or null to withdraw it');
  const slip = `signal ${name}: expected ${expected}, received ${value}`;
  if (!Number.isFinite(value)) return slip;
  if (score !== undefined) return score.fits(value) ? undefined : slip;
  if (isHeldName(name)) {
    const held = expectedHeld(name, value);
    return held === undefined ? undefined : `signal ${name}: expected ${held}, received ${value}`;
  }
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
 * Parses the values of a sender: `values`, and `ttl` as `30s` or in milliseconds. Returns the problem as
 * text. Values that are slips are left out: beside one percentage, every probability may be a percentage.
 */
export function readSignals(values: unknown, ttl: unknown): ReadSignals | string {
  if (typeof values !== 'object' || values === null || Array.isArray(values))
    return 'expected "values" to be an object of numbers by name';
  const entries = Object.entries(values as Readonly<Record<string, unknown>>);
  if (entries.length === 0) return 'expected at least one signal';
  const valid: [string, number | null][] = [];
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
    // JSON does not keep −0
    else valid.push([name, value === 0 ? 0 : value]);
  }
  const ttlMs = ttl === undefined ? DEFAULT_SIGNAL_TTL_MS : typeof ttl === 'string' ? parseDuration(ttl) : ttl;
  if (typeof ttl === 'number' && ttl > 0 && ttl < LEAST_TTL_MS)
    return `expected "ttl" as a duration, received the number ${ttl}, which is milliseconds: write "${ttl}s"`;
  if (typeof ttlMs !== 'number' || !(ttlMs >= 1 && ttlMs <= LONGEST_TTL_MS))
    return `expected "ttl" to be a duration such as 30s, at most ${LONGEST_TTL_MS / 3_600_000}h`;
  return { update: { values: Object.fromEntries(valid), ttlMs }, slips };
}

/**
 * Parses a message of an outside program: `{values: {name: number|null}, ttl?, ts?}`, the same over HTTP, in
 * files and in streams. `ts`, Unix ms: the time for which it holds; its validity counts from then.
 * @param now Unix ms
 */
export function readSignalMessage(message: unknown, now: number): ReadSignals | SignalRefusal {
  if (typeof message !== 'object' || message === null || Array.isArray(message))
    return malformed('expected an object with "values"');
  const { values, ttl, ts } = message as Readonly<Record<string, unknown>>;
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
