// The ledger of own orders: every order this run sent, what is known of it, and what filled. Invariants: an order in an
// active state holds its slot and counts in exposure with everything that may still fill; a fill counts once, by txID.
import type {
  Fill,
  FinalScore,
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
  Rung,
  Side,
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
  resultFor,
  rungOf,
  slotId,
  winOf,
} from '../domain/index.ts';
import type { AmericanOdds } from '../domain/index.ts';

export type OwnOrder = NewOrder & {
  readonly strategy: StrategyId;
  readonly key: string;
  readonly slot: SlotId;
  /** Monotonic and Unix ms. */
  readonly sentAt: number;
  readonly sentT: number;
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
  /** Monotonic ms of the newest edit or cancel of it: what was read before does not tell what came of that. */
  askedAt: number;
  /** Our cancel ended it, if it ends cancelled. */
  cancelAsked: boolean;
  /** Monotonic ms of the acceptance, until the user feed confirmed it; then undefined. */
  awaitsFeedSince: number | undefined;
  /** A positionUpdate named it. */
  seenInFeed: boolean;
  /** What it adds to the locked stake at present. */
  locked: Micros;
  /** Monotonic ms since when it is open, and when it ended. */
  openSince: number;
  endedAt: number;
};

/** An open order on the account that no run of this instance placed: counted, never touched (DESIGN rule 13). */
export type ForeignOrder = {
  readonly orderId: OrderId;
  readonly market: Market;
  readonly side: Side;
  readonly rung: Rung;
  readonly remaining: Micros;
};

/** A matched play of the account whose order this run does not know. */
export type StrayPlay = {
  readonly txId: TxId;
  readonly market: Market;
  readonly side: Side;
  readonly risk: Micros;
  readonly odds: AmericanOdds;
  readonly ref: OrderRef | undefined;
  readonly orderId: OrderId | undefined;
};

type BookedPlay = {
  readonly market: Market;
  readonly side: Side;
  readonly risk: Micros;
  readonly win: Micros;
  readonly ref: OrderRef | undefined;
};

type Unsure = {
  readonly market: Market;
  readonly side: Side;
  readonly risk: Micros;
  readonly win: Micros;
  /** When its order was sent, monotonic ms. */
  readonly sentAt: number;
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
const REMEMBERED_ORDERS = 4000;
const REMEMBERED_FILLS = 20_000;

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
  /** Fills of this run since the last drain. */
  newFills: Fill[] = [];
  readonly foreign = new Map<OrderId, ForeignOrder>();
  /** Orders without a readable answer. */
  readonly unknown = new Set<OwnOrder>();
  /** Somebody else was seen to use the account in this run. */
  sawForeign = false;
  /** What settled games brought, below 0 what they cost. */
  realized = 0 as Micros;
  /** Stakes of plays in games that are not known: each may be lost whole. */
  readonly #elsewhere = new Map<TxId, Micros>();
  /** Fills of orders that may have gone to another player mode than the bot trades in, by market. */
  readonly #unsure = new Map<MarketId, Set<Unsure>>();
  /** Monotonic ms: orders sent before then went to the mode of the bot. */
  #modeSureUntil = Number.NEGATIVE_INFINITY;
  /** What plays of orders that are not known filled, by order. */
  readonly #strays = new Map<OrderId, Micros>();
  /** Plays that wait for their games. */
  readonly #open = new Map<TxId, BookedPlay>();
  readonly #byRef = new Map<OrderRef, OwnOrder>();
  readonly #byId = new Map<OrderId, OwnOrder>();
  readonly #active = new Map<MarketId, Set<OwnOrder>>();
  readonly #activeAll = new Set<OwnOrder>();
  readonly #fillsOf = new Map<string, readonly Fill[]>();
  readonly #seenFills = new Set<TxId>();
  readonly #ended: OwnOrder[] = [];
  #locked = 0;

  /** Stake that resting, in-flight and unknown orders may still lose, foreign ones included. */
  get locked(): Micros {
    let locked = this.#locked;
    for (const { remaining } of this.foreign.values()) locked += remaining;
    return locked as Micros;
  }

  /** What plays in games that are not known may lose. */
  get stakedElsewhere(): Micros {
    let staked = 0;
    for (const risk of this.#elsewhere.values()) staked += risk;
    return staked as Micros;
  }

  /** Plays that wait for the game. */
  *openPlaysOf(gameId: GameId): Iterable<TxId> {
    for (const [txId, { market }] of this.#open) if (market.gameId === gameId) yield txId;
  }

  /** The reference under which a play can be looked up. */
  refOfFill(txId: TxId): OrderRef | undefined {
    return this.#open.get(txId)?.ref;
  }

  knowsFill(txId: TxId): boolean {
    return (this.#seenFills.has(txId) || this.#open.has(txId)) && !this.#elsewhere.has(txId);
  }

  get active(): ReadonlySet<OwnOrder> {
    return this.#activeAll;
  }

  activeIn(market: MarketId): ReadonlySet<OwnOrder> {
    return this.#active.get(market) ?? NONE;
  }

  /** By reference first: where an edit keeps the id, two orders have it (wire profile, `editKeepsId`). */
  find(orderId: OrderId | undefined, ref: OrderRef | undefined): OwnOrder | undefined {
    return (
      (ref === undefined ? undefined : this.#byRef.get(ref)) ??
      (orderId === undefined ? undefined : this.#byId.get(orderId))
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

  /**
   * What is held for certain in the mode of the bot: whatever may be in the other one hedges nothing here (DESIGN rule 9).
   */
  surePositionIn(market: MarketId): Position {
    let position = this.positionIn(market);
    for (const { side, risk, win } of this.unsureIn(market))
      position = applyFill(position, side, (0 - risk) as Micros, (0 - win) as Micros);
    return position;
  }

  /** Fills whose mode is not known yet: each may be lost whole, in either. */
  unsureIn(market: MarketId): Iterable<Unsure> {
    return this.#unsure.get(market) ?? NOTHING_UNSURE;
  }

  /** The account was in the mode of the bot at this monotonic time; an order keeps the mode it was placed in. */
  applyModeSure(at: number): void {
    this.#modeSureUntil = at;
    for (const [id, fills] of this.#unsure) {
      for (const fill of fills) {
        if (fill.sentAt >= at) continue;
        fills.delete(fill);
        this.touched.add(fill.market);
      }
      if (fills.size === 0) this.#unsure.delete(id);
    }
  }

  /** An order leaves for the exchange. */
  applySent(
    order: NewOrder,
    owner: { readonly strategy: StrategyId; readonly key: string },
    req: RequestId,
    now: number,
    sentT: number,
    replaces?: OwnOrder,
  ): OwnOrder {
    const own: OwnOrder = {
      ...order,
      ...owner,
      slot: slotId(owner.strategy, order.market, order.side, owner.key),
      sentAt: now,
      sentT,
      replaces,
      isEdit: replaces !== undefined,
      counted: false,
      orderId: undefined,
      status: 'sending',
      filled: 0 as Micros,
      req,
      askedAt: Number.NEGATIVE_INFINITY,
      cancelAsked: false,
      awaitsFeedSince: undefined,
      seenInFeed: false,
      locked: 0 as Micros,
      openSince: now,
      endedAt: 0,
    };
    this.#hold(own);
    return own;
  }

  /** An open order of a former run of this instance. */
  applyAdopted(
    order: NewOrder,
    owner: { readonly strategy: StrategyId; readonly key: string },
    orderId: OrderId,
    now: number,
  ): OwnOrder {
    const own = this.applySent(order, owner, 0, now, 0);
    own.req = undefined;
    own.status = 'open';
    own.counted = true;
    own.seenInFeed = true;
    this.learnId(own, orderId);
    return own;
  }

  /** An order of a former run that was never answered. `sentAt`: monotonic ms, before the start of this one. */
  applyUnanswered(
    order: NewOrder,
    owner: { readonly strategy: StrategyId; readonly key: string },
    sentAt: number,
    sentT: number,
  ): void {
    const own = this.applySent(order, owner, 0, sentAt, sentT);
    own.req = undefined;
    this.applyEvent(own, 'unanswered', sentAt);
  }

  #remember(of: Market): void {
    const markets = this.games.get(of.gameId);
    if (markets === undefined) this.games.set(of.gameId, new Map([[of.id, of]]));
    else markets.set(of.id, of);
  }

  #hold(own: OwnOrder): void {
    this.#byRef.set(own.ref, own);
    this.#remember(own.market);
    const inMarket = this.#active.get(own.market.id);
    if (inMarket === undefined) this.#active.set(own.market.id, new Set([own]));
    else inMarket.add(own);
    this.#activeAll.add(own);
    this.#relock(own);
    this.touched.add(own.market);
  }

  /** The foreign orders of the account, all of them. */
  applyForeign(orders: readonly ForeignOrder[]): void {
    for (const { market } of this.foreign.values()) this.touched.add(market);
    this.foreign.clear();
    for (const order of orders) this.setForeign(order);
  }

  setForeign(order: ForeignOrder): void {
    this.sawForeign = true;
    if (order.remaining > 0) this.foreign.set(order.orderId, order);
    else this.foreign.delete(order.orderId);
    this.#remember(order.market);
    this.touched.add(order.market);
  }

  applyEvent(order: OwnOrder, event: OrderEvent, now: number): void {
    const before = order.status;
    const after = nextStatus(before, event);
    if (after === before) return;
    order.status = after;
    // settled: the chain of edits behind it may be forgotten
    if (after !== 'sending' && after !== 'unknown') order.replaces = undefined;
    this.touched.add(order.market);
    if (after === 'unknown') {
      this.unknown.add(order);
      this.stats.unknownEver += 1;
    } else this.unknown.delete(order);
    if (after === 'open') order.openSince = now;
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
    } else {
      order.endedAt = now;
      this.#end(order);
    }
    this.#relock(order);
  }

  /** Learns the exchange's id of an order; true when it is news. */
  learnId(order: OwnOrder, orderId: OrderId): boolean {
    if (order.orderId === orderId) return false;
    order.orderId = orderId;
    this.#byId.set(orderId, order);
    this.knownIds += 1;
    // plays that were booked before anybody knew whose they were
    const strays = this.#strays.get(orderId);
    if (strays !== undefined) {
      this.#strays.delete(orderId);
      order.filled = (order.filled + strays) as Micros;
      this.#relock(order);
    }
    this.touched.add(order.market);
    return true;
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
    if (!this.#isNews(txId)) return false;
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
    this.#book(txId, order.market, order.side, risk, win, order.ref);
    const { market, side, sentAt } = order;
    if (sentAt >= this.#modeSureUntil) {
      const fills = this.#unsure.get(market.id) ?? new Set<Unsure>();
      this.#unsure.set(market.id, fills.add({ market, side, risk, win, sentAt }));
    }
    if (ofThisRun) {
      this.newFills.push(fill);
      this.stats.fills += 1;
      this.stats.riskFilled += risk;
    }
    if (order.filled >= microsOfCents(order.risk)) this.applyEvent(order, 'filled', now);
    return true;
  }

  /** A play of an order that this run does not know: it counts in the position. */
  applyStray({ txId, market, side, risk, odds, ref, orderId }: StrayPlay): boolean {
    const news = this.#elsewhere.delete(txId) || this.#isNews(txId);
    if (news && orderId !== undefined) {
      this.#strays.set(orderId, ((this.#strays.get(orderId) ?? 0) + risk) as Micros);
      forgetOldest(this.#strays, REMEMBERED_ORDERS);
    }
    if (news) this.#book(txId, market, side, risk, winOf(risk, odds), ref);
    return news;
  }

  /** A play in a game that is not known: all of its stake may be lost. */
  applyElsewhere(txId: TxId, risk: Micros): void {
    if (this.#isNews(txId)) this.#elsewhere.set(txId, risk);
  }

  /** The final score settled a play: it leaves the position. `profit`: what it brought, when that is told. */
  applySettled(txId: TxId, profit: Micros | undefined): void {
    this.#elsewhere.delete(txId);
    const play = this.#open.get(txId);
    if (play === undefined) return;
    this.#open.delete(txId);
    const { market, side, risk, win } = play;
    const position = applyFill(this.positionIn(market.id), side, (0 - risk) as Micros, (0 - win) as Micros);
    if (position.staked > 0) this.positions.set(market.id, { market, position });
    else this.positions.delete(market.id);
    // what is not told is not guessed: the worst is booked
    this.realized = (this.realized + (profit ?? 0 - risk)) as Micros;
    this.touched.add(market);
  }

  /** An operator knows the final score: every open play of the game is settled by it. Returns how many. */
  settleGame(gameId: GameId, score: FinalScore): number {
    const plays = [...this.openPlaysOf(gameId)];
    for (const txId of plays) {
      const play = this.#open.get(txId);
      if (play === undefined) continue;
      const share = resultFor(play.market, play.side, score);
      this.applySettled(txId, (share >= 0 ? share * play.win : share * play.risk) as Micros);
    }
    return plays.length;
  }

  /** Forgets a game of which nothing is open or held any more. */
  forgetGame(gameId: GameId): void {
    for (const market of this.games.get(gameId)?.values() ?? []) {
      if (this.#active.has(market.id) || this.positions.has(market.id)) return;
    }
    this.games.delete(gameId);
    for (const key of this.#fillsOf.keys()) if (key.includes(`|${gameId}/`)) this.#fillsOf.delete(key);
  }

  /** False when this txID was counted before. */
  #isNews(txId: TxId): boolean {
    // a play that waits for its game is listed at every census, however long ago it was made
    if (this.#seenFills.has(txId) || this.#open.has(txId)) return false;
    this.#seenFills.add(txId);
    forgetOldest(this.#seenFills, REMEMBERED_FILLS);
    return true;
  }

  #book(txId: TxId, market: Market, side: Side, risk: Micros, win: Micros, ref: OrderRef | undefined): void {
    this.#open.set(txId, { market, side, risk, win, ref });
    this.#remember(market);
    const position = applyFill(this.positionIn(market.id), side, risk, win);
    this.positions.set(market.id, { market, position });
    this.touched.add(market);
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
      if (old.orderId !== undefined && this.#byId.get(old.orderId) === old) this.#byId.delete(old.orderId);
    }
  }
}

/** Keeps at most as many, the newest. */
function forgetOldest<K>(
  of: { readonly size: number; readonly keys: () => Iterable<K>; readonly delete: (key: K) => boolean },
  most: number,
): void {
  if (of.size <= most) return;
  for (const oldest of of.keys()) {
    of.delete(oldest);
    return;
  }
}

const NOTHING_UNSURE: readonly Unsure[] = [];
const NONE: ReadonlySet<OwnOrder> = new Set();
const NO_FILLS: readonly Fill[] = [];
