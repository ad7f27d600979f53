// What bets of a game may bring, as a distribution: exact sums over all its scores.
import type { GameModel } from './game-model.ts';
import type { Holding } from './payoff.ts';
import { payoffOf } from './payoff.ts';
import type { Distribution } from './line-price.ts';
import type { Payoff, Range, Region } from './score-grid.ts';

/** What bets of a game may bring, dollars; below 0 a loss. */
export type GameRisk = {
  /** The mean over all scores. */
  readonly expected: number;
  /** The standard deviation. */
  readonly deviation: number;
  /** What they bring at least, except at the worst `tail` of scores. */
  readonly quantile: number;
  /** The mean over the worst `tail` of scores: the expected shortfall. */
  readonly shortfall: number;
  /** What they bring at the worst score. */
  readonly worst: number;
  /** The scores at which they bring least, worst first, as far as the tail. */
  readonly hurting: readonly Region[];
};

/** The share of scores that counts as the tail. */
export const TAIL = 0.05;

/**
 * What bets of a game may bring.
 * @param model the model of the game
 * @param holdings all bets of the game, payouts in dollars
 * @param tail the share of scores that counts as the worst, above 0, at most 1. Default: 0.05
 * @returns sums over all scores. Undefined when a total is held and the model says nothing of it
 * @throws RangeError when the tail or a payout is no such number, or a line is missing
 * @example gameRisk(modelFor('basketball', { margin: 4.5, total: 225 }),
 *   [{ type: 'moneyline', side: 'home', payout: 1000 }])
 */
export function gameRisk(
  model: Pick<GameModel, 'grid'>,
  holdings: readonly Holding[],
  tail = TAIL,
): GameRisk | undefined {
  if (!(tail > 0 && tail <= 1)) throw new RangeError(`expected a share of scores, above 0 to 1: ${tail}`);
  if (!model.grid.hasTotal && holdings.some(({ type }) => type === 'total')) return undefined;
  const regions = model.grid.regions(payoffOf(model, holdings)).toSorted((a, b) => a.value - b.value);
  let [expected, squares] = [0, 0];
  for (const { p, value } of regions) {
    expected += p * value;
    squares += p * value * value;
  }
  const hurting: Region[] = [];
  let [left, sum, quantile] = [tail, 0, 0];
  for (const region of regions) {
    hurting.push(region);
    const p = Math.min(region.p, left);
    sum += p * region.value;
    left -= p;
    quantile = region.value;
    if (left <= ROUNDING) break;
  }
  const deviation = Math.sqrt(Math.max(0, squares - expected * expected));
  const [first] = hurting;
  return { expected, deviation, quantile, shortfall: sum / (tail - left), worst: first?.value ?? 0, hurting };
}

/** Probabilities add up to 1 but for rounding. */
const ROUNDING = 1e-12;

/** What bets bring over margin and total, in whole numbers of points or goals. */
export type PayoffMap = {
  /** Ranges of margins, lowest first. The first and the last include all scores beyond. */
  readonly margins: readonly Range[];
  /** Ranges of totals, lowest first, alike. */
  readonly totals: readonly Range[];
  /** A row for each range of totals, with a cell for each range of margins. */
  readonly cells: readonly (readonly PayoffCell[])[];
};

/** The scores of a range of margins and a range of totals. */
export type PayoffCell = {
  /** Their probability. */
  readonly p: number;
  /** The mean of what the bets bring at them, dollars. */
  readonly value: number;
};

/** The share of scores at each end of an axis that has no range of its own. */
const BEYOND = 0.002;

/**
 * What bets of a game bring over margin and total, for a picture.
 * @param model the model of the game
 * @param holdings all bets of the game, payouts in dollars
 * @param most the largest number of ranges of margins (`columns`) and of totals (`rows`)
 * @returns ranges of equal width, which cover nearly all scores, and what the bets bring in each
 * @throws RangeError when a payout is no number, or a line is missing
 */
export function payoffMap(
  model: Pick<GameModel, 'grid'>,
  holdings: readonly Holding[],
  { columns = 25, rows = 15 }: { readonly columns?: number; readonly rows?: number } = {},
): PayoffMap {
  const payoff = payoffOf(model, holdings);
  const { grid } = model;
  const margins = rangesOf(grid.margin, columns);
  const totals = rangesOf(grid.total, rows);
  const sums = totals.map(() => margins.map(() => ({ p: 0, value: 0 })));
  for (const { margin, total, winner, p } of grid.scores()) {
    const cell = sums[placeOf(totals, total)]?.[placeOf(margins, margin)];
    if (cell === undefined) continue;
    cell.p += p;
    cell.value += p * valueAt(payoff, margin, total, winner);
  }
  const cells = sums.map((row) => row.map(({ p, value }) => ({ p, value: p === 0 ? 0 : value / p })));
  return { margins, totals, cells };
}

const valueAt = (payoff: Payoff, margin: number, total: number, winner: keyof Payoff['winner']): number =>
  payoff.margin(margin) + payoff.total(total) + payoff.winner[winner];

/** Ranges of equal width over all values but those far out at each end. */
function rangesOf({ from, probabilities }: Distribution, most: number): readonly Range[] {
  let [low, high] = [0, probabilities.length - 1];
  for (let below = probabilities[low] ?? 0; below < BEYOND && low < high; below += probabilities[low] ?? 0) low += 1;
  for (let above = probabilities[high] ?? 0; above < BEYOND && high > low; above += probabilities[high] ?? 0) high -= 1;
  const width = Math.ceil((high - low + 1) / most);
  const count = Math.ceil((high - low + 1) / width);
  return Array.from({ length: count }, (_none, index) => {
    const first = from + low + index * width;
    return { from: first, to: first + width - 1 };
  });
}

/** The place of the range with a value, or of the one nearest to it. */
function placeOf(ranges: readonly Range[], value: number): number {
  const [first] = ranges;
  if (first === undefined) return 0;
  const width = first.to - first.from + 1;
  return Math.max(0, Math.min(ranges.length - 1, Math.floor((value - first.from) / width)));
}
