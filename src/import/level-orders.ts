// Makes orders from Betfair's sizes. More size at a price is a new order behind the existing ones. Less size
// was taken from the oldest as far as trades show, and the rest withdrawn from the youngest. Amounts are
// whole cents, so sums are exact.
import { elementAt } from '../domain/index.ts';
import type { AmericanOdds, Rung } from '../domain/index.ts';

export type LevelOrder = {
  readonly id: string;
  readonly rung: Rung;
  readonly odds: AmericanOdds;
  /** The owner's stake, and its untaken part, cents. */
  risk: number;
  untaken: number;
  readonly createdAt: string;
  /** The number of the order within its market. */
  readonly number: number;
  /** The order's row as in a line of a tape. Undefined when it must be written again. */
  row: string | undefined;
};

/** All orders at one price of one list, oldest first. */
export type Level = {
  readonly rung: Rung;
  readonly odds: AmericanOdds;
  orders: LevelOrder[];
  /** The untaken sum of all orders, cents. */
  left: number;
  /**
   * True when the price is beyond the best prices that the data shows: it may still be there, and is not
   * shown.
   */
  isHidden: boolean;
};

/**
 * Changes a level to `wanted` cents after `taken` cents of it were taken. Returns the orders that were taken
 * in full.
 * @param make makes a new order
 */
export function applySize(
  level: Level,
  wanted: number,
  taken: number,
  make: (risk: number) => LevelOrder,
): readonly LevelOrder[] {
  const spent: LevelOrder[] = [];
  let take = Math.min(taken, level.left);
  level.left -= take;
  while (take > 0) {
    const oldest = elementAt(level.orders, 0);
    const part = Math.min(take, oldest.untaken);
    oldest.untaken -= part;
    oldest.row = undefined;
    take -= part;
    if (oldest.untaken === 0) spent.push(...level.orders.splice(0, 1));
  }
  let withdrawn = level.left - wanted;
  if (withdrawn < 0) level.orders.push(make(-withdrawn));
  while (withdrawn > 0) {
    const youngest = elementAt(level.orders, level.orders.length - 1);
    const part = Math.min(withdrawn, youngest.untaken);
    youngest.untaken -= part;
    youngest.risk -= part;
    youngest.row = undefined;
    withdrawn -= part;
    if (youngest.untaken === 0) level.orders.pop();
  }
  level.left = wanted;
  return spent;
}
