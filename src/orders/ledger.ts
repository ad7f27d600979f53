// The ledger of own orders: every order this run sent, what is known of it, and what filled. Invariants: an order in an
// active state holds its slot and counts in exposure with everything that may still fill; a fill counts once, by txID.
import type {
  AmericanOdds,
  Fill,
  GameId,
  Market,
  MarketId,
  Micros,
  NewOrder,
  OrderEvent,
  OrderId,
  OrderRef,
  RequestId,
  StrategyId,
  TxId,
} from '../domain/index.ts';
import { isActive, isCancelling, microsOfCents, nextStatus, winOf } from '../domain/index.ts';
import type { ForeignOrder } from './foreign-orders.ts';
import { ForeignOrders } from './foreign-orders.ts';
import { KnownOrders, REMEMBERED_ORDERS } from './known-orders.ts';
import type { FormerOwner, OwnFill, Owner, OwnOrder } from './own-order.ts';
import { fillOf, isOfOtherMode, ownOrder, remainingOf } from './own-order.ts';
import type { StrayPlay } from './plays.ts';
import { Plays } from './plays.ts';
import { StrategyFills } from './strategy-fills.ts';
import { Strays } from './strays.ts';

export type LedgerStats = {
  placed: number;
  edited: number;
  cancelled: number;
  /** Of our orders, by somebody else: an operator, or the exchange. */
  cancelledByOthers: number;
  fills: number;
  riskFilled: number;
  refused: number;
  unknownEver: number;
};

/** What tells of an id: it names the order, too; or an order that looks like it has the id. */
export type LearnedBy = 'name' | 'id' | 'looks';

export class Ledger {
  readonly stats: LedgerStats = {
    placed: 0,
    edited: 0,
    cancelled: 0,
    cancelledByOthers: 0,
    fills: 0,
    riskFilled: 0,
    refused: 0,
    unknownEver: 0,
  };
  /** Markets whose own orders or position changed since the last drain. */
  readonly touched = new Set<Market>();
  /** The same for games, those that came or went in `games` included. */
  readonly moved = new Set<GameId>();
  readonly #touch = (market: Market): void => {
    this.touched.add(market);
    this.moved.add(market.gameId);
  };
  readonly plays = new Plays(this.#touch);
  /** Games in which something is, or was, held or open, with those markets. */
  readonly games = new Map<GameId, Map<MarketId, Market>>();
  /** Fills of this run since the last drain. */
  newFills: Fill[] = [];
  readonly foreign = new ForeignOrders(this.#touch);
  /** Orders without a readable answer. */
  readonly unknown = new Set<OwnOrder>();
  /** Orders that were accepted, monotonic ms, and that no event of the user feed has named yet. */
  readonly unconfirmed = new Map<OwnOrder, number>();
  /** No active order has a later `modeAt`. */
  newestModeAt = Number.NEGATIVE_INFINITY;
  /** What plays of orders that are not known filled, by order. */
  readonly #strays = new Strays(REMEMBERED_ORDERS);
  readonly #orders = new KnownOrders();
  readonly #fills = new StrategyFills();
  #locked = 0;

  /** Stake that resting, in-flight and unknown orders may still lose, foreign ones included. */
  get locked(): Micros {
    return (this.#locked + this.foreign.locked) as Micros;
  }

  get active(): ReadonlySet<OwnOrder> {
    return this.#orders.active;
  }

  activeIn(market: MarketId): ReadonlySet<OwnOrder> {
    return this.#orders.activeIn(market);
  }

  /** By reference first: where an edit keeps the id, two orders have it (wire profile, `editKeepsId`). */
  find(orderId: OrderId | undefined, ref: OrderRef | undefined): OwnOrder | undefined {
    return this.#orders.byRef(ref) ?? this.#orders.byId(orderId);
  }

  owns(orderId: OrderId): boolean {
    return this.#orders.byId(orderId) !== undefined;
  }

  /** Changes whenever an id of an order of this game becomes known. */
  idsIn(gameId: GameId): number {
    return this.#orders.idsIn(gameId);
  }

  fillsOf(strategy: StrategyId, market: MarketId): readonly Fill[] {
    return this.#fills.of(strategy, market);
  }

  /** An order leaves for the exchange. */
  applySent(
    order: NewOrder,
    owner: Owner,
    req: RequestId,
    now: number,
    sentT: number,
    replaces?: OwnOrder,
  ): OwnOrder {
    const own = ownOrder(order, owner, { req, at: now, t: sentT, replaces });
    this.#hold(own);
    return own;
  }

  /**
   * An order of a former run. One that trades in another mode than this one has a key that no quote has: it is cancelled, and
   * what it fills hedges nothing.
   */
  #applyFormer(order: NewOrder, { strategy, key, isOfMode }: FormerOwner, at: number, t: number): OwnOrder {
    const owner = { strategy, key: isOfMode ? key : `other mode ${key}` };
    const modeAt = isOfMode ? at : Number.POSITIVE_INFINITY;
    const own = ownOrder(order, owner, { req: undefined, at, t, replaces: undefined, modeAt });
    own.isOfFormerRun = true;
    this.#hold(own);
    return own;
  }

  /** An open order of a former run of this instance. */
  applyAdopted(order: NewOrder, owner: FormerOwner, orderId: OrderId, now: number): OwnOrder {
    const own = this.#applyFormer(order, owner, now, 0);
    own.status = 'open';
    own.counted = true;
    own.seenInFeed = true;
    this.learnId(own, orderId, now);
    this.#takeStrays(own, own.ref);
    return own;
  }

  /** An order of a former run that was never answered. `sentAt`: monotonic ms, before the start of this one. */
  applyUnanswered(order: NewOrder, owner: FormerOwner, sentAt: number, sentT: number): void {
    const own = this.#applyFormer(order, owner, sentAt, sentT);
    this.applyEvent(own, 'unanswered', sentAt);
  }

  #remember(of: Market): void {
    const markets = this.games.get(of.gameId);
    if (markets === undefined) {
      this.games.set(of.gameId, new Map([[of.id, of]]));
      this.moved.add(of.gameId);
    } else markets.set(of.id, of);
  }

  #hold(own: OwnOrder): void {
    this.newestModeAt = Math.max(this.newestModeAt, own.modeAt);
    this.#orders.add(own);
    this.#remember(own.market);
    this.#relock(own);
    this.#touch(own.market);
  }

  /** The foreign orders of the account, all of them. `elsewhere`: what may be lost of those in games that are not known, ours included. */
  applyForeign(orders: readonly ForeignOrder[], elsewhere: ReadonlyMap<OrderId, Micros>): void {
    this.foreign.replace(orders, elsewhere);
    for (const { market } of orders) this.#remember(market);
  }

  /** What may be lost in games that are not known: each open order and each play whole. */
  get stakedElsewhere(): Micros {
    return (this.plays.stakedElsewhere + this.foreign.stakedElsewhere) as Micros;
  }

  applyEvent(order: OwnOrder, event: OrderEvent, now: number): void {
    const before = order.status;
    const after = nextStatus(before, event);
    if (after === before) return;
    order.status = after;
    // settled: the chain of edits behind it may be forgotten
    if (after !== 'sending' && after !== 'unknown' && after !== 'cancelling-unknown')
      order.replaces = undefined;
    this.#touch(order.market);
    if (after === 'unknown') {
      this.unknown.add(order);
      if (before !== 'cancelling-unknown' && event !== 'mistaken') this.stats.unknownEver += 1;
    } else this.unknown.delete(order);
    if (after === 'open') order.openSince = now;
    if (after === 'open' && (before === 'sending' || before === 'unknown' || !isActive(before)))
      this.#countAccepted(order, now);
    if (after === 'filled' && before === 'sending') this.#countAccepted(order, now);
    if (after === 'refused') this.stats.refused += 1;
    if (after === 'cancelled' && order.cancelAsked) this.stats.cancelled += 1;
    if (before === 'cancelled' && order.cancelAsked) {
      this.stats.cancelled -= 1;
      order.cancelAsked = false;
    }
    if (isActive(after) === isActive(before)) return;
    if (isActive(after)) {
      this.#remember(order.market);
      this.#orders.activate(order);
    } else {
      order.endedAt = now;
      // one that ended is reported all the same, unless its id is another order's by now
      if (order.orderId === undefined || this.#orders.byId(order.orderId) !== order)
        this.unconfirmed.delete(order);
      this.#orders.end(order);
    }
    this.#relock(order);
  }

  /** Learns the exchange's id of an order; true when it is news. */
  learnId(order: OwnOrder, orderId: OrderId, now: number, by: LearnedBy = 'name'): boolean {
    if (order.orderId === orderId) {
      if (by === 'name') {
        order.byLooks = false;
        if (isOfOtherMode(order)) this.#leave(this.plays.ownedBy(order.ref, order.market.gameId));
      }
      return false;
    }
    const mistaken = this.#orders.byId(orderId);
    // an edit may keep the id of what it replaces
    const isMistaken = mistaken?.byLooks === true && mistaken !== order.replaces;
    order.keptId = mistaken !== undefined && mistaken === order.replaces;
    const isGone = isMistaken && mistaken.status === 'cancelled';
    if (isMistaken) this.#unlearnId(mistaken, order, now);
    if (order.byLooks && order.orderId !== undefined) this.#leaveId(order, order.orderId, now);
    order.byLooks = by === 'looks';
    order.orderId = orderId;
    this.#orders.learnId(order, orderId);
    const wasGone = this.#takeStrays(order, orderId);
    if (isGone || wasGone) this.applyEvent(order, 'cancelled', now);
    this.#touch(order.market);
    return true;
  }

  /** Plays that were booked before anybody knew whose they were. True: its end was told of another order. */
  #takeStrays(order: OwnOrder, named: OrderId | OrderRef): boolean {
    const strays = this.#strays.take(named);
    if (strays === undefined) return false;
    let filled: number = order.filled + strays.mistaken;
    this.plays.applyMoved(strays.moved, order);
    if (isOfOtherMode(order)) this.#leave(strays.moved);
    for (const [txId, { risk, odds }] of strays.plays)
      if (isOfOtherMode(order)) {
        if (this.plays.leave(txId)) filled += risk;
      } else if (this.plays.applyOwner(txId, order)) {
        filled += risk;
        if (!order.isOfFormerRun) this.#tell(fillOf(order, txId, risk, odds));
      }
    order.filled = filled as Micros;
    this.#relock(order);
    return strays.isGone;
  }

  #leave(txIds: Iterable<TxId>): void {
    for (const txId of txIds) this.plays.applySettled(txId, 0 as Micros);
  }

  /** It turns out to have another id: what was told under this one is of somebody else. */
  #leaveId(order: OwnOrder, orderId: OrderId, now: number): void {
    this.#orders.leaveId(order, orderId);
    const strays = this.#strays.of(orderId);
    strays.mistaken += order.filled;
    strays.isGone ||= order.status === 'cancelled';
    for (const txId of this.plays.ownedBy(order.ref, order.market.gameId)) strays.moved.add(txId);
    this.plays.applyMoved(strays.moved, undefined);
    order.filled = 0 as Micros;
    this.#relock(order);
    this.#freeOfRequests(order, now);
    this.applyEvent(order, 'mistaken', now);
  }

  /** A cancel or an edit that is under way names another order. */
  #freeOfRequests(order: OwnOrder, now: number): void {
    if (isCancelling(order.status)) this.applyEvent(order, 'cancel-failed', now);
    if (order.status === 'moving') this.applyEvent(order, 'edit-refused', now);
  }

  /** What was told of an order under its id is of another one: of the first nobody knows what became of it. */
  #unlearnId(order: OwnOrder, owner: OwnOrder, now: number): void {
    order.orderId = undefined;
    order.byLooks = false;
    order.seenInFeed = false;
    this.unconfirmed.delete(order);
    owner.filled = (owner.filled + order.filled) as Micros;
    const moved = this.plays.ownedBy(order.ref, order.market.gameId);
    this.plays.applyMoved(moved, owner);
    if (isOfOtherMode(owner)) this.#leave(moved);
    order.filled = 0 as Micros;
    this.#relock(owner);
    if (order.counted) this.#count(order, -1);
    order.counted = false;
    this.#freeOfRequests(order, now);
    this.applyEvent(order, isActive(order.status) ? 'unanswered' : 'mistaken', now);
    this.#relock(order);
  }

  /** One fill of an own order; false when its txID was counted before. */
  applyFill(
    order: OwnOrder,
    txId: TxId,
    risk: Micros,
    odds: AmericanOdds,
    now: number,
    ofThisRun = true,
  ): boolean {
    if (isOfOtherMode(order)) {
      const isBooked = this.plays.leave(txId);
      const isNews = this.plays.isNews(txId);
      if (isNews || isBooked) this.#fill(order, risk, now);
      return isNews;
    }
    if (!this.plays.isNews(txId)) {
      // it may have been booked before anybody knew whose it was
      if (this.plays.applyOwner(txId, order)) {
        this.#fill(order, risk, now);
        if (!order.isOfFormerRun) this.#tell(fillOf(order, txId, risk, odds));
      }
      return false;
    }
    const fill = fillOf(order, txId, risk, odds);
    this.#fill(order, risk, now);
    const { market, side, ref, modeAt: sentAt } = order;
    // its game may be forgotten already
    this.#remember(market);
    this.plays.book(txId, { market, side, risk, win: fill.win, ref, sentAt, owned: true });
    this.#tell(fill, ofThisRun);
    return true;
  }

  /** To its strategy and, when it is of this run, to who counts. */
  #tell(fill: OwnFill, ofThisRun = true): void {
    this.#fills.add(fill);
    if (!ofThisRun) return;
    this.newFills.push(fill);
    this.stats.fills += 1;
    this.stats.riskFilled += fill.risk;
  }

  #fill(order: OwnOrder, risk: Micros, now: number): void {
    order.filled = (order.filled + risk) as Micros;
    this.#relock(order);
    if (order.filled >= microsOfCents(order.risk)) this.applyEvent(order, 'filled', now);
  }

  /**
   * A play of an order that this run does not know: it counts in the position. `isOurs`: a former run of this instance
   * sent the order, in the mode of the bot.
   */
  applyStray({ txId, market, side, risk, odds, ref, orderId }: StrayPlay, isOurs: boolean): boolean {
    if (!this.plays.leaveElsewhere(txId) && !this.plays.isNews(txId)) return false;
    // an id may have been another order's before an edit: with a reference it tells nothing
    const named = ref ?? orderId;
    if (named !== undefined) this.#strays.of(named).plays.set(txId, { risk, odds });
    const sentAt = isOurs ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
    this.#remember(market);
    this.plays.book(txId, { market, side, risk, win: winOf(risk, odds), ref, sentAt, owned: false });
    const order = named === undefined ? undefined : this.find(ref === undefined ? orderId : undefined, ref);
    if (order !== undefined && named !== undefined) this.#takeStrays(order, named);
    return true;
  }

  /** Forgets a game of which nothing is open or held any more. */
  forgetGame(gameId: GameId): void {
    for (const market of this.games.get(gameId)?.values() ?? []) {
      if (this.activeIn(market.id).size > 0 || this.plays.positions.has(market.id)) return;
    }
    for (const market of this.games.get(gameId)?.keys() ?? []) this.#fills.forget(market);
    if (this.games.delete(gameId)) this.moved.add(gameId);
    this.#orders.forgetGame(gameId);
  }

  #relock(order: OwnOrder): void {
    const now = isActive(order.status) ? remainingOf(order) : (0 as Micros);
    this.#locked += now - order.locked;
    order.locked = now;
  }

  #countAccepted(order: OwnOrder, now: number): void {
    if (!order.counted) {
      order.counted = true;
      this.#count(order, 1);
    }
    if (!order.seenInFeed) this.unconfirmed.set(order, now);
  }

  #count({ isEdit }: OwnOrder, by: number): void {
    if (isEdit) this.stats.edited += by;
    else this.stats.placed += by;
  }
}
