// The exchange as a synchronous state machine: accounts, books, matching by price then age, expiry, the cancel-all lock.
// It reads no clock, no random number and no I/O: every call carries the time, ids come from counters, and what happened
// leaves through the sink when the outermost operation ends. Money only moves in pairs (matching.ts).
import type { Bucket, Game, GameId, MarketType, PlayerMode } from '../domain/index.ts';
import type { WireProfile } from '../wire/index.ts';
import { DEFAULT_PROFILE } from '../wire/index.ts';
import type { Account, AccountOptions, WindowLimits } from './account.ts';
import { createAccount, SPEC_LIMITS } from './account.ts';
import type { GameMessageType, VenueSink } from './events.ts';
import { EventQueue, SILENT } from './events.ts';
import { createIds } from './ids.ts';
import type { MarketBook, SideBook, VenueGame } from './market-book.ts';
import { bookOf, createGame } from './market-book.ts';
import type { Match } from './matching.ts';
import type { Ticket, VenueOrder } from './order.ts';
import type { Cancelled, Placed } from './order-desk.ts';
import { OrderDesk } from './order-desk.ts';
import { creditRefusal, gameRefusal, typeRefusal } from './order-rules.ts';
import { hash32 } from './random.ts';
import type { Refusal } from './refusal.ts';
import { cancelAllRunning, rateLimited } from './refusal.ts';

export type VenueOptions = {
  readonly seed?: number;
  readonly profile?: WireProfile;
  readonly limits?: WindowLimits;
  /** Venue time runs this much faster than the tape's: orders' lifetimes shrink with it. */
  readonly speed?: number;
};

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
  readonly #locked = new Set<Account>();
  readonly #events = new EventQueue();
  readonly #desk: OrderDesk;
  readonly #accountId: () => string;
  #depth = 0;
  #nextStart = Number.POSITIVE_INFINITY;

  constructor(options: VenueOptions = {}) {
    const seed = options.seed ?? 1;
    this.profile = options.profile ?? DEFAULT_PROFILE;
    this.speed = options.speed ?? 1;
    this.#limits = options.limits ?? SPEC_LIMITS;
    this.#accountId = createIds(seed, 'account');
    this.tape = this.addAccount({ username: TAPE_USERNAME, exempt: true });
    this.#desk = new OrderDesk(seed, this.tape, this.#events);
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
      const type: GameMessageType | undefined =
        before.open === after.open ? undefined : after.open ? 'marketOpen' : 'marketClosed';
      this.#events.game(game, type);
    });
  }

  book(game: VenueGame, type: MarketType, line: number | undefined): MarketBook {
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
    return this.#desk.find(id);
  }

  // ——— orders

  place(account: Account, ticket: Ticket, nowMs: number): Placed | Refusal {
    return this.run(
      nowMs,
      () =>
        gameRefusal(ticket, nowMs) ??
        creditRefusal(account, ticket) ??
        typeRefusal(account, ticket) ??
        this.#desk.match(account, ticket, nowMs),
    );
  }

  /** Cancel, then a brand-new order. What can be known beforehand to be refused leaves the old order as it is. */
  edit(account: Account, id: string, ticket: Ticket, nowMs: number): Edited | Refusal {
    return this.run(nowMs, () => {
      const old = this.#desk.openOrder(account, id);
      if (!old.ok) return old;
      const refusal = gameRefusal(ticket, nowMs) ?? creditRefusal(account, ticket, old.order);
      if (refusal !== undefined) return refusal;
      const cancelled = this.#desk.cancel(old.order);
      const placed = typeRefusal(account, ticket) ?? this.#desk.match(account, ticket, nowMs);
      return { ok: true, cancelled, placed };
    });
  }

  cancel(account: Account, id: string, nowMs: number): Cancelled | Refusal {
    return this.run(nowMs, () => {
      const refusal = this.lockRefusal(account, nowMs);
      if (refusal !== undefined) return refusal;
      const found = this.#desk.openOrder(account, id);
      return found.ok ? this.#desk.cancel(found.order) : found;
    });
  }

  /** While a cancel-all runs, individual cancels are refused with 423. */
  lockRefusal(account: Account, nowMs: number): Refusal | undefined {
    this.advance(nowMs);
    const lock = account.lock;
    return lock === undefined
      ? undefined
      : cancelAllRunning(lock.nextMs - nowMs + Math.max(0, lock.queue.length - 1) * DRAIN_INTERVAL_MS);
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
      for (const order of orders) this.#desk.cancel(order);
      return orders.length;
    });
  }

  /** A recorded take, or a recorded offer that crosses, fills an account's offer. */
  fillByTape(order: VenueOrder, match: Match, nowMs: number): void {
    this.run(nowMs, () => this.#desk.fillByTape(order, match, nowMs));
  }

  // ——— time

  #due(nowMs: number): void {
    this.#desk.expire(nowMs);
    if (nowMs >= this.#nextStart) {
      for (const game of this.games.values())
        if (!game.started && game.header.start <= nowMs) this.#start(game);
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
    for (const game of this.games.values())
      if (!game.started) this.#nextStart = Math.min(this.#nextStart, game.header.start);
  }

  #cancelGame(game: VenueGame, fits: (order: VenueOrder) => boolean): void {
    for (const book of game.books.values()) {
      for (const side of book.sides) for (const order of side.orders.filter(fits)) this.#desk.cancel(order);
    }
  }

  #drain(account: Account, nowMs: number): void {
    const lock = account.lock;
    if (lock === undefined) return;
    while (lock.queue.length > 0 && lock.nextMs <= nowMs) {
      const order = lock.queue.shift();
      if (order === undefined || order.status !== 'open') continue;
      this.#desk.cancel(order);
      lock.nextMs += DRAIN_INTERVAL_MS;
    }
    if (lock.queue.length > 0) return;
    account.lock = undefined;
    this.#locked.delete(account);
  }
}
