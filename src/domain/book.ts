// One side of one market as the public feed shows it, always from the offerer's perspective.
import type { OrderId } from './brand.ts';
import type { Micros } from './money.ts';
import type { Rung } from './odds.ts';

/** A resting offer. Best for the taker first in a ladder: smaller rung, then older. */
export type Offer = {
  readonly id: OrderId;
  readonly rung: Rung;
  /** Original size: the offerer's stake. */
  readonly risk: Micros;
  /** What can still be taken, in the offerer's stake. */
  readonly untaken: Micros;
  /** ISO time of placement, as received: ages compare as text. */
  readonly createdAt: string;
  /** ISO time at which it expires, when it does. */
  readonly expiry?: string;
  /** True when the venue says that the connected account owns it (`createdBy` present). */
  readonly own: boolean;
};

/** The offers of one side, best for the taker first: smaller rung, then older. */
export type Ladder = readonly Offer[];
export const NO_OFFERS: Ladder = Object.freeze([]);

/** How far a row may have moved up and still be found by its place. */
const REACH = 8;

/**
 * The rows of a ladder that the one before does not hold as the very same objects. Readers make new objects only of what
 * changed, so these are few; a row that moved far counts as new.
 */
export function newRows(ladder: Ladder, before: Ladder): readonly Offer[] {
  if (ladder === before) return NO_OFFERS;
  let fresh: Offer[] | undefined;
  let next = 0;
  for (const offer of ladder) {
    const at = placeAgain(offer, before, next);
    if (at >= 0) next = at + 1;
    else (fresh ??= []).push(offer);
  }
  return fresh ?? NO_OFFERS;
}

/** Where the very same offer stands in the ladder before, from `next` on, up to `last`; -1: none of the next few. */
export function placeAgain(offer: Offer, before: Ladder, next: number, last = before.length): number {
  const end = Math.min(last, next + REACH);
  for (let at = next; at < end; at++) if (before[at] === offer) return at;
  return -1;
}
