// Orders where Betfair tells sizes alone: what more is offered at a price is a new order behind those there; what less, was
// taken from the oldest as far as trades tell, and withdrawn from the youngest beyond that. Whole cents, so that sums stay.
import { elementAt } from '../domain/index.ts';
import type { AmericanOdds, Rung } from '../domain/index.ts';

export type LevelOrder = {
  readonly id: string;
  readonly rung: Rung;
  readonly odds: AmericanOdds;
  /** Cents: the owner's stake, and what is left of it. */
  risk: number;
  untaken: number;
  readonly createdAt: string;
  /** Which of all orders of the market it was. */
  readonly number: number;
  /** The row that shows it, as it stands in a line of a tape, until it changes. */
  row: string | undefined;
};

/** All orders at one price of one list, the oldest first. */
export type Level = {
  readonly rung: Rung;
  readonly odds: AmericanOdds;
  orders: LevelOrder[];
  /** What is left of all, cents. */
  left: number;
  /** Beyond the best prices that are told: it may be there still, and is not shown. */
  isHidden: boolean;
};

/**
 * Brings a level to `wanted` cents, of which `taken` cents were taken before; `make`: a new order. Returns those that were
 * taken to their end.
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
