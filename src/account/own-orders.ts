// Own orders as they are believed to be: which may rest, what they lock, what they were counted as. An order is *active* while
// it rests or may come to rest: it holds its slot, and counts in exposure with everything that may still fill.
import type { GameId, Market, MarketId } from '../domain/index.ts';
import { isActive, isOnTeams, swapKept, swappedMarket } from '../domain/index.ts';
import type { Belief } from './belief.ts';
import type { AccountNews } from './news.ts';
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
  /** Ended after a cancel of ours that was never answered: nothing says whether that ended them. */
  undetermined: number;
  /** Cancelled by nothing that we sent: an operator, the exchange, an expiry. */
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
  /** Orders that landed, since when (monotonic ms), and that no event of the user feed has named yet. */
  readonly unconfirmed = new Map<OwnOrder, number>();
  /** Games in which something is, or was, held or open, with those markets. */
  readonly games = new Map<GameId, Map<MarketId, Market>>();
  /** Stake that all of them may still lose. */
  locked = 0;
  /** In the order in which they ended. */
  readonly ended = new Set<OwnOrder>();
  /** Lists are never changed, but replaced: whoever goes through one goes through it as it was. */
  readonly #activeIn = new Map<MarketId, readonly OwnOrder[]>();
  /** Ended ones of which something may have filled unreported. */
  readonly #owingIn = new Map<MarketId, readonly OwnOrder[]>();
  readonly #news: AccountNews;

  constructor(news: AccountNews) {
    this.#news = news;
  }

  activeIn(market: MarketId): readonly OwnOrder[] {
    return this.#activeIn.get(market) ?? NONE;
  }

  /** Ended orders that may have filled more than is known. */
  owingIn(market: MarketId): readonly OwnOrder[] {
    return this.#owingIn.get(market) ?? NONE;
  }

  /** Some order may have filled more than is known. */
  get owes(): boolean {
    return this.#owingIn.size > 0;
  }

  *owing(): Iterable<OwnOrder> {
    for (const orders of this.#owingIn.values()) yield* orders;
  }

  /** Something is, or was, held or open there. */
  remember(of: Market): void {
    const markets = this.games.get(of.gameId);
    if (markets === undefined) {
      this.games.set(of.gameId, new Map([[of.id, of]]));
      this.#news.games.add(of.gameId);
    } else markets.set(of.id, of);
  }

  /** A new one: what is believed of it is still to be said. */
  add(order: OwnOrder): void {
    this.remember(order.market);
    this.active.add(order);
    addIn(this.#activeIn, order);
    this.#news.touch(order.market);
  }

  /** Takes a belief over. True when its status changed. */
  apply(order: OwnOrder, { status, filled, reported, bound, landed }: Belief, now: number): boolean {
    const before = order.status;
    const isNew = status !== before;
    const isFilledAsBefore = filled === order.filled && reported === order.reported;
    if (!isNew && isFilledAsBefore && bound === order.bound && landed === order.landed) return false;
    const was = isActive(before);
    const is = isActive(status);
    if (is !== was || landed !== order.landed) this.#news.turns.add(order);
    this.locked += bound - order.bound;
    order.status = status;
    order.filled = filled;
    order.reported = reported;
    order.bound = bound;
    order.landed = landed;
    if (isNew) this.#turn(order, was, is, now);
    if (!is && bound > 0) addIn(this.#owingIn, order);
    else removeIn(this.#owingIn, order);
    this.#news.touch(order.market);
    return isNew;
  }

  #turn(order: OwnOrder, was: boolean, is: boolean, now: number): void {
    const { status } = order;
    // settled: the chain of edits behind it may be forgotten
    if (status !== 'sending' && status !== 'unknown' && status !== 'cancelling-unknown') order.replaces = undefined;
    if (status === 'unknown') this.unknown.add(order);
    else if (this.unknown.delete(order) && status !== 'cancelling-unknown') this.#news.resolved.add(order);
    if (status === 'open') order.openSince = now;
    if (is === was) return;
    if (is) {
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
   * Counts it as what it is believed to be, and takes back what it was counted as before. True when it turned out that
   * somebody else cancelled it: an operator, or the exchange. `expiresAfterMs`: its own end is none of theirs.
   */
  recount(order: OwnOrder, expiresAfterMs = Number.POSITIVE_INFINITY): boolean {
    const { id, said, status, landed, counted, sentAt, endedAt } = order;
    const isCancelled = status === 'cancelled' && id?.cancelAsked === true;
    // a request of ours for it may have ended it as well
    const isLeftAlone = id === undefined || id.touchedAt === Number.NEGATIVE_INFINITY;
    const isReported = said.isEndReported || id?.isEndReported === true;
    const isExpired = endedAt - sentAt >= expiresAfterMs;
    const isCertain = isCancelled && (id.cancelledByUs || !id.cancelSilent);
    const placed = landed && !order.isOfFormerRun;
    const refused = status === 'refused';
    const undetermined = isCancelled && !isCertain;
    const byOthers = status === 'cancelled' && landed && isReported && isLeftAlone && !isExpired;
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
    for (const of of markets) {
      this.remember(swappedMarket(of));
      this.#news.touch(of);
      this.#news.touch(swappedMarket(of));
    }
  }

  /** Forgets a game of which nothing is open any more; `isHeld`: something is held in a market. */
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
