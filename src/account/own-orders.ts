// Own orders by state: active, unknown, ended; the stake that they lock; and their counts. An order is
// *active* while it rests or may come to rest. Invariant: an active order holds its slot and counts in
// exposure with everything that may still fill.
import type { GameId, Market, MarketId } from '../domain/index.ts';
import { isActive, isOnTeams, swapKept, swappedMarket } from '../domain/index.ts';
import type { Belief } from './belief.ts';
import type { AccountOutput } from './account-output.ts';
import type { OwnOrder } from './records.ts';
import { swapOrder } from './order.ts';

export type Counts = {
  placed: number;
  edited: number;
  cancelled: number;
  fills: number;
  riskFilled: number;
  refused: number;
  unknownEver: number;
  /**
   * Orders that ended after a cancel of this run that was never answered: it is not known whether the cancel
   * ended them.
   */
  undetermined: number;
  /** Orders that no request of the bot cancelled: an operator, the exchange or an expiry did. */
  cancelledByOthers: number;
};

const NONE: readonly OwnOrder[] = Object.freeze([]);

export class OwnOrders {
  readonly counts: Counts = {
    placed: 0,
    edited: 0,
    cancelled: 0,
    fills: 0,
    riskFilled: 0,
    refused: 0,
    unknownEver: 0,
    undetermined: 0,
    cancelledByOthers: 0,
  };
  readonly active = new Set<OwnOrder>();
  readonly unknown = new Set<OwnOrder>();
  /**
   * Orders that landed and that the user feed has not reported yet, with the time since when (monotonic ms).
   */
  readonly unconfirmed = new Map<OwnOrder, number>();
  /** Games with a position or an own order, now or earlier, and their markets with one. */
  readonly games = new Map<GameId, Map<MarketId, Market>>();
  /** Stake that all own orders may still lose, micro-dollars. */
  locked = 0;
  /** Ended orders, in the order in which they ended. */
  readonly ended = new Set<OwnOrder>();
  /** Active orders by market. An array is never changed, only replaced: a reader iterates over a snapshot. */
  readonly #activeIn = new Map<MarketId, readonly OwnOrder[]>();
  /** Ended orders that may have unreported fills, by market. */
  readonly #owingIn = new Map<MarketId, readonly OwnOrder[]>();
  readonly #news: AccountOutput;

  constructor(news: AccountOutput) {
    this.#news = news;
  }

  activeIn(market: MarketId): readonly OwnOrder[] {
    return this.#activeIn.get(market) ?? NONE;
  }

  /** Ended orders of the market that may have filled more than is known. */
  owingIn(market: MarketId): readonly OwnOrder[] {
    return this.#owingIn.get(market) ?? NONE;
  }

  /** True when an ended order may have filled more than is known. */
  get owes(): boolean {
    return this.#owingIn.size > 0;
  }

  *owing(): Iterable<OwnOrder> {
    for (const orders of this.#owingIn.values()) yield* orders;
  }

  /** Notes that something is or was held or open in the market. */
  remember(market: Market): void {
    const markets = this.games.get(market.gameId);
    if (markets === undefined) {
      this.games.set(market.gameId, new Map([[market.id, market]]));
      this.#news.games.add(market.gameId);
    } else markets.set(market.id, market);
  }

  /** Adds a new order. The caller folds it next. */
  addOrder(order: OwnOrder): void {
    this.remember(order.market);
    this.active.add(order);
    addIn(this.#activeIn, order);
    this.#news.touch(order.market);
  }

  /** Applies a belief to the order. Returns true when its status changed. */
  applyBelief(order: OwnOrder, { status, filled, reported, bound, landed }: Belief, now: number): boolean {
    const before = order.status;
    const isNew = status !== before;
    const isFilledAsBefore = filled === order.filled && reported === order.reported;
    if (!isNew && isFilledAsBefore && bound === order.bound && landed === order.landed) return false;
    const wasActive = isActive(before);
    const isNowActive = isActive(status);
    if (isNowActive !== wasActive || landed !== order.landed) this.#news.turns.add(order);
    this.locked += bound - order.bound;
    order.status = status;
    order.filled = filled;
    order.reported = reported;
    order.bound = bound;
    order.landed = landed;
    if (isNew) this.#applyStatusChange(order, wasActive, isNowActive, now);
    if (!isNowActive && bound > 0) addIn(this.#owingIn, order);
    else removeIn(this.#owingIn, order);
    this.#news.touch(order.market);
    return isNew;
  }

  #applyStatusChange(order: OwnOrder, wasActive: boolean, isNowActive: boolean, now: number): void {
    const { status } = order;
    // the fate is known: the chain of edits behind the order may be forgotten
    if (status !== 'sending' && status !== 'unknown' && status !== 'cancelling-unknown') order.replaces = undefined;
    if (status === 'unknown') this.unknown.add(order);
    else if (this.unknown.delete(order) && status !== 'cancelling-unknown') this.#news.resolved.add(order);
    if (status === 'open') order.openSince = now;
    if (isNowActive === wasActive) return;
    if (isNowActive) {
      this.remember(order.market);
      this.ended.delete(order);
      this.active.add(order);
      addIn(this.#activeIn, order);
    } else {
      order.endedAt = now;
      this.active.delete(order);
      removeIn(this.#activeIn, order);
      this.ended.add(order);
    }
  }

  /**
   * Counts the order by its belief, and takes back what it was counted as before. Returns true when the order
   * turned out to be cancelled by others: an operator or the exchange. `expiresAfterMs`: an order that ends
   * by its own expiry is not one of these.
   */
  recount(order: OwnOrder, expiresAfterMs = Number.POSITIVE_INFINITY): boolean {
    const { id, said: byRef, status, landed, counted, sentAt, endedAt } = order;
    const isCancelled = status === 'cancelled' && id?.cancelAsked === true;
    // a request of this run may have ended the order as well
    const isUntouched = id === undefined || id.touchedAt === Number.NEGATIVE_INFINITY;
    const isReported = byRef.isEndReported || id?.isEndReported === true;
    const isExpired = endedAt - sentAt >= expiresAfterMs;
    const isCertain = isCancelled && (id.cancelledByUs || !id.cancelSilent);
    const placed = landed && !order.isOfFormerRun;
    const refused = status === 'refused';
    const undetermined = isCancelled && !isCertain;
    const byOthers = status === 'cancelled' && landed && isReported && isUntouched && !isExpired;
    const { counts } = this;
    counts[order.isEdit ? 'edited' : 'placed'] += Number(placed) - Number(counted.placed);
    counts.refused += Number(refused) - Number(counted.refused);
    counts.cancelled += Number(isCertain) - Number(counted.cancelled);
    counts.undetermined += Number(undetermined) - Number(counted.undetermined);
    counts.cancelledByOthers += Number(byOthers) - Number(counted.byOthers);
    const isNewlyByOthers = byOthers && !counted.byOthers;
    counted.placed = placed;
    counted.refused = refused;
    counted.cancelled = isCertain;
    counted.undetermined = undetermined;
    counted.byOthers = byOthers;
    return isNewlyByOthers;
  }

  /** Home and away of a game changed places: its orders stay on their teams. */
  swapTeams(gameId: GameId): void {
    const markets = [...(this.games.get(gameId)?.values() ?? [])];
    for (const orders of [this.active, this.ended])
      for (const order of orders) {
        if (order.market.gameId !== gameId || !isOnTeams(order.market.type)) continue;
        swapOrder(order);
        if (orders === this.active) this.#news.moved.add(order);
      }
    for (const orders of [this.#activeIn, this.#owingIn]) swapKept(orders, markets);
    this.games.delete(gameId);
    for (const market of markets) {
      this.remember(swappedMarket(market));
      this.#news.touch(market);
      this.#news.touch(swappedMarket(market));
    }
  }

  /**
   * Forgets a game in which nothing is open any more, and returns its markets; undefined when something is
   * open or held. `isHeld`: true for a market with a position.
   */
  forgetGame(gameId: GameId, isHeld: (market: MarketId) => boolean): readonly MarketId[] | undefined {
    const markets = [...(this.games.get(gameId)?.keys() ?? [])];
    if (markets.some((id) => this.activeIn(id).length > 0 || isHeld(id))) return undefined;
    if (this.games.delete(gameId)) this.#news.games.add(gameId);
    return markets;
  }
}

function addIn(orders: Map<MarketId, readonly OwnOrder[]>, order: OwnOrder): void {
  const inMarket = orders.get(order.market.id);
  if (inMarket === undefined) orders.set(order.market.id, [order]);
  else if (!inMarket.includes(order)) orders.set(order.market.id, [...inMarket, order]);
}

function removeIn(orders: Map<MarketId, readonly OwnOrder[]>, order: OwnOrder): void {
  const inMarket = orders.get(order.market.id);
  if (inMarket?.includes(order) !== true) return;
  if (inMarket.length === 1) orders.delete(order.market.id);
  else
    orders.set(
      order.market.id,
      inMarket.filter((other) => other !== order),
    );
}
