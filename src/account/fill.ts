// One fill of the account, by txID: where it counts and whose it is. It is filed under the best name that was said of it; its
// order is whoever has that name.
import type { HeldFill } from './records.ts';
import type { Fill, Market, Micros, Side, TxId } from '../domain/index.ts';
import { rungOf } from '../domain/index.ts';

/**
 * What became of a fill. `fill`: it is held from now on; once more when its market became known. `unsettled`: its settlement by an
 * operator was taken back. `isTold`: the exchange, or an
 * operator's score, said what it brought; otherwise its stake counts as lost.
 */
export type FillNews =
  | { readonly type: 'fill'; readonly fill: HeldFill }
  | { readonly type: 'unsettled'; readonly txId: TxId }
  /** home and away of its game changed places: on the same team it is on the other side of another market, or of the same */
  | { readonly type: 'moved'; readonly txId: TxId; readonly market: Market; readonly side: Side }
  | {
      readonly type: 'settled';
      readonly txId: TxId;
      readonly profit: Micros;
      /** What the exchange keeps more for it; below 0: less, since it lost. */
      readonly commission: Micros;
      readonly isTold: boolean;
    };

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
