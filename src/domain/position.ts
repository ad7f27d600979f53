// Positions and the worst case of a game. A position is a payoff per outcome of its market; the worst case runs over
// the grid of final scores, which decides all full-time markets of a hedging group at once (trade.md, "Worst case of a game"):
// worst = min over parity of [min F(d) + min G(t)], d = home − away, t = home + away, d and t of one parity.
// Ignoring t ≥ |d| errs on the safe side. Amounts are micro-dollars.
import { plus, minus, ZERO } from './money.ts';
import type { Market, MarketType, Side } from './market.ts';
import { sideIndex } from './market.ts';
import type { Micros } from './money.ts';
import type { DrawRule, SportRule } from './sports.ts';

/** What the fills of one market win or lose, by how it ends. */
export type Position = {
  /** Payoff when the market's first side (home, over) wins. */
  readonly first: Micros;
  /** Payoff when its second side (away, under) wins. */
  readonly second: Micros;
  /** The sum of all stakes: what is lost when both sides lose. */
  readonly staked: Micros;
};

/** Everybody who holds nothing shares it. */
export const FLAT: Position = Object.freeze({
  first: ZERO,
  second: ZERO,
  staked: ZERO,
});

export function applyFill(position: Position, side: Side, risk: Micros, win: Micros): Position {
  const gain = sideIndex(side) === 0;
  return Object.freeze({
    first: (position.first + (gain ? win : -risk)) as Micros,
    second: (position.second + (gain ? -risk : win)) as Micros,
    staked: plus(position.staked, risk),
  });
}

/** The inventory of a position: how much more it pays when the first side wins. Flat is 0. */
export const inventoryOf = (position: Position): Micros => minus(position.first, position.second);

/** The same of several, each without its sign: what all of them pay more on one side than on the other. */
export function inventoryOfAll(held: Iterable<{ readonly position: Position }>): number {
  let sum = 0;
  for (const { position } of held) sum += Math.abs(inventoryOf(position));
  return sum;
}

/** The position's expected payoff when the first side wins with probability p; its worst where none is known. */
export const markedAt = (position: Position, p: number | undefined): number =>
  p === undefined ? Math.min(position.first, position.second) : p * position.first + (1 - p) * position.second;

/** Everything held and everything that may still fill in one market. */
export type MarketExposure = {
  readonly market: Market;
  readonly position: Position;
  /** Risk of open, in-flight and unknown orders on the first and on the second side. */
  readonly openFirst: Micros;
  readonly openSecond: Micros;
};

/** Share of a stake on the first side that is won (1), returned (0) or lost (−1) at `margin` = result against the line. */
function firstSideResult(line: number, score: number): number {
  const quarter = Math.abs(line * 4) % 2 === 1;
  if (!quarter) return Math.sign(score + line);
  return (Math.sign(score + line - 0.25) + Math.sign(score + line + 0.25)) / 2;
}

function payoffAt(exposure: MarketExposure, result: number, draw: DrawRule): number {
  const { openFirst, openSecond, position } = exposure;
  if (exposure.market.type === 'moneyline' && result === 0) {
    if (draw === 'impossible') return Number.POSITIVE_INFINITY;
    return draw === 'push' ? 0 : -(position.staked + openFirst + openSecond);
  }
  // a half win pays half of the position, the other half is returned
  const held = settledAt(position, result);
  const open = result > 0 ? result * openSecond : -result * openFirst;
  return held - open;
}

type Axis = 'difference' | 'sum';
const axisOf = (type: MarketType): Axis => (type === 'total' ? 'sum' : 'difference');

/** The line as the score at which the first side breaks even: −line on the difference, the total on the sum. */
const thresholdOf = (of: Market): number =>
  of.type === 'moneyline' ? 0 : of.type === 'total' ? (of.line ?? 0) : -(of.line ?? 0);

/** What a market's own score makes of its first side: its difference (home − away) or, of a total, its sum. */
export const firstSideAt = (of: Market, score: number): number => firstSideResult(0 - thresholdOf(of), score) + 0;

/** What a position pays when its first side wins this share of its stakes (−1 … 1), and the second loses it. */
export const settledAt = (position: Position, share: number): Micros =>
  (share >= 0 ? share * position.first : 0 - share * position.second) as Micros;

/** The lowest payoff of some types over the scores of an axis that count: even ones, odd ones. */
function worstOnAxis(
  exposures: readonly MarketExposure[],
  axis: Axis,
  types: readonly MarketType[],
  draw: DrawRule,
): [number, number] {
  // few of a game's markets, and few scores of each: looking through them beats a set
  const scores: number[] = [0, 1];
  let some = false;
  for (const { market } of exposures) {
    if (axisOf(market.type) !== axis || !types.includes(market.type)) continue;
    some = true;
    const threshold = thresholdOf(market);
    for (let score = Math.floor(threshold) - 2; score <= Math.ceil(threshold) + 2; score++)
      if ((axis === 'difference' || score >= 0) && !scores.includes(score)) scores.push(score);
  }
  if (!some) return [0, 0];
  const worst: [number, number] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (const score of scores) {
    let sum = 0;
    for (const exposure of exposures) {
      const { type } = exposure.market;
      if (axisOf(type) !== axis || !types.includes(type)) continue;
      sum += payoffAt(exposure, firstSideResult(-thresholdOf(exposure.market), score), draw);
    }
    const parity = score % 2 === 0 ? 0 : 1;
    if (sum < worst[parity]) worst[parity] = sum;
  }
  return worst;
}

/**
 * The lowest payoff of one game's markets over everything that may come of it: scores, winners, void whole or in part; never
 * above 0. Only types of one group of the sport hedge each other (`SportRule.hedging`): each group counts at its worst. Whole
 * games only: child games apart.
 */
export function worstCaseOfGame(
  exposures: readonly MarketExposure[],
  { hedging, draw }: Pick<SportRule, 'hedging' | 'draw'>,
): Micros {
  let worst = 0;
  for (const types of hedging) {
    const difference = worstOnAxis(exposures, 'difference', types, draw);
    const sum = worstOnAxis(exposures, 'sum', types, draw);
    // a group that is void brings nothing
    worst += Math.min(0, difference[0] + sum[0], difference[1] + sum[1]);
  }
  return Math.floor(worst) as Micros;
}
