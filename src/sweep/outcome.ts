// What playing a point came to: the same bytes wherever it was played.
import type { GameId } from '../domain/index.ts';
import type { Share } from './objective.ts';
import { NO_SHARE } from './objective.ts';

/** Of one game in which something was filled or asked for; money in micro-dollars. */
export type GameOutcome = Share & {
  readonly game: GameId;
  readonly fills: number;
  /** By the final score, else marked at the end. */
  readonly pnl: number;
  /** Its share of the place permits. */
  readonly permits: number;
  /** Fills before the start, those of them with a close, and their closing line value. */
  readonly earlyFills: number;
  readonly earlyKnown: number;
  readonly earlyEdge: number;
  /** Fills in play, those of them with a price 300 s later, and their markout then. */
  readonly liveFills: number;
  readonly liveKnown: number;
  readonly liveEdge: number;
};

export type Played = {
  readonly status: 'played';
  /** By the paths of the report (`clv.dollars`), dollars; null: not known. */
  readonly figures: Readonly<Record<string, number | null>>;
  /** In the order of their ids. */
  readonly games: readonly GameOutcome[];
  /** What strategies did wrong, each once: a point with any is not judged. */
  readonly errors: readonly string[];
};

export type Failed = {
  readonly status: 'failed';
  /** Of the registry. */
  readonly code: string;
  readonly problem: string;
};

export type Outcome = Played | Failed;

/** What somebody else wrote is none. */
export function isOutcome(told: unknown): told is Outcome {
  if (typeof told !== 'object' || told === null) return false;
  const { status, code, problem, figures, games, errors } = told as Readonly<Record<string, unknown>>;
  if (status === 'failed') return typeof code === 'string' && typeof problem === 'string';
  return (
    status === 'played' &&
    isObject(figures) &&
    Object.values(figures).every((one) => one === null || typeof one === 'number') &&
    Array.isArray(games) &&
    games.every(isGame) &&
    Array.isArray(errors) &&
    errors.every((one) => typeof one === 'string')
  );
}

const COUNTS = [
  ...['fills', 'pnl', 'permits', ...Object.keys(NO_SHARE)],
  ...['earlyFills', 'earlyKnown', 'earlyEdge', 'liveFills', 'liveKnown', 'liveEdge'],
];
const isObject = (told: unknown): told is Readonly<Record<string, unknown>> =>
  typeof told === 'object' && told !== null && !Array.isArray(told);
const isGame = (told: unknown): boolean =>
  isObject(told) &&
  typeof told['game'] === 'string' &&
  // null is what no finite number is written as
  COUNTS.every((name) => told[name] === null || typeof told[name] === 'number');

/** Hangs on the machine: another try may come to something else, and that counts. */
export const isWorthAnother = (outcome: Outcome): boolean =>
  outcome.status === 'failed' && /^(POINT_OVERRAN|POINT_LOST|TAPE_.*)$/.test(outcome.code);

export const isSound = (outcome: Outcome | undefined): outcome is Played =>
  outcome?.status === 'played' && outcome.errors.length === 0;

/** Why a point is not judged; empty: it is. */
export const problemOf = (outcome: Outcome): string =>
  outcome.status === 'failed' ? `${outcome.code}: ${outcome.problem}` : (outcome.errors[0] ?? '');
