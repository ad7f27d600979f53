// One side of one market as the public feed shows it, always from the offerer's view.
import type { OrderId } from './brand.ts';
import { elementAt } from './element-at.ts';
import { withLast } from './short-list.ts';
import type { Micros } from './money.ts';
import type { Rung } from './odds.ts';

/** A resting offer. */
export type Offer = {
  /** The id of the order at the exchange. */
  readonly id: OrderId;
  /** Its price, an index of the odds ladder. */
  readonly rung: Rung;
  /** The original size: the offerer's stake. */
  readonly risk: Micros;
  /** The part that can still be taken, in the offerer's stake. */
  readonly untaken: Micros;
  /** The ISO time of placement, as received: times compare as text. */
  readonly createdAt: string;
  /** The ISO time at which it expires, if it does. */
  readonly expiry?: string;
  /** True when the venue says that the connected account owns it (`createdBy` present). */
  readonly own: boolean;
};

/** The offers of one side, best for the taker first: smaller rung, then older. */
export type Ladder = readonly Offer[];
export const NO_OFFERS: Ladder = Object.freeze([]);

/** How far a row may have moved up in the ladder and still be found again. */
const REACH = 8;

/**
 * The rows of a ladder that the previous ladder does not hold as identical objects. Readers create new
 * objects only for changed rows, so these are few; a row that moved far counts as new.
 */
export function newRows(ladder: Ladder, before: Ladder): readonly Offer[] {
  if (ladder === before) return NO_OFFERS;
  let fresh: Offer[] | undefined;
  let next = 0;
  for (let row = 0; row < ladder.length; row++) {
    const offer = elementAt(ladder, row);
    const index = placeAgain(offer, before, next);
    if (index >= 0) next = index + 1;
    else fresh = withLast(fresh, offer);
  }
  return fresh ?? NO_OFFERS;
}

/**
 * The index of the identical offer in the previous ladder, from `next` on, before `last`; −1 when it is not
 * among the next few.
 */
export function placeAgain(offer: Offer, before: Ladder, next: number, last = before.length): number {
  const end = Math.min(last, next + REACH);
  for (let index = next; index < end; index++) if (before[index] === offer) return index;
  return -1;
}
