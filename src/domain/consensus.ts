// The fair price in the others' book (trade.md, "Fair price and edge"). Own offers are dropped before.
import type { Ladder } from './book.ts';
import type { Micros } from './money.ts';
import { payoutOf, ZERO } from './money.ts';
import { crosses, oddsOf, probabilityOfRung } from './odds.ts';

export type ConsensusLimits = {
  /** The widest spread that still gives a price, as probability. */
  readonly maxSpread: number;
  /** The least payout on each side inside that spread, micro-dollars. */
  readonly minDepth: Micros;
};

/** Every two-sided book that is not crossed has a price. */
export const ANY_BOOK: ConsensusLimits = { maxSpread: 1, minDepth: ZERO };
/**
 * Only a book that is neither wide nor thin has a price (trade.md): between a sweep of its offers and the
 * next offers, a book's prices mean nothing.
 */
export const FAIR_BOOK: ConsensusLimits = { maxSpread: 0.08, minDepth: 50_000_000 as Micros };

/** The price of a market by its book. */
export type Consensus = {
  /** The fair probability of the market's first side (home, over). */
  readonly p: number;
  /** 1 − q_first − q_second of the best offers; positive. */
  readonly spread: number;
};

/** Offers this close to the best one (as probability) count in the microprice. */
const NEAR = 0.01;

/**
 * Computes the fair price of a book: its microprice, the price between the two best offers weighted by the
 * payout offered near each.
 * @param first offers of the market's first side (home, over), best for a taker first
 * @param second offers of its second side (away, under)
 * @param limits how wide and how thin the book may be
 * @returns the fair price; undefined for a book that is one-sided, crossed, too wide or too thin
 */
export function consensusOf(first: Ladder, second: Ladder, limits: ConsensusLimits = FAIR_BOOK): Consensus | undefined {
  const bestFirst = first[0];
  const bestSecond = second[0];
  if (bestFirst === undefined || bestSecond === undefined) return undefined;
  const qFirst = probabilityOfRung(bestFirst.rung);
  const qSecond = probabilityOfRung(bestSecond.rung);
  const spread = 1 - qFirst - qSecond;
  if (crosses(bestFirst.rung, bestSecond.rung) || spread > limits.maxSpread) return undefined;
  if (!isDeep(first, 1 - qSecond - limits.maxSpread, limits.minDepth)) return undefined;
  if (!isDeep(second, 1 - qFirst - limits.maxSpread, limits.minDepth)) return undefined;
  const sizeFirst = payoutDownTo(first, qFirst - NEAR);
  const sizeSecond = payoutDownTo(second, qSecond - NEAR);
  return { p: (qFirst * sizeSecond + (1 - qSecond) * sizeFirst) / (sizeFirst + sizeSecond), spread };
}

// loops by index: ladders are frozen, and iterators of frozen arrays are slow

/** The payout that rests at probabilities of at least `floor`. */
function payoutDownTo(ladder: Ladder, floor: number): number {
  let sum = 0;
  for (let index = 0; index < ladder.length; index++) {
    const offer = ladder[index];
    if (offer === undefined) break;
    const { rung, untaken } = offer;
    if (probabilityOfRung(rung) < floor) break;
    sum += payoutOf(untaken, oddsOf(rung));
  }
  return sum;
}

function isDeep(ladder: Ladder, floor: number, enough: number): boolean {
  let sum = 0;
  for (let index = 0; index < ladder.length; index++) {
    const offer = ladder[index];
    if (offer === undefined) break;
    const { rung, untaken } = offer;
    if (probabilityOfRung(rung) < floor) return false;
    sum += payoutOf(untaken, oddsOf(rung));
    if (sum >= enough) return true;
  }
  return sum >= enough;
}
