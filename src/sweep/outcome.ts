// The result of a point: the same bytes wherever it was played.
import type { GameId } from '../domain/index.ts';
import type { Share } from './objective.ts';
import { NO_SHARE } from './objective.ts';

/** The result of one game with fills or requests; money in micro-dollars. */
export type GameOutcome = Share & {
  readonly game: GameId;
  readonly fills: number;
  /** Profit by the final score, else marked at the end. */
  readonly pnl: number;
  /** The game's share of the place permits. */
  readonly permits: number;
  /** Fills before the start, those with a closing price, and their closing line value. */
  readonly earlyFills: number;
  readonly earlyKnown: number;
  readonly earlyEdge: number;
  /** Fills in play, those with a price 300 s later, and their markout at that time. */
  readonly liveFills: number;
  readonly liveKnown: number;
  readonly liveEdge: number;
};

export type Played = {
  readonly status: 'played';
  /** Figures by their paths in the report (`clv.dollars`), in dollars; null: not known. */
  readonly figures: Readonly<Record<string, number | null>>;
  /** Games in the order of their ids. */
  readonly games: readonly GameOutcome[];
  /** Errors of strategies, each once: a point with an error is not judged. */
  readonly errors: readonly string[];
};

export type Failed = {
  readonly status: 'failed';
  /** An error code of the registry. */
  readonly code: string;
  readonly problem: string;
};

export type Outcome = Played | Failed;

/** True when a value is an outcome; other clients may have written anything. */
export function isOutcome(value: unknown): value is Outcome {
  if (typeof value !== 'object' || value === null) return false;
  const { status, code, problem, figures, games, errors } = value as Readonly<Record<string, unknown>>;
  if (status === 'failed') return typeof code === 'string' && typeof problem === 'string';
  return (
    status === 'played' &&
    isObject(figures) &&
    Object.values(figures).every((figure) => figure === null || typeof figure === 'number') &&
    Array.isArray(games) &&
    games.every(isGame) &&
    Array.isArray(errors) &&
    errors.every((error) => typeof error === 'string')
  );
}

const COUNTS = [
  ...['fills', 'pnl', 'permits', ...Object.keys(NO_SHARE)],
  ...['earlyFills', 'earlyKnown', 'earlyEdge', 'liveFills', 'liveKnown', 'liveEdge'],
];
const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isGame = (value: unknown): boolean =>
  isObject(value) &&
  typeof value['game'] === 'string' &&
  // JSON writes a number that is not finite as null
  COUNTS.every((name) => value[name] === null || typeof value[name] === 'number');

/** True when a failure depends on the machine: the point may be played again, and the new result counts. */
export const mayRetry = (outcome: Outcome): boolean =>
  outcome.status === 'failed' && /^(POINT_OVERRAN|POINT_LOST|TAPE_.*)$/.test(outcome.code);

export const isSound = (outcome: Outcome | undefined): outcome is Played =>
  outcome?.status === 'played' && outcome.errors.length === 0;

/** Why a point is not judged; empty when it is judged. */
export const problemOf = (outcome: Outcome): string =>
  outcome.status === 'failed' ? `${outcome.code}: ${outcome.problem}` : (outcome.errors[0] ?? '');
