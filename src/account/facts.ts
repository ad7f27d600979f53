// A fact: what one source reported about one name at one time. Invariant: a fact is kept under the name it
// concerns (a reference or an exchange id), never under the order believed to have that name, so a better
// link between names moves nothing. All times are monotonic ms.
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
 * The properties by which an order without a reference is matched: it fits at most one own order (wire
 * profile, `userReference`). `size`: the original size, undefined when it is not reported. `createdAt`: Unix
 * ms by the exchange's clock.
 */
export type Signature = {
  readonly market: Market;
  readonly side: Side;
  readonly rung: Rung;
  readonly size: Micros | undefined;
  readonly createdAt: number | undefined;
};

/** Odds and original size of an order, each undefined when it is not reported. */
export type OrderTerms = { readonly rung: Rung | undefined; readonly size: Micros | undefined };

export type FactKind =
  /** the order rests, or rested at that time */
  | { readonly type: 'resting' }
  /**
   * the order rests no more: cancelled for any cause, closed, or replaced. `total`: what it filled by then
   */
  | { readonly type: 'gone'; readonly total: Micros | undefined }
  /**
   * the order rests no more, and its fills are not known: an empty look-up, or a cancel that may concern
   * another order of the id
   */
  | { readonly type: 'gone-unexplained' }
  /** nothing of the order is left to take */
  | { readonly type: 'taken' }
  /** what the order filled so far in total; an older figure may arrive after a newer one */
  | { readonly type: 'total'; readonly filled: Micros }
  /** one fill. `gameId` and `place`: where, as far as reported */
  | {
      readonly type: 'fill';
      readonly fill: FillReport;
      readonly gameId?: GameId | undefined;
      readonly place?: OrderPlace | undefined;
    }
  | { readonly type: 'refused' }
  /** an answer that would show the order does not. `feedsUpSince`: since when both feeds are up */
  | { readonly type: 'absent'; readonly feedsUpSince: number }
  /** one answer contained all fills of the order */
  | { readonly type: 'fills-read' }
  /** what the order filled by now is not known */
  | { readonly type: 'fills-unread' }
  /** reference and id belong to one order, and nothing else is reported */
  | { readonly type: 'named' };

export type Fact = {
  readonly ref?: OrderRef | undefined;
  /** Set when the exchange sent no reference: the order is known by its id, from a list of a former run. */
  readonly isRefRecalled?: true;
  readonly orderId?: OrderId | undefined;
  readonly kind: FactKind;
  readonly from: EvidenceSource;
  /** When the answer was requested. Undefined for pushed events: they carry no usable time. */
  readonly askedAt?: number | undefined;
  readonly seenAt: number;
  readonly signature?: Signature | undefined;
  /** Terms that distinguish the orders that had one id, one after the other. */
  readonly terms?: OrderTerms | undefined;
  /** The player mode of the order, when it is reported. */
  readonly mode?: PlayerMode | undefined;
};
