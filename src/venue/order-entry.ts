// Handles orders from their first match to their end: matching, resting, fills, cancels, expiry and their
// records. Orders are checked before (order-rules.ts). The venue decides what is due and when events are
// sent.
import type { Micros, OrderId } from '../domain/index.ts';
import { minus, oddsOf, oppositeRung, plus, rungOf, ZERO } from '../domain/index.ts';
import type { VenueAccount, Ghost, SideBook, VenueGame, CancelCause, MatchedPlay, VenueOrder } from './records.ts';
import { addReference, forgetReference } from './account.ts';
import { Archive } from './archive.ts';
import type { EventQueue } from './events.ts';
import { PositionRecord } from './events.ts';
import { ExpiryQueue } from './expiry.ts';
import {
  availableOf,
  crossingOf,
  dropBook,
  insertOrder,
  keepBook,
  offerOf,
  oppositeOf,
  removeOrder,
  sideOf,
} from './market-book.ts';
import type { Match } from './matching.ts';
import { DUST, matchOf } from './matching.ts';
import type { Ticket } from './order.ts';
import { FreshPlay } from './order.ts';
import type { Refusal } from './refusal.ts';
import { refuse } from './refusal.ts';
import type { UsedOffers } from './used-offers.ts';

export type Placed = {
  readonly ok: true;
  readonly order: VenueOrder;
  readonly plays: readonly MatchedPlay[];
  readonly rests: boolean;
};
export type Cancelled = { readonly ok: true; readonly order: VenueOrder; readonly released: Micros };

export type OrderEntryIds = { readonly order: () => string; readonly tx: (count: number) => string };
const NO_PLAYS: MatchedPlay[] = [];

export class OrderEntry {
  readonly #tape: VenueAccount;
  readonly #accounts: Iterable<VenueAccount>;
  readonly #events: EventQueue;
  readonly #used: UsedOffers;
  /** Ended orders. Those of the venue's own traders are not kept. */
  readonly #ended = new Archive<OrderId, VenueOrder>((order) => order.id);
  readonly #expiries = new ExpiryQueue();
  readonly #ids: OrderEntryIds;
  #seq = 0;
  #plays = 0;

  readonly #keepEnded: number;

  /** @param keepEnded the least number of ended orders that stay available for lookup */
  constructor(
    ids: OrderEntryIds,
    tape: VenueAccount,
    accounts: Iterable<VenueAccount>,
    events: EventQueue,
    used: UsedOffers,
    keepEnded = Number.POSITIVE_INFINITY,
  ) {
    this.#keepEnded = keepEnded;
    this.#tape = tape;
    this.#accounts = accounts;
    this.#events = events;
    this.#used = used;
    this.#ids = ids;
  }

  /** Number of the newest order. A cancel-all that starts now covers the orders up to it. */
  get seq(): number {
    return this.#seq;
  }

  find(id: string): VenueOrder | undefined {
    for (const { open } of this.#accounts) {
      const order = open.get(id as OrderId);
      if (order !== undefined) return order;
    }
    return this.#ended.get(id as OrderId);
  }

  /** The account's open order with this id, or the refusal of a request for it. */
  openOrder(account: VenueAccount, id: string): { readonly ok: true; readonly order: VenueOrder } | Refusal {
    const order = account.open.get(id as OrderId) ?? this.find(id);
    if (order === undefined) return refuse(404, `Order not found: ${id}`);
    if (order.account !== account) return refuse(403, `Not your order: ${id}`);
    if (order.status === 'filled') return refuse(409, `Order has already been filled: ${id}`);
    return order.status === 'cancelled' ? refuse(404, `Order not found: ${id}`) : { ok: true, order };
  }

  // ——— matching

  /**
   * Matches a ticket, and rests the remainder where its type allows.
   * @param replaced the order whose id the new one keeps (wire profile, `editKeepsId`)
   */
  match(account: VenueAccount, ticket: Ticket, nowMs: number, replaced?: VenueOrder): Placed {
    const order = this.#createOrder(account, ticket, nowMs, replaced);
    const facing = oppositeOf(ticket.book, ticket.side);
    let plays: MatchedPlay[] | undefined;
    let stake = ticket.risk;
    while (stake >= DUST) {
      const offer = ticket.target === undefined ? crossingOf(facing, ticket.rung) : offerOf(facing, ticket.target);
      if (offer === undefined) break;
      const match = matchOf(availableOf(offer), offer.odds, stake);
      if (match === undefined) break;
      stake = minus(stake, match.takerRisk);
      (plays ??= []).push(
        offer.kind === 'order'
          ? this.#fill(offer, order, match, nowMs)
          : this.#take(offer, facing, order, match, nowMs),
      );
    }
    const rests =
      ticket.target === undefined && stake >= DUST && (ticket.orderType === 'post' || ticket.orderType === 'limit');
    if (rests) this.#rest(order, stake);
    else order.status = 'filled';
    if (!account.internal) this.#remember(order, rests);
    return { ok: true, order, plays: plays ?? NO_PLAYS, rests };
  }

  #createOrder(account: VenueAccount, ticket: Ticket, nowMs: number, replaced?: VenueOrder): VenueOrder {
    return {
      kind: 'order',
      id: replaced?.id ?? (this.#ids.order() as OrderId),
      account,
      mode: account.mode,
      book: ticket.book,
      side: ticket.side,
      rung: ticket.rung,
      odds: oddsOf(ticket.rung),
      offered: ZERO,
      filled: ZERO,
      remaining: ZERO,
      createdAtMs: Math.floor(nowMs),
      seq: ++this.#seq,
      bornSeq: replaced?.bornSeq ?? this.#seq,
      expiryMs: ticket.expiryMs,
      gameStartExpiry: ticket.gameStartExpiry ?? false,
      reference: ticket.reference,
      requestId: ticket.requestId,
      status: 'open',
      cause: undefined,
      plays: replaced?.plays ?? NO_PLAYS,
      row: undefined,
    };
  }

  #remember(order: VenueOrder, rests: boolean): void {
    if (!rests) this.#keep(order);
    this.#events.orderKept(order);
    addReference(order);
  }

  #rest(order: VenueOrder, size: Micros): void {
    order.offered = size;
    order.remaining = size;
    const { book, account } = order;
    keepBook(book);
    const side = sideOf(book, order.side);
    insertOrder(side, order);
    account.open.set(order.id, order);
    account.credit[order.mode].addOpen(book.market, book.game.rule, order.side, size);
    if (order.expiryMs !== undefined) this.#expiries.addOrder(order.expiryMs, order);
    this.#events.side(side);
    this.#record(order, undefined);
  }

  #fill(maker: VenueOrder, taker: VenueOrder, match: Match, nowMs: number): MatchedPlay {
    // each side has its own play: in coins mode an account may be on both sides of a match
    this.#fillMaker(maker, match, taker.id, nowMs);
    if (maker.mode !== taker.mode) this.#exchange(maker, taker, match);
    return this.#fillTaker(taker, maker.id, maker, match, nowMs);
  }

  /**
   * Books a match across modes: the venue's account stands between the two, so that each currency balances by
   * itself.
   */
  #exchange(maker: VenueOrder, taker: VenueOrder, { makerRisk, takerRisk }: Match): void {
    const { market, game } = maker.book;
    this.#tape.credit[maker.mode].fill(market, game.rule, taker.side, takerRisk, makerRisk, false);
    this.#tape.credit[taker.mode].fill(market, game.rule, maker.side, makerRisk, takerRisk, false);
  }

  /** Matches a taker with a recorded offer. The venue's account takes the recorded side. */
  #take(ghost: Ghost, side: SideBook, taker: VenueOrder, match: Match, nowMs: number): MatchedPlay {
    this.#used.use(side, ghost, match.makerRisk);
    addMatchVolume(taker.book.game, match);
    this.#events.side(side);
    this.#tape.credit[taker.mode].fill(
      taker.book.market,
      taker.book.game.rule,
      side.side,
      match.makerRisk,
      match.takerRisk,
      false,
    );
    this.#tape.fills++;
    this.#tape.riskFilled = plus(this.#tape.riskFilled, match.makerRisk);
    return this.#fillTaker(taker, ghost.id, ghost, match, nowMs);
  }

  #fillMaker(order: VenueOrder, match: Match, counterparty: OrderId | undefined, nowMs: number): void {
    order.filled = plus(order.filled, match.makerRisk);
    order.remaining = minus(order.remaining, match.makerRisk);
    order.row = undefined;
    this.#events.orderKept(order);
    addMatchVolume(order.book.game, match);
    const play = this.#play({
      order,
      counterparty,
      role: 'offer',
      odds: order.odds,
      risk: match.makerRisk,
      win: match.takerRisk,
      atMs: nowMs,
    });
    this.#count(play, true);
    if (order.remaining <= 0) this.#retire(order, 'filled');
    this.#events.side(sideOf(order.book, order.side));
    this.#record(order, play);
  }

  #fillTaker(
    order: VenueOrder,
    counterparty: OrderId,
    maker: VenueOrder | Ghost,
    match: Match,
    nowMs: number,
  ): MatchedPlay {
    const play = this.#play({
      order,
      counterparty,
      role: 'wager',
      odds: oddsOf(oppositeRung(rungOf(maker.odds))),
      risk: match.takerRisk,
      win: match.makerRisk,
      atMs: nowMs,
    });
    this.#count(play, false);
    this.#record(order, play);
    return play;
  }

  #play(fields: Omit<MatchedPlay, 'txId' | 'profit'>): MatchedPlay {
    return new FreshPlay(fields, ++this.#plays, this.#ids.tx);
  }

  #count(play: MatchedPlay, wasOpen: boolean): void {
    const { order } = play;
    const { account, book } = order;
    account.credit[order.mode].fill(book.market, book.game.rule, order.side, play.risk, play.win, wasOpen);
    account.fills++;
    account.riskFilled = plus(account.riskFilled, play.risk);
    if (account.internal) return;
    // the empty list is shared by all orders
    if (order.plays.length === 0) order.plays = [play];
    else order.plays.push(play);
    account.plays.addItem(play);
    this.#events.playKept(play);
    this.#events.accountKept(account);
  }

  #record(order: VenueOrder, play: MatchedPlay | undefined): void {
    const rests = play?.role !== 'wager';
    this.#events.record(new PositionRecord(order, play, rests, order.offered, order.filled, order.remaining));
  }

  // ——— the end of an order

  cancel(order: VenueOrder, cause: CancelCause = 'cancelled'): Cancelled {
    const released = order.remaining;
    order.cause = cause;
    this.#release(order);
    this.#events.side(sideOf(order.book, order.side));
    this.#events.record(new PositionRecord(order, undefined, true, 0, order.filled, 0));
    return { ok: true, order, released };
  }

  #retire(order: VenueOrder, status: 'filled' | 'cancelled'): void {
    order.status = status;
    removeOrder(sideOf(order.book, order.side), order);
    dropBook(order.book);
    order.account.open.delete(order.id);
    if (order.account.internal) return;
    this.#keep(order);
    this.#events.orderKept(order);
  }

  #keep(order: VenueOrder): void {
    this.#ended.addItem(order);
    if (this.#ended.size < 2 * this.#keepEnded) return;
    for (const old of this.#ended.takeOldest(this.#ended.size - this.#keepEnded)) forgetReference(old);
  }

  /** Removes an order whose id an edit keeps. No cancel is reported. */
  withdraw(order: VenueOrder): Cancelled {
    const released = order.remaining;
    this.#release(order);
    this.#events.side(sideOf(order.book, order.side));
    return { ok: true, order, released };
  }

  #release(order: VenueOrder): void {
    const { book, account } = order;
    account.credit[order.mode].removeOpen(book.market, book.game.rule, order.side, order.remaining);
    order.remaining = ZERO;
    this.#retire(order, 'cancelled');
  }

  /** Forgets the orders and plays of a game that was graded long ago. They can no longer be looked up. */
  forget(game: VenueGame, accounts: Iterable<VenueAccount>): void {
    this.#ended.remove((order) => order.book.game === game);
    for (const account of accounts) {
      account.plays.remove((play) => play.order.book.game === game);
      for (const orders of [...account.byReference.values()])
        for (const order of orders) if (order.book.game === game) forgetReference(order);
    }
  }

  /** Every order of a game that a client can still look up. */
  ordersIn(game: VenueGame): ReadonlySet<VenueOrder> {
    const orders = new Set<VenueOrder>(this.#ended.values());
    for (const { open, plays, byReference } of this.#accounts) {
      for (const order of open.values()) orders.add(order);
      for (const { order } of plays.values()) orders.add(order);
      for (const referenced of byReference.values()) for (const order of referenced) orders.add(order);
    }
    return new Set([...orders].filter(({ book }) => book.game === game));
  }

  /** Every order that can be looked up, ended orders first, without those of the venue's own traders. */
  *all(): Generator<VenueOrder> {
    yield* this.#ended.values();
    for (const { internal, open } of this.#accounts) if (!internal) yield* open.values();
  }

  // ——— after a restart

  /** Restores an account's order after a restart. An open order rests at its old rank. */
  restore(order: VenueOrder): void {
    this.#seq = Math.max(this.#seq, order.seq);
    addReference(order);
    if (order.status !== 'open') {
      this.#ended.addItem(order);
      return;
    }
    const { book, account } = order;
    insertOrder(sideOf(book, order.side), order);
    account.open.set(order.id, order);
    account.credit[order.mode].addOpen(book.market, book.game.rule, order.side, order.remaining);
    if (order.expiryMs !== undefined) this.#expiries.addOrder(order.expiryMs, order);
  }

  /**
   * Restores one side of a match after a restart, and the other side where the venue's own account held it.
   */
  restorePlay(play: MatchedPlay, counterpart: VenueOrder | undefined): void {
    const { order } = play;
    const { account, book } = order;
    order.plays = [...order.plays, play];
    account.plays.addItem(play);
    account.fills++;
    account.riskFilled = plus(account.riskFilled, play.risk);
    addVolume(book.game, play.role === 'offer' || counterpart === undefined ? play.risk + play.win : 0);
    if (play.profit !== undefined) return;
    account.credit[order.mode].fill(book.market, book.game.rule, order.side, play.risk, play.win, false);
    if (counterpart?.mode === order.mode) return;
    const otherSide = oppositeOf(book, order.side).side;
    this.#tape.credit[order.mode].fill(book.market, book.game.rule, otherSide, play.win, play.risk, false);
  }

  /** Fills an account's offer from the recording: by a recorded take, or a recorded offer that crosses. */
  fillByTape(order: VenueOrder, match: Match, nowMs: number): void {
    this.#fillMaker(order, match, undefined, nowMs);
    this.#tape.credit[order.mode].fill(
      order.book.market,
      order.book.game.rule,
      oppositeOf(order.book, order.side).side,
      match.takerRisk,
      match.makerRisk,
      false,
    );
    this.#tape.fills++;
    this.#tape.riskFilled = plus(this.#tape.riskFilled, match.takerRisk);
  }

  /** When the next order may expire, ms. Infinity when there is none. */
  get nextExpiryMs(): number {
    return this.#expiries.nextMs;
  }

  /** Cancels what has expired. */
  expire(nowMs: number): void {
    for (let order = this.#expiries.due(nowMs); order !== undefined; order = this.#expiries.due(nowMs)) {
      if (order.status === 'open') this.cancel(order, 'expired');
    }
  }
}

/** Adds a match to the game's volume, both stakes. */
function addMatchVolume(game: VenueGame, match: Match): void {
  addVolume(game, match.makerRisk + match.takerRisk);
}

function addVolume(game: VenueGame, amount: number): void {
  game.matched = (game.matched + amount) as Micros;
}
