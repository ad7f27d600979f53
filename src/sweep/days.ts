// Days of games, and how a sweep splits them. A game belongs to one day, that of its scheduled start, and all its fills with it:
// no game is in two days, so nothing of a game that chose a setting is in the games that judge it.
import type { GameId } from '../domain/index.ts';
import { dayStartOf, OddsmakerError } from '../domain/index.ts';

const DAY_MS = 24 * 3_600_000;

/** A game that the tapes tell of. */
export type TapeGame = {
  readonly id: GameId;
  /** As its header says last before it begins; of a game without one its first frame; Unix ms. */
  readonly startMs: number;
};

/** A day with games; `startMs`: when it begins, Unix ms. */
export type GameDay = { readonly startMs: number; readonly games: readonly GameId[] };

/** Days with games, the first one first. `startsAtMs`: after midnight UTC. */
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

/** Days by their place in the list: those that choose, and those that judge what was chosen. */
export type Fold = { readonly train: readonly number[]; readonly test: readonly number[] };

/** The last days with this share of all of them judge; days less than `gap` before them neither choose nor judge. */
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

/** So many days at a time judge what all days before chose. */
export function walkForward(days: readonly GameDay[], length: number, gap: number): readonly Fold[] {
  const folds: Fold[] = [];
  for (let at = length; at < days.length; at += length) {
    const fold = foldAt(days, at, Math.min(days.length, at + length), gap);
    if (fold.train.length > 0) folds.push(fold);
  }
  if (folds.length === 0)
    throw new OddsmakerError(
      'SWEEP_INVALID',
      `--walk-forward ${length}: the tapes have ${daysText(days.length)} with games; with a gap of ${daysText(gap)} that is too few to choose on ${length} and to judge by the next: record more days, or take a smaller --walk-forward or --gap`,
    );
  return folds;
}

const daysText = (count: number): string => `${count} ${count === 1 ? 'day' : 'days'}`;

function foldAt(days: readonly GameDay[], from: number, to: number, gap: number): Fold {
  const first = days[from]?.startMs ?? Number.POSITIVE_INFINITY;
  const train = days.flatMap(({ startMs }, index) => (startMs < first - gap * DAY_MS ? [index] : []));
  return { train, test: Array.from({ length: to - from }, (_, index) => from + index) };
}
