// What one source said of one name at one time. Facts are kept under the name they were said of, a reference or an id of
// the exchange, and never under the order that we believe to have that name: so a better link between names moves nothing.
// Times are monotonic ms.
import type {
  EvidenceSource,
  FillReport,
  GameId,
  Market,
  Micros,
  OrderId,
  OrderPlace,
  OrderRef,
  PlayerMode,
  Rung,
  Side,
} from '../domain/index.ts';

/**
 * What an order looks like where no reference is given: no name, but a match with at most one order of ours (wire profile,
 * `userReference`). `size`: the original one, undefined where it is not given. `createdAt`: Unix ms, by the exchange's clock.
 */
export type Signature = {
  readonly market: Market;
  readonly side: Side;
  readonly rung: Rung;
  readonly size: Micros | undefined;
  readonly createdAt: number | undefined;
};

/** As far as they are reported; `size`: the original one. */
export type OrderTerms = { readonly rung: Rung | undefined; readonly size: Micros | undefined };

export type FactKind =
  /** it rests, or rested at that time */
  | { readonly type: 'resting' }
  /** it rests no more: cancelled by whatever cause, closed, or replaced. `total`: what it had filled by then */
  | { readonly type: 'gone'; readonly total: Micros | undefined }
  /** it rests no more, and what it filled nobody says: a look-up that finds nothing, a cancel that may be of another half */
  | { readonly type: 'gone-unexplained' }
  /** nothing of it is left to take */
  | { readonly type: 'taken' }
  /** what it filled in all so far; an older figure may come after a newer one */
  | { readonly type: 'total'; readonly filled: Micros }
  /** `gameId` and `place`: where, as far as that was said */
  | {
      readonly type: 'fill';
      readonly fill: FillReport;
      readonly gameId?: GameId | undefined;
      readonly place?: OrderPlace | undefined;
    }
  | { readonly type: 'refused' }
  /** an answer that would show it does not; since when both feeds are up */
  | { readonly type: 'absent'; readonly feedsUpSince: number }
  /** all of its fills were in an answer */
  | { readonly type: 'fills-read' }
  /** what it filled by now nobody says */
  | { readonly type: 'fills-unread' }
  /** two names of one order, and nothing else */
  | { readonly type: 'named' };

export type Fact = {
  readonly ref?: OrderRef | undefined;
  /** The exchange named no reference: the order is known by its id, from a list of the run before. */
  readonly isRefRecalled?: true;
  readonly orderId?: OrderId | undefined;
  readonly says: FactKind;
  readonly from: EvidenceSource;
  /** When it was asked for; pushed events carry no usable time. */
  readonly asked?: number | undefined;
  readonly seenAt: number;
  readonly signature?: Signature | undefined;
  /** What tells orders apart that have one id, one after the other. */
  readonly looks?: OrderTerms | undefined;
  /** The player mode of the order, where it is named. */
  readonly mode?: PlayerMode | undefined;
};
