// Positions and the worst case of a game. A position is a payoff per outcome of its market. The worst case
// covers the grid of final scores, which decides all full-time markets of a hedging group at once (trade.md,
// "Worst case of a game"): worst = min over parity of [min F(d) + min G(t)], d = home − away, t = home +
// away, d and t of one parity. Ignoring t ≥ |d| errs on the safe side. Amounts are micro-dollars.
import { plus, minus, ZERO } from './money.ts';
import type { Market, MarketType, Side } from './market.ts';
import { sideIndex } from './market.ts';
import type { Micros } from './money.ts';
import type { DrawRule, SportRule } from './sports.ts';

/** The payoffs of one market's fills, by its result. */
export type Position = {
  /** The payoff when the market's first side (home, over) wins. */
  readonly first: Micros;
  /** The payoff when its second side (away, under) wins. */
  readonly second: Micros;
  /** The sum of all stakes: the loss when both sides lose. */
  readonly staked: Micros;
};

/** A position in a market. */
export type HeldPosition = {
  /** The market. */
  readonly market: Market;
  /** What is held in it. */
  readonly position: Position;
};

/** The position without fills; all markets share this object. */
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

/**
 * The inventory of a position: how much more it pays when the first side wins than when the second does. A
 * flat one has 0.
 * @param position the payoffs of a market
 * @returns micro-dollars; above 0 when the first side (home, over) pays more
 */
export const inventoryOf = (position: Position): Micros => minus(position.first, position.second);

/** The sum of the absolute inventories of several positions. */
export function inventoryOfAll(held: Iterable<{ readonly position: Position }>): number {
  let sum = 0;
  for (const { position } of held) sum += Math.abs(inventoryOf(position));
  return sum;
}

/**
 * The expected payoff of a position when the first side wins with probability p; its worst payoff when p is
 * unknown.
 */
export const markedAt = (position: Position, p: number | undefined): number =>
  p === undefined ? Math.min(position.first, position.second) : p * position.first + (1 - p) * position.second;

/** The position of one market, and everything that may still fill in it. */
export type MarketExposure = {
  readonly market: Market;
  readonly position: Position;
  /** The risk of open, in-flight and unknown orders on the first side; and on the second. */
  readonly openFirst: Micros;
  readonly openSecond: Micros;
};

/**
 * The share of a stake on the first side that is won (1), returned (0) or lost (−1) at this score against the
 * line.
 */
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

/** The score at which the first side breaks even: −line on the difference, the total on the sum. */
const thresholdOf = (market: Market): number =>
  market.type === 'moneyline' ? 0 : market.type === 'total' ? (market.line ?? 0) : -(market.line ?? 0);

/**
 * The share that the first side's stakes win at a market's own score: the difference home − away or, for a
 * total, the sum.
 */
export const firstSideAt = (market: Market, score: number): number =>
  firstSideResult(0 - thresholdOf(market), score) + 0;

/**
 * The payoff of a position when its first side wins this share of its stakes (−1 … 1), and the second side
 * loses it.
 */
export const settledAt = (position: Position, share: number): Micros =>
  (share >= 0 ? share * position.first : 0 - share * position.second) as Micros;

/**
 * The lowest payoff of these types over all relevant scores of an axis: for even scores, and for odd ones.
 */
function worstOnAxis(
  exposures: readonly MarketExposure[],
  axis: Axis,
  types: readonly MarketType[],
  draw: DrawRule,
): [number, number] {
  const here: { readonly exposure: MarketExposure; readonly threshold: number }[] = [];
  for (const exposure of exposures) {
    const { market } = exposure;
    if (axisOf(market.type) === axis && types.includes(market.type))
      here.push({ exposure, threshold: thresholdOf(market) });
  }
  if (here.length === 0) return [0, 0];
  // a game has few markets, and each few scores: a linear search is faster than a set
  const scores: number[] = [0, 1];
  for (const { threshold } of here)
    for (let score = Math.floor(threshold) - 2; score <= Math.ceil(threshold) + 2; score++)
      if ((axis === 'difference' || score >= 0) && !scores.includes(score)) scores.push(score);
  const worst: [number, number] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (const score of scores) {
    let sum = 0;
    for (const { exposure, threshold } of here) sum += payoffAt(exposure, firstSideResult(-threshold, score), draw);
    const parity = score % 2 === 0 ? 0 : 1;
    if (sum < worst[parity]) worst[parity] = sum;
  }
  return worst;
}

/**
 * The lowest payoff of one game's markets over every possible result: scores, winners, void as a whole or in
 * part; never above 0. Only types of one group of the sport hedge each other (`SportRule.hedging`): each
 * group counts at its worst. Covers whole games only; child games count separately.
 */
export function worstCaseOfGame(
  exposures: readonly MarketExposure[],
  { hedging, draw }: Pick<SportRule, 'hedging' | 'draw'>,
): Micros {
  let worst = 0;
  for (const types of hedging) {
    const difference = worstOnAxis(exposures, 'difference', types, draw);
    const sum = worstOnAxis(exposures, 'sum', types, draw);
    // a void group pays nothing
    worst += Math.min(0, difference[0] + sum[0], difference[1] + sum[1]);
  }
  return Math.floor(worst) as Micros;
}
