// The ledger of own orders: every order this run sent, what is known of it, and what filled. Invariants: an order in an
// active state holds its slot and counts in exposure with everything that may still fill; a fill counts once, by txID.
import type {
  Fill,
  GameId,
  Market,
  MarketId,
  Micros,
  NewOrder,
  OrderEvent,
  OrderId,
  OrderRef,
  OrderStatus,
  Position,
  RequestId,
  SlotId,
  StrategyId,
  TxId,
} from '../domain/index.ts';
import {
  applyFill,
  FLAT,
  isActive,
  microsOfCents,
  nextStatus,
  rungOf,
  slotId,
  winOf,
} from '../domain/index.ts';
import type { AmericanOdds } from '../domain/index.ts';

export type OwnOrder = NewOrder & {
  readonly strategy: StrategyId;
  readonly key: string;
  readonly slot: SlotId;
  readonly sentAt: number;
  /** The order that this one replaces by an edit. */
  replaces: OwnOrder | undefined;
  /** It was sent as an edit. */
  readonly isEdit: boolean;
  /** Its acceptance was counted. */
  counted: boolean;
  orderId: OrderId | undefined;
  status: OrderStatus;
  filled: Micros;
  /** The request in flight that will change its state. */
  req: RequestId | undefined;
  /** Our cancel ended it, if it ends cancelled. */
  cancelAsked: boolean;
  /** Monotonic ms of the acceptance, until the user feed confirmed it; then undefined. */
  awaitsFeedSince: number | undefined;
  /** A positionUpdate named it. */
  seenInFeed: boolean;
  /** What it adds to the locked stake at present. */
  locked: Micros;
};

export type LedgerStats = {
  placed: number;
  edited: number;
  cancelled: number;
  fills: number;
  riskFilled: number;
  refused: number;
  unknownEver: number;
};

/** Ended orders and txIDs are remembered this long (by count), for late and doubled events. */
const REMEMBERED_ORDERS = 20_000;
const REMEMBERED_FILLS = 100_000;

export const remainingOf = (order: OwnOrder): Micros =>
  Math.max(0, microsOfCents(order.risk) - order.filled) as Micros;

export class Ledger {
  readonly stats: LedgerStats = {
    placed: 0,
    edited: 0,
    cancelled: 0,
    fills: 0,
    riskFilled: 0,
    refused: 0,
    unknownEver: 0,
  };
  /** Markets whose own orders or position changed since the last drain. */
  readonly touched = new Set<Market>();
  readonly positions = new Map<MarketId, { readonly market: Market; position: Position }>();
  /** Games in which something is, or was, held or open, with those markets. */
  readonly games = new Map<GameId, Map<MarketId, Market>>();
  /** Grows whenever an id of the exchange becomes known. */
  knownIds = 0;
  readonly #byRef = new Map<OrderRef, OwnOrder>();
  readonly #byId = new Map<OrderId, OwnOrder>();
  readonly #active = new Map<MarketId, Set<OwnOrder>>();
  readonly #activeAll = new Set<OwnOrder>();
  readonly #fillsOf = new Map<string, readonly Fill[]>();
  readonly #seenFills = new Set<TxId>();
  readonly #ended: OwnOrder[] = [];
  #locked = 0;

  /** Stake that resting, in-flight and unknown orders may still lose. */
  get locked(): Micros {
    return this.#locked as Micros;
  }

  get active(): ReadonlySet<OwnOrder> {
    return this.#activeAll;
  }

  activeIn(market: MarketId): ReadonlySet<OwnOrder> {
    return this.#active.get(market) ?? NONE;
  }

  find(orderId: OrderId | undefined, ref: OrderRef | undefined): OwnOrder | undefined {
    return (
      (orderId === undefined ? undefined : this.#byId.get(orderId)) ??
      (ref === undefined ? undefined : this.#byRef.get(ref))
    );
  }

  owns(orderId: OrderId): boolean {
    return this.#byId.has(orderId);
  }

  fillsOf(strategy: StrategyId, market: MarketId): readonly Fill[] {
    return this.#fillsOf.get(`${strategy}|${market}`) ?? NO_FILLS;
  }

  positionIn(market: MarketId): Position {
    return this.positions.get(market)?.position ?? FLAT;
  }

  /** An order leaves for the exchange. */
  applySent(
    order: NewOrder,
    owner: { readonly strategy: StrategyId; readonly key: string },
    req: RequestId,
    now: number,
    replaces?: OwnOrder,
  ): OwnOrder {
    const own: OwnOrder = {
      ...order,
      ...owner,
      slot: slotId(owner.strategy, order.market, order.side, owner.key),
      sentAt: now,
      replaces,
      isEdit: replaces !== undefined,
      counted: false,
      orderId: undefined,
      status: 'sending',
      filled: 0 as Micros,
      req,
      cancelAsked: false,
      awaitsFeedSince: undefined,
      seenInFeed: false,
      locked: 0 as Micros,
    };
    this.#byRef.set(own.ref, own);
    const markets = this.games.get(own.market.gameId);
    if (markets === undefined) this.games.set(own.market.gameId, new Map([[own.market.id, own.market]]));
    else markets.set(own.market.id, own.market);
    const inMarket = this.#active.get(own.market.id);
    if (inMarket === undefined) this.#active.set(own.market.id, new Set([own]));
    else inMarket.add(own);
    this.#activeAll.add(own);
    this.#relock(own);
    this.touched.add(own.market);
    return own;
  }

  applyEvent(order: OwnOrder, event: OrderEvent, now: number): void {
    const before = order.status;
    const after = nextStatus(before, event);
    if (after === before) return;
    order.status = after;
    // settled: the chain of edits behind it may be forgotten
    if (after !== 'sending' && after !== 'unknown') order.replaces = undefined;
    this.touched.add(order.market);
    if (after === 'unknown') this.stats.unknownEver += 1;
    if (after === 'open' && (before === 'sending' || before === 'unknown' || !isActive(before)))
      this.#countAccepted(order, now);
    if (after === 'filled' && before === 'sending') this.#countAccepted(order, now);
    if (after === 'refused') this.stats.refused += 1;
    if (after === 'cancelled' && order.cancelAsked) this.stats.cancelled += 1;
    if (isActive(after) === isActive(before)) return;
    if (isActive(after)) {
      const inMarket = this.#active.get(order.market.id) ?? new Set<OwnOrder>();
      inMarket.add(order);
      this.#active.set(order.market.id, inMarket);
      this.#activeAll.add(order);
    } else this.#end(order);
    this.#relock(order);
  }

  /** Learns the exchange's id of an order; true when it is news. */
  learnId(order: OwnOrder, orderId: OrderId): boolean {
    if (order.orderId === orderId) return false;
    order.orderId = orderId;
    this.#byId.set(orderId, order);
    this.knownIds += 1;
    this.touched.add(order.market);
    return true;
  }

  /** One fill of an own order; false when its txID was counted before. */
  applyFill(order: OwnOrder, txId: TxId, risk: Micros, odds: AmericanOdds, now: number): boolean {
    if (this.#seenFills.has(txId)) return false;
    this.#seenFills.add(txId);
    if (this.#seenFills.size > REMEMBERED_FILLS) {
      for (const oldest of this.#seenFills) {
        this.#seenFills.delete(oldest);
        break;
      }
    }
    const win = winOf(risk, odds);
    const fill: Fill = {
      txId,
      orderId: order.orderId,
      ref: order.ref,
      strategy: order.strategy,
      market: order.market,
      side: order.side,
      rung: rungOf(odds),
      risk,
      win,
    };
    order.filled = (order.filled + risk) as Micros;
    this.#relock(order);
    const key = `${order.strategy}|${order.market.id}`;
    this.#fillsOf.set(key, [...(this.#fillsOf.get(key) ?? []), fill]);
    this.positions.set(order.market.id, {
      market: order.market,
      position: applyFill(this.positionIn(order.market.id), order.side, risk, win),
    });
    this.stats.fills += 1;
    this.stats.riskFilled += risk;
    this.touched.add(order.market);
    if (order.filled >= microsOfCents(order.risk)) this.applyEvent(order, 'filled', now);
    return true;
  }

  #relock(order: OwnOrder): void {
    const now = isActive(order.status) ? remainingOf(order) : (0 as Micros);
    this.#locked += now - order.locked;
    order.locked = now;
  }

  #countAccepted(order: OwnOrder, now: number): void {
    if (!order.counted) {
      order.counted = true;
      if (order.isEdit) this.stats.edited += 1;
      else this.stats.placed += 1;
    }
    if (!order.seenInFeed) order.awaitsFeedSince = now;
  }

  #end(order: OwnOrder): void {
    order.awaitsFeedSince = undefined;
    this.#activeAll.delete(order);
    const inMarket = this.#active.get(order.market.id);
    inMarket?.delete(order);
    if (inMarket?.size === 0) this.#active.delete(order.market.id);
    this.#ended.push(order);
    if (this.#ended.length <= REMEMBERED_ORDERS) return;
    for (const old of this.#ended.splice(0, REMEMBERED_ORDERS / 2)) {
      if (isActive(old.status)) continue;
      this.#byRef.delete(old.ref);
      if (old.orderId !== undefined) this.#byId.delete(old.orderId);
    }
  }
}

const NONE: ReadonlySet<OwnOrder> = new Set();
const NO_FILLS: readonly Fill[] = [];
