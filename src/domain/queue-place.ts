// The place of an offer in the queue of its side.
import type { Ladder } from './book.ts';
import { parseTime } from './durations.ts';
import type { Micros } from './money.ts';
import type { Rung } from './odds.ts';

/** The place of an offer in its queue. */
export type QueuePlace = {
  /** 1 is the offer that takers match first. */
  readonly rank: number;
  /** Others' stake that takers match before it, micro-dollars. */
  readonly ahead: Micros;
};

/**
 * Finds the place of an offer: it stands behind every offer that is better for a taker, and behind every older one
 * at its price.
 * @param offer its price, and when it was sent, Unix ms
 * @param others the offers of others on its side, best for a taker first
 * @returns rank and the stake ahead
 */
export function queuePlace(
  { rung, sentAt }: { readonly rung: Rung; readonly sentAt: number },
  others: Ladder,
): QueuePlace {
  let ahead = 0;
  let rank = 1;
  // by index: iterators of frozen arrays are slow
  for (let index = 0; index < others.length; index++) {
    const offer = others[index];
    if (offer === undefined) break;
    if (offer.rung > rung) break;
    if (offer.rung === rung && (parseTime(offer.createdAt) ?? 0) > sentAt) continue;
    ahead += offer.untaken;
    rank += 1;
  }
  return { ahead: ahead as Micros, rank };
}
