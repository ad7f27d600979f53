// Which rows of the book are own ones: those that the exchange marks, and those whose id the ledger knows, whatever market
// of the game they stand in.
import type { GameId, Ladder, OrderId } from '../domain/index.ts';
import { newRows, NO_OFFERS } from '../domain/index.ts';
import type { Owners, SideBook } from '../mirror/index.ts';

/** The ledger, as far as it tells own ids. */
type OwnIds = {
  readonly owns: (id: OrderId) => boolean;
  readonly idsIn: (gameId: GameId) => number;
};

/**
 * Looks at what changed since the last time only: new rows, and ids that became known. The ladders are frozen: they are
 * shown to strategies.
 */
export function ownersOf(side: SideBook, ledger: OwnIds): Owners {
  const { ladder, owners: known } = side;
  const ids = ledger.idsIn(side.market.gameId);
  if (known?.of === ladder && known.ids === ids) return known;
  const isOwn = ({ id, own }: Ladder[number]): boolean => own || ledger.owns(id);
  // an id that became known meanwhile may be that of an old row
  const isNobodys = known?.own.length === 0 && !(known.ids === ids ? newRows(ladder, known.of) : ladder).some(isOwn);
  if (isNobodys) return (side.owners = { of: ladder, ids, others: Object.freeze(ladder), own: NO_OFFERS });
  const own = ladder.filter(isOwn);
  const others = own.length === 0 ? ladder : ladder.filter((offer) => !isOwn(offer));
  return (side.owners = { of: ladder, ids, others: Object.freeze(others), own });
}
