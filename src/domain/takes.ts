// Takes that a changed ladder shows: more of an offer is taken than before. An offer that vanishes proves none.
import { newRows } from './book.ts';
import type { Ladder, Offer } from './book.ts';
import { elementAt } from './element-at.ts';
import type { Micros } from './money.ts';

/** An offer, as it is after it was taken, and the stake of its owner that was taken. */
export type TakenOffer = { readonly offer: Offer; readonly risk: Micros };

const NONE: readonly TakenOffer[] = Object.freeze([]);

/** The offers that are taken further in `after` than in `before`. */
export function takesIn(before: Ladder, after: Ladder): readonly TakenOffer[] {
  const changed = newRows(after, before);
  let taken: TakenOffer[] | undefined;
  for (let row = 0; row < changed.length; row++) {
    const offer = elementAt(changed, row);
    if (offer.untaken >= offer.risk) continue;
    const former = before.find(({ id }) => id === offer.id);
    if (former?.rung !== offer.rung) continue;
    const more = offer.risk - offer.untaken - (former.risk - former.untaken);
    if (more > 0) (taken ??= []).push({ offer, risk: more as Micros });
  }
  return taken ?? NONE;
}
