// A fill of the account as events and strategies see it. A fill is filed under the best name reported for it;
// its order is the holder of that name.
import type { HeldFill } from './records.ts';
import type { EventOf, Fill, Market, Side } from '../domain/index.ts';
import { rungOf } from '../domain/index.ts';

/** What became of a fill. `held`: it is held from now on; repeated when its market becomes known. */
export type FillNews =
  | { readonly type: 'held'; readonly fill: HeldFill }
  | EventOf<'FillMoved'>
  | Omit<EventOf<'Settled'>, 'source' | 'result'>
  | EventOf<'Unsettled'>;

/** The fill as strategies and records see it. */
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
