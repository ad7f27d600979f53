// Which rows of the book are own ones: those that the exchange marks, and those whose id the ledger knows.
import type { Ladder, MarketId, OrderId } from '../domain/index.ts';
import { newRows, NO_OFFERS } from '../domain/index.ts';
import type { Owners, SideBook } from '../mirror/index.ts';

/** The ledger, as far as it tells own ids. */
type OwnIds = {
  readonly owns: (id: OrderId) => boolean;
  readonly newestIdIn: (market: MarketId) => number;
};

/** Looks at what changed since the last time only. */
export function ownersOf(side: SideBook, ledger: OwnIds): Owners {
  const { ladder, owners: known } = side;
  const ids = ledger.newestIdIn(side.market.id);
  const isKnown = known?.ids === ids;
  if (isKnown && known.of === ladder) return known;
  const isOwn = ({ id, own }: Ladder[number]): boolean => own || ledger.owns(id);
  // of what was nobody's of ours, only new rows may be
  const suspects = isKnown && known.own.length === 0 ? newRows(ladder, known.of) : ladder;
  const own = suspects.some(isOwn) ? ladder.filter(isOwn) : NO_OFFERS;
  const others = own.length === 0 ? ladder : ladder.filter((offer) => !isOwn(offer));
  return (side.owners = { of: ladder, ids, others, own });
}
