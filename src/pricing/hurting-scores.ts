// The scores of a game at which bets lose, in words.
import type { GameModel } from './game-model.ts';
import type { GameRisk } from './game-risk.ts';
import type { Region, ScoreGrid } from './score-grid.ts';

/** A group of scores at which bets bring the same. */
export type HurtingScores = {
  /** The scores in words. */
  readonly scores: string;
  /** What the bets bring, dollars. */
  readonly value: number;
  /** The probability of these scores. */
  readonly p: number;
};

/** The most groups of scores that are named. */
const MOST_NAMED = 4;

/**
 * The scores that hurt, in words: of the tail those that weigh most, worst first.
 * @param risk what bets may bring
 * @param model the model that this is from
 * @param most the largest number of groups of scores
 * @returns groups of scores at which the bets bring the same
 */
export function hurtingScores(
  { hurting }: GameRisk,
  { grid }: Pick<GameModel, 'grid'>,
  most = MOST_NAMED,
): readonly HurtingScores[] {
  const weightOf = ({ p, value }: Region): number => 0 - p * value;
  return hurting
    .filter(({ value }) => value < 0)
    .toSorted((a, b) => weightOf(b) - weightOf(a))
    .slice(0, most)
    .toSorted((a, b) => a.value - b.value)
    .map((region) => ({ scores: scoresText(region, grid), value: region.value, p: region.p }));
}

/**
 * Scores in words, such as `home by 4 to 7, 221 or fewer`.
 * @param region neighbouring scores
 * @param grid all scores
 * @returns the words
 */
export function scoresText({ margin, total }: Pick<Region, 'margin' | 'total'>, grid: ScoreGrid): string {
  const isFirst = margin.from <= grid.margin.from;
  const isLast = margin.to >= grid.margin.from + grid.margin.probabilities.length - 1;
  const parts = [marginText(isFirst ? undefined : margin.from, isLast ? undefined : margin.to)];
  const { from, probabilities } = grid.total;
  const isLowest = total.from <= from;
  const isHighest = total.to >= from + probabilities.length - 1;
  if (!isLowest && !isHighest) parts.push(total.from === total.to ? `${total.from}` : `${total.from} to ${total.to}`);
  else if (isLowest && !isHighest) parts.push(`${total.to} or fewer`);
  else if (isHighest && !isLowest) parts.push(`${total.from} or more`);
  return parts.filter((part) => part !== '').join(', ') || 'any score';
}

/** A range of margins in words. Undefined: no end on this side. */
function marginText(from: number | undefined, to: number | undefined): string {
  if (from === undefined && to === undefined) return '';
  if (from === undefined) {
    const most = to ?? 0;
    if (most > 0) return `away wins, or ${leadText(most)} at most`;
    return most === 0 ? 'away wins or level' : most === -1 ? 'away wins' : `away by ${-most} or more`;
  }
  if (to === undefined) {
    if (from < 0) return `home wins, or ${leadText(from)} at most`;
    return from === 0 ? 'home wins or level' : from === 1 ? 'home wins' : `home by ${from} or more`;
  }
  if (from === to) return leadText(from);
  if (from > 0) return `home by ${from} to ${to}`;
  if (to < 0) return `away by ${-to} to ${-from}`;
  return `from ${leadText(from)} to ${leadText(to)}`;
}

const leadText = (margin: number): string =>
  margin === 0 ? 'level' : margin > 0 ? `home by ${margin}` : `away by ${-margin}`;
