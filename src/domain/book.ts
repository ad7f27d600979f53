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

export type Ladder = readonly Offer[];
export const NO_OFFERS: Ladder = [];
