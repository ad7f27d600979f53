// One fill of the account, by txID: where it counts and whose it is. It is filed under the best name that was said of it; its
// order is whoever has that name.
import type { HeldFill } from './records.ts';
import type { EventOf, Fill, Market, Side } from '../domain/index.ts';
import { rungOf } from '../domain/index.ts';

/** What became of a fill. `held`: it is held from now on; once more when its market became known. */
export type FillNews =
  | { readonly type: 'held'; readonly fill: HeldFill }
  | EventOf<'FillMoved'>
  | Omit<EventOf<'Settled'>, 'source' | 'result'>
  | EventOf<'Unsettled'>;

/** As strategies and records see it. */
export const shownFill = (fill: HeldFill, market: Market, side: Side): Fill =>
  Object.freeze({
    txId: fill.txId,
    orderId: fill.name?.holder?.id?.orderId ?? fill.orderId,
    ref: fill.name?.holder?.ref ?? fill.ref,
    strategy: fill.countedFor,
    market,
    side,
    rung: rungOf(fill.odds),
    risk: fill.risk,
    win: fill.win,
  });
