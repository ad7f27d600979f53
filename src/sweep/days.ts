// Days of games, and how a sweep splits them. A game and all its fills belong to one day, that of the
// scheduled start, so that no game is both among those that choose a setting and those that judge it.
import type { GameId } from '../domain/index.ts';
import { dayStartOf, OddsmakerError } from '../domain/index.ts';

const DAY_MS = 24 * 3_600_000;

/** A game on the tapes. */
export type TapeGame = {
  readonly id: GameId;
  /**
   * Scheduled start by the last header before the game begins; without a header the time of its first frame;
   * Unix ms.
   */
  readonly startMs: number;
};

/** A day with games; `startMs`: when it begins, Unix ms. */
export type GameDay = { readonly startMs: number; readonly games: readonly GameId[] };

/** Groups games into days, in order of time. `startsAtMs`: when a day begins, ms after midnight UTC. */
export function daysOf(games: readonly TapeGame[], startsAtMs: number): readonly GameDay[] {
  const days = new Map<number, GameId[]>();
  for (const { id, startMs } of games) {
    const day = dayStartOf(startMs, startsAtMs);
    const known = days.get(day);
    if (known === undefined) days.set(day, [id]);
    else known.push(id);
  }
  return [...days].map(([startMs, ids]) => ({ startMs, games: ids.sort() })).sort((a, b) => a.startMs - b.startMs);
}

/** Indexes of days in a list: `train` are the days that choose, `test` those that judge the choice. */
export type Fold = { readonly train: readonly number[]; readonly test: readonly number[] };

/**
 * Lets the last `share` of the days judge; days less than `gap` days before them neither choose nor judge.
 */
export function holdOut(days: readonly GameDay[], share: number, gap: number): Fold {
  const count = Math.max(1, Math.round(days.length * share));
  const fold = foldAt(days, days.length - count, days.length, gap);
  if (fold.train.length === 0)
    throw new OddsmakerError(
      'SWEEP_INVALID',
      `--holdout ${share}: the tapes have ${daysText(days.length)} with games, and with a gap of ${daysText(gap)} none is left to choose on: record more days, or take a smaller --holdout or --gap`,
    );
  return fold;
}

/** Lets each block of `length` days judge what all days before it chose, less the gap. */
export function walkForward(days: readonly GameDay[], length: number, gap: number): readonly Fold[] {
  const folds: Fold[] = [];
  for (let start = length; start < days.length; start += length) {
    const fold = foldAt(days, start, Math.min(days.length, start + length), gap);
    if (fold.train.length > 0) folds.push(fold);
  }
  if (folds.length === 0)
    throw new OddsmakerError(
      'SWEEP_INVALID',
      `--walk-forward ${length}: the tapes have ${daysText(days.length)} with games; with a gap of ${daysText(gap)} these are too few to choose on ${length} days and judge on the days after: record more days, or take a smaller --walk-forward or --gap`,
    );
  return folds;
}

const daysText = (count: number): string => `${count} ${count === 1 ? 'day' : 'days'}`;

function foldAt(days: readonly GameDay[], from: number, to: number, gap: number): Fold {
  const first = days[from]?.startMs ?? Number.POSITIVE_INFINITY;
  const train = days.flatMap(({ startMs }, index) => (startMs < first - gap * DAY_MS ? [index] : []));
  return { train, test: Array.from({ length: to - from }, (_, index) => from + index) };
}
