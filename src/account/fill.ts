// One fill of the account, by txID: where it counts and whose it is. It is filed under the best name that was said of it; its
// order is whoever has that name.
import type {
  AmericanOdds,
  Fill,
  GameId,
  Market,
  Micros,
  OrderId,
  OrderPlace,
  OrderRef,
  Side,
  StrategyId,
  TxId,
} from '../domain/index.ts';
import { rungOf } from '../domain/index.ts';
import type { Name } from './name.ts';

/**
 * `sure`: it trades in the mode of this bot. `unsure`: perhaps, so it hedges nothing (rules.md, 9). `other`: it does not, and
 * counts for nothing here.
 */
export type ModeOfFill = 'sure' | 'unsure' | 'other';

export type HeldFill = {
  readonly txId: TxId;
  readonly gameId: GameId;
  readonly risk: Micros;
  readonly win: Micros;
  readonly odds: AmericanOdds;
  /** Undefined until its game is known: then all of its stake may be lost. */
  market: Market | undefined;
  side: Side | undefined;
  ref: OrderRef | undefined;
  orderId: OrderId | undefined;
  /** As it was reported, for when the game becomes known. */
  place: OrderPlace | undefined;
  /** The best name it was said of. */
  name: Name | undefined;
  mode: ModeOfFill;
  /** A list had it before this run did anything. */
  readonly isOfBefore: boolean;
  /** Monotonic ms. */
  readonly seenAt: number;
  /** What it was counted as: a fill of this strategy. */
  countedFor: StrategyId | undefined;
  /** It was counted among those of this run. */
  isOfRun: boolean;
  /** It was handed on as new. */
  wasNew: boolean;
  /** Its order was dropped: nothing more is learned of it. */
  isFinal: boolean;
};

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
