// The exchange as a synchronous state machine: accounts, books, matching by price then age, expiry, the cancel-all lock.
// It reads no clock, no random number and no I/O: every call carries the time, ids come from counters, and what happened
// leaves through the sink when the outermost operation ends. Money only moves in pairs (matching.ts).
import type { Bucket, Game, GameId, MarketType, Micros, OrderId, PlayerMode, TxId } from '../domain/index.ts';
import { oddsOf, oppositeRung, rungOf, ZERO } from '../domain/index.ts';
import type { WireProfile } from '../wire/index.ts';
import { DEFAULT_PROFILE } from '../wire/index.ts';
import type { Account, AccountOptions, WindowLimits } from './account.ts';
import { createAccount, SPEC_LIMITS } from './account.ts';
import type { GameMessageType, VenueSink } from './events.ts';
import { EventQueue, SILENT } from './events.ts';
import { ExpiryQueue } from './expiry.ts';
import { createIds } from './ids.ts';
import type { Ghost, SideBook, VenueGame } from './market-book.ts';
import { availableOf, bookOf, createGame, crossingOf, insertOrder, oppositeOf, removeOrder, sideOf } from './market-book.ts';
import type { Match } from './matching.ts';
import { DUST, matchOf, previewTake } from './matching.ts';
import type { MatchedPlay, Ticket, VenueOrder } from './order.ts';
import { hash32 } from './random.ts';
import type { Refusal } from './refusal.ts';
import { cancelAllRunning, rateLimited, refuse } from './refusal.ts';

export type VenueOptions = {
  readonly seed?: number;
  readonly profile?: WireProfile;
  readonly limits?: WindowLimits;
  /** Venue time runs this much faster than the tape's: orders' lifetimes shrink with it. */
  readonly speed?: number;
};

export type Placed = { readonly ok: true; readonly order: VenueOrder; readonly plays: readonly MatchedPlay[]; readonly rests: boolean };
export type Cancelled = { readonly ok: true; readonly order: VenueOrder; readonly released: Micros };
export type Edited = { readonly ok: true; readonly cancelled: Cancelled; readonly placed: Placed | Refusal };

/** Cancel-all drains at about 15 a second (spec, Limits). */
const DRAIN_INTERVAL_MS = 1000 / 15;
/** The account that takes for the recorded book. */
export const TAPE_USERNAME = 'tape';

export class Venue {
  readonly profile: WireProfile;
  readonly speed: number;
  readonly games = new Map<GameId, VenueGame>();
  readonly accounts = new Map<string, Account>();
  sink: VenueSink = SILENT;
  readonly tape: Account;

  readonly #limits: WindowLimits;
  readonly #orders = new Map<OrderId, VenueOrder>();
  readonly #expiries = new ExpiryQueue();
  readonly #locked = new Set<Account>();
  readonly #events = new EventQueue();
  readonly #orderId: () => string;
  readonly #txId: () => string;
  readonly #accountId: () => string;
  #depth = 0;
  #seq = 0;
  #nextStart = Number.POSITIVE_INFINITY;

  constructor(options: VenueOptions = {}) {
    const seed = options.seed ?? 1;
    this.profile = options.profile ?? DEFAULT_PROFILE;
    this.speed = options.speed ?? 1;
    this.#limits = options.limits ?? SPEC_LIMITS;
    this.#orderId = createIds(seed, 'order');
    this.#txId = createIds(seed, 'tx');
    this.#accountId = createIds(seed, 'account');
    this.tape = this.addAccount({ username: TAPE_USERNAME, exempt: true });
  }

  addAccount(options: AccountOptions): Account {
    const account = createAccount(this.#accountId(), options, this.#limits);
    this.accounts.set(account.username, account);
    return account;
  }

  /** Runs one operation: what is due comes first, what happened goes out at the end, however deep operations nest. */
  run<T>(nowMs: number, operation: () => T): T {
    this.#depth++;
    try {
      if (this.#depth === 1) this.#due(nowMs);
      return operation();
    } finally {
      this.#depth--;
      if (this.#depth === 0) this.#events.flush(this.sink);
    }
  }

  /** Lets time pass: expiries, game starts, the drain of cancel-alls. */
  advance(nowMs: number): void {
    this.run(nowMs, () => {});
  }

  // ——— games

  openGame(header: Game, nowMs: number): VenueGame {
    return this.run(nowMs, () => {
      const game = createGame(header, 501 + (hash32(header.id) % 200) * 2);
      this.games.set(header.id, game);
      if (header.live || header.start <= nowMs) game.started = true;
      this.#planStarts();
      this.#events.game(game, header.open ? 'marketOpen' : undefined);
      return game;
    });
  }

  changeGame(game: VenueGame, change: Partial<Game>, nowMs: number): void {
    this.run(nowMs, () => {
      const before = game.header;
      const after: Game = { ...before, ...change };
      game.header = after;
      game.headerJson = undefined;
      if (after.ended && !before.ended) this.#cancelGame(game, () => true);
      if (after.live && !before.live) this.#start(game);
      if (after.start !== before.start) this.#planStarts();
      const type: GameMessageType | undefined = before.open === after.open ? undefined : after.open ? 'marketOpen' : 'marketClosed';
      this.#events.game(game, type);
    });
  }

  /** Publishes the whole book of a game again. */
  republish(game: VenueGame): void {
    this.#events.game(game, undefined);
  }

  book(game: VenueGame, type: MarketType, line: number | undefined) {
    return bookOf(game, type, line);
  }

  touch(side: SideBook): void {
    this.#events.side(side);
  }

  // ——— accounts

  /** Counts a request in its window, at its arrival. */
  arrive(account: Account, bucket: Bucket, nowMs: number): Refusal | undefined {
    if (account.exempt) return undefined;
    const waitMs = account.windows[bucket].arrive(nowMs);
    return waitMs === undefined ? undefined : rateLimited(bucket, waitMs);
  }

  setMode(account: Account, mode: PlayerMode): void {
    account.mode = mode;
  }

  orderById(id: string): VenueOrder | undefined {
    return this.#orders.get(id as OrderId);
  }

  // ——— orders

  place(account: Account, ticket: Ticket, nowMs: number): Placed | Refusal {
    return this.run(nowMs, () => this.#refusalOf(account, ticket, nowMs) ?? this.#match(account, ticket, nowMs));
  }

  /** Cancel, then a brand-new order. What can be known beforehand to be refused leaves the old order as it is. */
  edit(account: Account, id: string, ticket: Ticket, nowMs: number): Edited | Refusal {
    return this.run(nowMs, () => {
      const old = this.#openOrder(account, id);
      if (!old.ok) return old;
      const refusal = this.#gameRefusal(ticket, nowMs) ?? this.#creditRefusal(account, ticket, old.order);
      if (refusal !== undefined) return refusal;
      const cancelled = this.#cancel(old.order);
      const placed = this.#typeRefusal(account, ticket) ?? this.#match(account, ticket, nowMs);
      return { ok: true, cancelled, placed };
    });
  }

  cancel(account: Account, id: string, nowMs: number): Cancelled | Refusal {
    return this.run(nowMs, () => {
      const refusal = this.lockRefusal(account, nowMs);
      if (refusal !== undefined) return refusal;
      const found = this.#openOrder(account, id);
      return found.ok ? this.#cancel(found.order) : found;
    });
  }

  /** While a cancel-all runs, individual cancels are refused with 423. */
  lockRefusal(account: Account, nowMs: number): Refusal | undefined {
    this.advance(nowMs);
    const lock = account.lock;
    return lock === undefined ? undefined : cancelAllRunning(lock.nextMs - nowMs + Math.max(0, lock.queue.length - 1) * DRAIN_INTERVAL_MS);
  }

  /** Takes the lock and drains it; a cancel-all while one runs adds what has come since. */
  cancelAll(account: Account, nowMs: number): void {
    this.run(nowMs, () => {
      const lock = account.lock ?? { queue: [], nextMs: nowMs };
      const known = new Set(lock.queue);
      for (const order of account.open.values()) if (!known.has(order)) lock.queue.push(order);
      account.lock = lock;
      this.#locked.add(account);
      this.#drain(account, nowMs);
    });
  }

  /** Cancels at once every open order of the account that fits; returns how many. */
  cancelWhere(account: Account, fits: (order: VenueOrder) => boolean, nowMs: number): number {
    return this.run(nowMs, () => {
      const orders = [...account.open.values()].filter(fits);
      for (const order of orders) this.#cancel(order);
      return orders.length;
    });
  }

  /** A recorded take, or a recorded offer that crosses, fills an account's offer. */
  fillByTape(order: VenueOrder, match: Match, nowMs: number): void {
    this.run(nowMs, () => {
      const txId = this.#txId() as TxId;
      this.#fillMaker(order, match, txId, undefined, nowMs);
      this.tape.credit[order.mode].fill(order.book.market, order.book.game.tie, oppositeOf(order.book, order.side).side, match.takerRisk, match.makerRisk, false);
      this.tape.fills++;
      this.tape.riskFilled = (this.tape.riskFilled + match.takerRisk) as Micros;
    });
  }

  // ——— why not

  #refusalOf(account: Account, ticket: Ticket, nowMs: number): Refusal | undefined {
    return this.#gameRefusal(ticket, nowMs) ?? this.#creditRefusal(account, ticket) ?? this.#typeRefusal(account, ticket);
  }

  #gameRefusal(ticket: Ticket, nowMs: number): Refusal | undefined {
    const { header } = ticket.book.game;
    if (header.ended || !header.open) return refuse(409, 'Game has been taken OTB or is graded');
    if (!header.live && header.start <= nowMs) return refuse(409, 'Game is past start time');
    return undefined;
  }

  #creditRefusal(account: Account, ticket: Ticket, replaced?: VenueOrder): Refusal | undefined {
    if (account.exempt) return undefined;
    const { market, game } = ticket.book;
    const credit = account.credit[account.mode];
    const release = replaced !== undefined && replaced.mode === account.mode ? replaced : undefined;
    if (release !== undefined) credit.removeOpen(release.book.market, release.book.game.tie, release.side, release.remaining);
    const allowed = credit.allows(account.balances[account.mode], market, game.tie, ticket.side, ticket.risk);
    if (release !== undefined) credit.addOpen(release.book.market, release.book.game.tie, release.side, release.remaining);
    return allowed ? undefined : refuse(409, 'Order size exceeds available credit', 'rejected_liability');
  }

  #typeRefusal(account: Account, ticket: Ticket): Refusal | undefined {
    const facing = oppositeOf(ticket.book, ticket.side);
    if (ticket.orderType === 'post') {
      const crossing = crossingOf(facing, ticket.rung);
      return crossing === undefined ? undefined : refuse(409, 'A post order would match a resting offer', 'rejected_order_type_rules');
    }
    const { takeable, own } = previewTake(facing, ticket.rung, ticket.risk, account);
    if (own !== undefined && account.mode === 'cash') return refuse(409, `You cannot fill your own order: ${own.id}`, 'rejected_order_type_rules');
    const short = ticket.orderType === 'fillOrKill' ? takeable < ticket.risk - DUST : ticket.orderType === 'fillAndKill' && takeable <= 0;
    return short
      ? refuse(409, `Order size exceeds quantity available, which is $${(takeable / 1_000_000).toFixed(2)}`, 'rejected_order_type_rules')
      : undefined;
  }

  #openOrder(account: Account, id: string): { readonly ok: true; readonly order: VenueOrder } | Refusal {
    const order = this.#orders.get(id as OrderId);
    if (order === undefined) return refuse(404, `Order not found: ${id}`);
    if (order.account !== account) return refuse(403, `Not your order: ${id}`);
    if (order.status === 'filled') return refuse(409, `Order has already been filled: ${id}`);
    return order.status === 'cancelled' ? refuse(404, `Order not found: ${id}`) : { ok: true, order };
  }

  // ——— matching

  #match(account: Account, ticket: Ticket, nowMs: number): Placed {
    const order = this.#createOrder(account, ticket, nowMs);
    const facing = oppositeOf(ticket.book, ticket.side);
    const plays: MatchedPlay[] = [];
    let stake = ticket.risk;
    for (let offer = crossingOf(facing, ticket.rung); offer !== undefined; offer = crossingOf(facing, ticket.rung)) {
      const match = matchOf(availableOf(offer), offer.odds, stake);
      if (match === undefined) break;
      stake = (stake - match.takerRisk) as Micros;
      plays.push(offer.kind === 'order' ? this.#fill(offer, order, match, nowMs) : this.#take(offer, facing, order, match, nowMs));
    }
    const rests = stake >= DUST && (ticket.orderType === 'post' || ticket.orderType === 'limit');
    if (rests) this.#rest(order, stake);
    else order.status = 'filled';
    if (!account.exempt) this.#remember(order);
    return { ok: true, order, plays, rests };
  }

  #createOrder(account: Account, ticket: Ticket, nowMs: number): VenueOrder {
    const createdAtMs = Math.floor(nowMs);
    return {
      kind: 'order',
      id: this.#orderId() as OrderId,
      account,
      mode: account.mode,
      book: ticket.book,
      side: ticket.side,
      rung: ticket.rung,
      odds: oddsOf(ticket.rung),
      offered: ZERO,
      filled: ZERO,
      remaining: ZERO,
      createdAtMs,
      createdAt: new Date(createdAtMs).toISOString(),
      seq: ++this.#seq,
      expiryMs: ticket.expiryMs,
      gameStartExpiry: ticket.gameStartExpiry ?? false,
      reference: ticket.reference,
      status: 'open',
      plays: [],
      row: undefined,
    };
  }

  #remember(order: VenueOrder): void {
    this.#orders.set(order.id, order);
    if (order.reference === undefined) return;
    const same = order.account.byReference.get(order.reference);
    if (same === undefined) order.account.byReference.set(order.reference, [order]);
    else same.push(order);
  }

  #rest(order: VenueOrder, size: Micros): void {
    order.offered = size;
    order.remaining = size;
    const { book, account } = order;
    const side = sideOf(book, order.side);
    insertOrder(side, order);
    account.open.set(order.id, order);
    if (account.exempt) this.#orders.set(order.id, order);
    account.credit[order.mode].addOpen(book.market, book.game.tie, order.side, size);
    if (order.expiryMs !== undefined) this.#expiries.add(order.expiryMs, order);
    this.#events.side(side);
    this.#record(order, undefined);
  }

  #fill(maker: VenueOrder, taker: VenueOrder, match: Match, nowMs: number): MatchedPlay {
    // each half has its own id: an account may be on both sides of a match in coins mode
    this.#fillMaker(maker, match, this.#txId() as TxId, taker.id, nowMs);
    return this.#fillTaker(taker, maker.id, maker, match, nowMs);
  }

  #take(ghost: Ghost, side: SideBook, taker: VenueOrder, match: Match, nowMs: number): MatchedPlay {
    ghost.used = (ghost.used + match.makerRisk) as Micros;
    ghost.row = undefined;
    volume(taker.book.game, match);
    this.#events.side(side);
    this.tape.credit[taker.mode].fill(taker.book.market, taker.book.game.tie, side.side, match.makerRisk, match.takerRisk, false);
    this.tape.fills++;
    this.tape.riskFilled = (this.tape.riskFilled + match.makerRisk) as Micros;
    return this.#fillTaker(taker, ghost.id, ghost, match, nowMs);
  }

  #fillMaker(order: VenueOrder, match: Match, txId: TxId, counterparty: OrderId | undefined, nowMs: number): void {
    order.filled = (order.filled + match.makerRisk) as Micros;
    order.remaining = (order.remaining - match.makerRisk) as Micros;
    order.row = undefined;
    volume(order.book.game, match);
    const play: MatchedPlay = { txId, order, counterparty, role: 'offer', odds: order.odds, risk: match.makerRisk, win: match.takerRisk, atMs: nowMs };
    this.#count(play, true);
    if (order.remaining <= 0) this.#retire(order, 'filled');
    this.#events.side(sideOf(order.book, order.side));
    this.#record(order, play);
  }

  #fillTaker(order: VenueOrder, counterparty: OrderId, maker: VenueOrder | Ghost, match: Match, nowMs: number): MatchedPlay {
    const play: MatchedPlay = {
      txId: this.#txId() as TxId,
      order,
      counterparty,
      role: 'wager',
      odds: oddsOf(oppositeRung(rungOf(maker.odds))),
      risk: match.takerRisk,
      win: match.makerRisk,
      atMs: nowMs,
    };
    this.#count(play, false);
    this.#record(order, play);
    return play;
  }

  #count(play: MatchedPlay, wasOpen: boolean): void {
    const { order } = play;
    const { account, book } = order;
    account.credit[order.mode].fill(book.market, book.game.tie, order.side, play.risk, play.win, wasOpen);
    account.fills++;
    account.riskFilled = (account.riskFilled + play.risk) as Micros;
    if (account.exempt) return;
    order.plays.push(play);
    account.plays.set(play.txId, play);
  }

  #record(order: VenueOrder, play: MatchedPlay | undefined): void {
    const unmatched = play?.role === 'wager' ? undefined : { offered: order.offered, filled: order.filled, remaining: order.remaining };
    this.#events.record({ order, unmatched, play });
  }

  // ——— the end of an order

  #cancel(order: VenueOrder): Cancelled {
    const released = order.remaining;
    const { book, account } = order;
    account.credit[order.mode].removeOpen(book.market, book.game.tie, order.side, released);
    order.remaining = ZERO;
    this.#retire(order, 'cancelled');
    this.#events.side(sideOf(book, order.side));
    this.#events.record({ order, unmatched: { offered: 0, filled: order.filled, remaining: 0 }, play: undefined });
    return { ok: true, order, released };
  }

  #retire(order: VenueOrder, status: 'filled' | 'cancelled'): void {
    order.status = status;
    removeOrder(sideOf(order.book, order.side), order);
    order.account.open.delete(order.id);
    if (order.account.exempt) this.#orders.delete(order.id);
  }

  // ——— time

  #due(nowMs: number): void {
    for (let order = this.#expiries.due(nowMs); order !== undefined; order = this.#expiries.due(nowMs)) {
      if (order.status === 'open') this.#cancel(order);
    }
    if (nowMs >= this.#nextStart) {
      for (const game of this.games.values()) if (!game.started && game.header.start <= nowMs) this.#start(game);
      this.#planStarts();
    }
    for (const account of this.#locked) this.#drain(account, nowMs);
  }

  #start(game: VenueGame): void {
    game.started = true;
    this.#cancelGame(game, (order) => order.gameStartExpiry);
  }

  #planStarts(): void {
    this.#nextStart = Number.POSITIVE_INFINITY;
    for (const game of this.games.values()) if (!game.started) this.#nextStart = Math.min(this.#nextStart, game.header.start);
  }

  #cancelGame(game: VenueGame, fits: (order: VenueOrder) => boolean): void {
    for (const book of game.books.values()) {
      for (const side of book.sides) for (const order of side.orders.filter(fits)) this.#cancel(order);
    }
  }

  #drain(account: Account, nowMs: number): void {
    const lock = account.lock;
    if (lock === undefined) return;
    while (lock.queue.length > 0 && lock.nextMs <= nowMs) {
      const order = lock.queue.shift();
      if (order === undefined || order.status !== 'open') continue;
      this.#cancel(order);
      lock.nextMs += DRAIN_INTERVAL_MS;
    }
    if (lock.queue.length > 0) return;
    account.lock = undefined;
    this.#locked.delete(account);
  }
}

function volume(game: VenueGame, match: Match): void {
  game.matched = (game.matched + match.makerRisk + match.takerRisk) as Micros;
}
