// Finds the own rows of a book: rows that the exchange marks as own, and rows whose id is an own id in any
// market of the game.
import type { GameId, Ladder, OrderId } from '../domain/index.ts';
import { newRows, NO_OFFERS } from '../domain/index.ts';
import type { Owners, SideBook } from '../mirror/index.ts';

/** The own order ids that the account knows. */
type OwnIds = {
  readonly owns: (id: OrderId) => boolean;
  /** Number of own ids known in a game. */
  readonly idsIn: (gameId: GameId) => number;
};

/**
 * Splits a side into own rows and rows of others. It checks only new rows and newly known ids since the last
 * call. The returned ladders are frozen, because strategies see them.
 */
export function ownersOf(side: SideBook, ownIds: OwnIds): Owners {
  const { ladder, owners: known } = side;
  const ids = ownIds.idsIn(side.market.gameId);
  if (known?.ladder === ladder && known.ids === ids) return known;
  const isOwn = ({ id, own }: Ladder[number]): boolean => own || ownIds.owns(id);
  // an id that became known meanwhile may belong to an old row
  const hasNoOwn = known?.own.length === 0 && !(known.ids === ids ? newRows(ladder, known.ladder) : ladder).some(isOwn);
  if (hasNoOwn) return (side.owners = { ladder, ids, others: Object.freeze(ladder), own: NO_OFFERS });
  const own = ladder.filter(isOwn);
  const others = own.length === 0 ? ladder : ladder.filter((offer) => !isOwn(offer));
  return (side.owners = { ladder, ids, others: Object.freeze(others), own });
}
