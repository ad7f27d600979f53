// The exchange as a synchronous state machine: accounts, books, matching, expiry, cancel-all and settlement.
// It uses no clock, randomness or I/O: calls carry the time, ids come from counters, and events go to the
// sink when the outermost operation ends. Money only moves in pairs (matching.ts).
import type { Edited, VenueOptions } from './venue-options.ts';
import { KEEP_GRADED_MS, PLAIN_GAME, TAPE_USERNAME } from './venue-options.ts';
import type { Bucket, Game, GameId, GameResult, KnownSport, MarketType, PlayerMode } from '../domain/index.ts';
import {
  completedResult,
  microsOfDollars,
  PLAYER_MODES,
  Sports,
  teamChange,
  withTeams,
  hash32,
} from '../domain/index.ts';
import type { WireProfile } from '../wire/index.ts';
import { DEFAULT_PROFILE } from '../wire/index.ts';
import type { AccountOptions } from './account.ts';
import type {
  SomeLimits,
  WindowLimits,
  VenueAccount,
  AccountStatus,
  CancelAllLock,
  GameDetails,
  MarketBook,
  SideBook,
  VenueGame,
  CancelCause,
  MatchedPlay,
  VenueOrder,
} from './records.ts';
import { createAccount, limitsAt, SPEC_LIMITS } from './account.ts';
import { CancelAlls } from './cancel-all.ts';
import { CancelQueue } from './cancel-queue.ts';
import type { GameMessageType, VenueChanges, VenueRecorder, VenueSink } from './events.ts';
import { EventQueue, SILENT } from './events.ts';
import { settleAccount } from './grading.ts';
import { Heartbeats } from './heartbeats.ts';
import { createIds, createNames } from './ids.ts';
import { bookOf, createGame, forgetRows, sportAt } from './market-book.ts';
import type { Match } from './matching.ts';
import { even } from './matching.ts';
import type { Ticket } from './order.ts';
import type { Cancelled, Placed } from './order-entry.ts';
import { OrderEntry } from './order-entry.ts';
import { creditRefusal, gameRefusal, targetRefusal, typeRefusal } from './order-rules.ts';
import type { Refusal } from './refusal.ts';
import { cancelQueueFull, rateLimited } from './refusal.ts';
import { swapSides } from './swap-sides.ts';
import { UsedOffers } from './used-offers.ts';

export class Venue {
  readonly profile: WireProfile;
  readonly speed: number;
  readonly #sports: Sports;
  readonly games = new Map<GameId, VenueGame>();
  readonly accounts = new Map<string, VenueAccount>();
  sink: VenueSink = SILENT;
  /** Called when a market is opened by something other than the recording that trades in it. */
  reopened: (game: VenueGame, nowMs: number) => void = () => {};
  /** Called when home and away of a game have been swapped, with the books that changed. */
  teamsSwapped: (gameId: GameId, books: ReadonlySet<MarketBook>) => void = () => {};
  /** The internal account that trades for the recorded book. */
  readonly tape: VenueAccount;
  /** Makes the id of a place, edit or resume request. */
  readonly newRequestId: () => string;

  readonly #limits: WindowLimits;
  readonly #windowSpeed: number;
  readonly #events = new EventQueue();
  readonly used = new UsedOffers(this.#events);
  readonly #entry: OrderEntry;
  readonly #cancelAlls: CancelAlls;
  readonly #heartbeats: Heartbeats;
  readonly #accountId: () => string;
  readonly #gameId: () => string;
  #depth = 0;
  #nextStart = Number.POSITIVE_INFINITY;
  #nextForget = Number.POSITIVE_INFINITY;

  constructor(options: VenueOptions = {}) {
    const { seed = 1, earlierRuns = 0, plays } = options;
    const stream = (kind: string) =>
      [kind, ...(plays === undefined ? [] : [plays]), ...(earlierRuns === 0 ? [] : [earlierRuns])].join(' ');
    const ids = (kind: string) => createIds(seed, stream(kind));
    this.profile = options.profile ?? DEFAULT_PROFILE;
    this.speed = options.speed ?? 1;
    this.#sports = new Sports(options.sports);
    const { windowSpeed = 1 } = options;
    this.#windowSpeed = windowSpeed;
    this.#limits = limitsAt(options.limits ?? SPEC_LIMITS, windowSpeed);
    this.#accountId = ids('account');
    this.#gameId = ids('game');
    this.newRequestId = ids('request');
    this.tape = this.addAccount({ username: TAPE_USERNAME, internal: true });
    const orderIds = { order: ids('order'), tx: createNames(seed, stream('tx')) };
    this.#entry = new OrderEntry(
      orderIds,
      this.tape,
      { [Symbol.iterator]: () => this.accounts.values() },
      this.#events,
      this.used,
      options.keepEnded,
    );
    this.#cancelAlls = new CancelAlls(this.#entry, this.#events, windowSpeed);
    this.#heartbeats = new Heartbeats(this.#entry, this.#events);
  }

  /** The recorder of persistent changes. It is called before any event is sent. */
  set recorder(recorder: VenueRecorder | undefined) {
    this.#events.recorder = recorder;
  }

  /** Runs one operation. The outermost one first handles what is due, and sends all events at its end. */
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

  /** Advances time: handles expiries, game starts, cancel-all drains and heartbeats. */
  advance(nowMs: number): void {
    this.run(nowMs, () => {});
  }

  /** When something is next due, ms. Infinity when nothing is. */
  get nextDueMs(): number {
    return Math.min(
      this.#entry.nextExpiryMs,
      this.#nextStart,
      this.#nextForget,
      this.#cancelAlls.nextMs,
      this.#heartbeats.nextMs,
    );
  }

  // ——— games

  newGameId(): GameId {
    return this.#gameId() as GameId;
  }

  /** The sport of such a game, with the rule that decides its markets. */
  sportIn(header: Game, details: GameDetails): KnownSport {
    return sportAt(this.#sports, header, details);
  }

  openGame(header: Game, nowMs: number, details: GameDetails = PLAIN_GAME): VenueGame {
    return this.run(nowMs, () => {
      const game = createGame(header, details, this.sportIn(header, details), 501 + (hash32(header.id) % 200) * 2);
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
      const { home = before.home, away = before.away } = change;
      const changed: Game = { ...withTeams(before, { home, away }), ...change };
      if (teamChange(before, changed) === 'swapped') this.#swapTeams(game);
      // a graded game stays ended
      const hasEnded = changed.ended || game.graded !== undefined;
      const after: Game = hasEnded ? { ...changed, ended: true, open: false } : changed;
      game.header = after;
      game.headerJson = undefined;
      if (after.ended && !before.ended) this.#cancelGame(game, () => true);
      if (after.live && !before.live) this.#start(game);
      if (after.start !== before.start || after.live !== before.live) {
        // the start was postponed, or the game is not live after all: offers may rest until the start again
        if (!after.live && after.start > nowMs) game.started = false;
        forgetRows(game);
        this.#planStarts();
      }
      const type: GameMessageType | undefined =
        before.open === after.open ? undefined : after.open ? 'marketOpen' : 'marketClosed';
      this.#events.game(game, type);
    });
  }

  /** Swaps home and away. Orders, plays and the recorded book stay with their teams. */
  #swapTeams(game: VenueGame): void {
    const books = swapSides(game, this.#entry.ordersIn(game), this.#events);
    for (const { credit } of this.accounts.values())
      for (const mode of PLAYER_MODES) credit[mode].swapTeams(game.header.id);
    this.teamsSwapped(game.header.id, books);
  }

  /**
   * Grades a game: closes it, cancels its open orders and pays every account for the markets that the result
   * decides. A later result may complete a partial one.
   * @returns why the result is impossible or contradicts an earlier one; undefined when it was accepted
   */
  grade(game: VenueGame, result: GameResult, nowMs: number): string | undefined {
    return this.run(nowMs, () => {
      const whole = completedResult(game.graded, result, game.sport, game.header);
      if ('problem' in whole) return whole.problem;
      this.changeGame(game, { ended: true, open: false }, nowMs);
      game.graded = whole;
      game.gradedAtMs = nowMs;
      this.#nextForget = Math.min(this.#nextForget, nowMs + KEEP_GRADED_MS);
      for (const account of this.accounts.values()) {
        for (const play of settleAccount(account, game, whole)) this.#events.playKept(play);
        this.#events.accountKept(account);
      }
      this.#events.gameKept(game);
      return undefined;
    });
  }

  /** Whether a game has plays that no result has decided yet. */
  #awaitsResult(game: VenueGame): boolean {
    for (const { plays } of this.accounts.values())
      for (const { order, profit } of plays.values()) if (profit === undefined && order.book.game === game) return true;
    return false;
  }

  book(game: VenueGame, type: MarketType, line: number | undefined): MarketBook {
    return bookOf(game, type, line);
  }

  /** Reports a side as changed. */
  touch(side: SideBook): void {
    this.#events.side(side);
  }

  // ——— accounts

  addAccount(options: AccountOptions): VenueAccount {
    const { cancelQueueSize, cancelQueuePerSecond, modeOnRecords, referenceOnRecords, endsAtStart } = this.profile;
    const queue = new CancelQueue(cancelQueueSize, cancelQueuePerSecond * this.#windowSpeed);
    const account = createAccount(options.id ?? this.#accountId(), options, this.#limits, queue, {
      showsModes: modeOnRecords,
      showsReferences: referenceOnRecords,
      showsStarts: endsAtStart,
    });
    this.accounts.set(account.username, account);
    this.#events.accountKept(account);
    return account;
  }

  /** The account with this name. Case is ignored, unless several accounts differ only in case. */
  accountNamed(username: string): VenueAccount | undefined {
    const exact = this.accounts.get(username);
    if (exact !== undefined) return exact;
    const plain = username.toLowerCase();
    const alike = [...this.accounts.values()].filter((account) => account.username.toLowerCase() === plain);
    return alike.length === 1 ? alike[0] : undefined;
  }

  /** Counts a request in its window, at its arrival. */
  arrive(account: VenueAccount, bucket: Bucket, nowMs: number): Refusal | undefined {
    if (account.exempt) return undefined;
    const waitMs = account.windows[bucket].arrive(nowMs);
    return waitMs === undefined ? undefined : rateLimited(bucket, waitMs);
  }

  /** Changes the account's request limits (service rule 4). Windows left out keep theirs. */
  setLimits(account: VenueAccount, limits: SomeLimits, nowMs: number): void {
    this.run(nowMs, () => {
      account.limits = { ...account.limits, ...limits };
      for (const bucket of ['place', 'cancel'] as const) {
        const limit = limits[bucket];
        if (limit === undefined) continue;
        account.windows[bucket] = account.windows[bucket].resized(limit.requests, limit.windowMs / this.#windowSpeed);
      }
      this.#events.accountKept(account);
    });
  }

  /** Sets the delay that is added to each of the account's requests, ms. */
  setDelay(account: VenueAccount, delayMs: number, nowMs: number): void {
    this.run(nowMs, () => {
      account.delayMs = delayMs;
      this.#events.accountKept(account);
    });
  }

  setMode(account: VenueAccount, mode: PlayerMode, nowMs: number): void {
    this.run(nowMs, () => {
      account.mode = mode;
      this.#events.accountKept(account);
    });
  }

  setStatus(account: VenueAccount, status: AccountStatus, nowMs: number): void {
    this.run(nowMs, () => {
      account.status = status;
      this.#events.accountKept(account);
    });
  }

  /** Sets balances, in dollars. A mode that is left out keeps its balance. */
  setBalances(account: VenueAccount, to: { readonly [mode in PlayerMode]?: number | undefined }, nowMs: number): void {
    this.run(nowMs, () => {
      if (to.cash !== undefined) account.balances.cash = even(microsOfDollars(to.cash));
      if (to.coins !== undefined) account.balances.coins = even(microsOfDollars(to.coins));
      this.#events.accountKept(account);
    });
  }

  /** Records a heartbeat. All orders are cancelled unless the next one arrives within the timeout. */
  heartbeat(account: VenueAccount, timeoutMs: number, nowMs: number): void {
    this.run(nowMs, () => this.#heartbeats.beat(account, timeoutMs, nowMs));
  }

  orderById(id: string): VenueOrder | undefined {
    return this.#entry.find(id);
  }

  // ——— orders

  place(account: VenueAccount, ticket: Ticket, nowMs: number): Placed | Refusal {
    return this.run(
      nowMs,
      () =>
        gameRefusal(ticket, nowMs) ??
        creditRefusal(account, ticket, this.profile.maxLiability) ??
        this.#takeRefusal(account, ticket) ??
        typeRefusal(account, ticket) ??
        this.#entry.match(account, ticket, nowMs),
    );
  }

  #takeRefusal(account: VenueAccount, ticket: Ticket): Refusal | undefined {
    return ticket.target === undefined ? undefined : targetRefusal(account, ticket, this.#entry.find(ticket.target));
  }

  /** Edits an order: cancels it and places a new one. A refusal known beforehand changes nothing. */
  edit(account: VenueAccount, id: string, ticket: Ticket, nowMs: number): Edited | Refusal {
    return this.run(nowMs, () => {
      // the new order would be younger than the running cancel-all, which would not cancel it
      const locked = this.lockRefusal(account, nowMs);
      if (locked !== undefined) return locked;
      const old = this.#entry.openOrder(account, id);
      if (!old.ok) return old;
      const refusal =
        gameRefusal(ticket, nowMs) ?? creditRefusal(account, ticket, this.profile.maxLiability, old.order);
      if (refusal !== undefined) return refusal;
      if (this.profile.editKeepsId) {
        const refused = typeRefusal(account, ticket);
        if (refused !== undefined)
          return { ok: true, cancelled: this.#entry.cancel(old.order, 'edited'), placed: refused };
        const cancelled = this.#entry.withdraw(old.order);
        return { ok: true, cancelled, placed: this.#entry.match(account, ticket, nowMs, old.order) };
      }
      const cancelled = this.#entry.cancel(old.order, 'edited');
      const placed = typeRefusal(account, ticket) ?? this.#entry.match(account, ticket, nowMs);
      return { ok: true, cancelled, placed };
    });
  }

  cancel(account: VenueAccount, id: string, nowMs: number): Cancelled | Refusal {
    return this.run(nowMs, () => {
      const refusal = this.lockRefusal(account, nowMs);
      if (refusal !== undefined) return refusal;
      const found = this.#entry.openOrder(account, id);
      return found.ok ? this.#entry.cancel(found.order) : found;
    });
  }

  /** The refusal of these cancels: while a cancel-all runs (423), or when the cancel queue is full. */
  admitCancels(account: VenueAccount, cancels: number, nowMs: number): Refusal | undefined {
    const locked = this.lockRefusal(account, nowMs);
    if (locked !== undefined || account.exempt) return locked;
    const waitMs = account.cancelQueue.enter(cancels, nowMs);
    return waitMs === undefined ? undefined : cancelQueueFull(waitMs);
  }

  /** The refusal (423) of individual cancels while a cancel-all runs. Undefined when none runs. */
  lockRefusal(account: VenueAccount, nowMs: number): Refusal | undefined {
    if (account.lock === undefined) return undefined;
    this.advance(nowMs);
    return this.#cancelAlls.refusal(account, nowMs);
  }

  /** Starts a cancel-all. When one already runs, it is extended to the orders placed since. */
  cancelAll(account: VenueAccount, nowMs: number): void {
    this.run(nowMs, () => this.#cancelAlls.start(account, nowMs, false));
  }

  /** Starts a cancel-all that remembers what it cancels, for a later resume. */
  pause(account: VenueAccount, nowMs: number): void {
    this.run(nowMs, () => this.#cancelAlls.start(account, nowMs, true));
  }

  /** Returns the orders that pauses cancelled and that match, and forgets them. */
  takePaused(account: VenueAccount, fits: (order: VenueOrder) => boolean, nowMs: number): readonly VenueOrder[] {
    return this.run(nowMs, () => {
      const known = account.paused.map((id) => this.#entry.find(id)).filter((order) => order !== undefined);
      account.paused = known.filter((order) => !fits(order)).map(({ id }) => id);
      this.#events.accountKept(account);
      return known.filter(fits);
    });
  }

  /** Cancels at once every open order of the account that matches. */
  cancelWhere(account: VenueAccount, fits: (order: VenueOrder) => boolean, nowMs: number): readonly Cancelled[] {
    return this.run(nowMs, () => [...account.open.values()].filter(fits).map((order) => this.#entry.cancel(order)));
  }

  /** Fills an account's offer from the recording: by a recorded take, or a recorded offer that crosses. */
  fillByTape(order: VenueOrder, match: Match, nowMs: number): void {
    this.run(nowMs, () => this.#entry.fillByTape(order, match, nowMs));
  }

  // ——— after a restart

  restoreGame(game: VenueGame): void {
    this.games.set(game.header.id, game);
    if (game.gradedAtMs !== undefined) this.#nextForget = Math.min(this.#nextForget, game.gradedAtMs + KEEP_GRADED_MS);
    this.#planStarts();
  }

  restoreOrder(order: VenueOrder): void {
    this.#entry.restore(order);
  }

  restorePlay(play: MatchedPlay): void {
    const counterpart = play.counterparty === undefined ? undefined : this.#entry.find(play.counterparty);
    this.#entry.restorePlay(play, counterpart);
  }

  restoreHeartbeat(account: VenueAccount, endsMs: number): void {
    this.#heartbeats.restore(account, endsMs);
  }

  restoreLock(account: VenueAccount, lock: Omit<CancelAllLock, 'nextMs'>, nowMs: number): void {
    this.#cancelAlls.restore(account, lock, nowMs);
  }

  /** The complete persistent state, as a recorder needs it to start afresh. */
  everything(): VenueChanges {
    const accounts = [...this.accounts.values()].filter(({ internal }) => !internal);
    return {
      accounts: new Set(accounts),
      games: new Set(this.games.values()),
      forgotten: [],
      orders: new Set(this.#entry.all()),
      plays: new Set(accounts.flatMap((account) => [...account.plays.values()])),
      used: new Set(this.used.byId.values()),
    };
  }

  // ——— time

  #due(nowMs: number): void {
    this.#entry.expire(nowMs);
    if (nowMs >= this.#nextStart) {
      for (const game of this.games.values()) if (!game.started && game.header.start <= nowMs) this.#start(game);
      this.#planStarts();
    }
    this.#cancelAlls.advance(nowMs);
    this.#heartbeats.advance(nowMs);
    if (nowMs >= this.#nextForget) this.#forget(nowMs);
  }

  #start(game: VenueGame): void {
    game.started = true;
    this.#cancelGame(game, (order) => order.gameStartExpiry, 'expired');
  }

  #planStarts(): void {
    this.#nextStart = Number.POSITIVE_INFINITY;
    for (const game of this.games.values())
      if (!game.started) this.#nextStart = Math.min(this.#nextStart, game.header.start);
  }

  #cancelGame(game: VenueGame, fits: (order: VenueOrder) => boolean, cause?: CancelCause): void {
    for (const book of game.books.values()) {
      for (const side of book.sides) for (const order of side.orders.filter(fits)) this.#entry.cancel(order, cause);
    }
  }

  #forget(nowMs: number): void {
    this.#nextForget = Number.POSITIVE_INFINITY;
    for (const [id, game] of this.games) {
      if (game.gradedAtMs === undefined) continue;
      const forgetAtMs = game.gradedAtMs + KEEP_GRADED_MS;
      if (forgetAtMs > nowMs) this.#nextForget = Math.min(this.#nextForget, forgetAtMs);
      else if (this.#awaitsResult(game)) this.#nextForget = Math.min(this.#nextForget, nowMs + KEEP_GRADED_MS);
      else {
        this.games.delete(id);
        this.#entry.forget(game, this.accounts.values());
        this.used.forgetGame(id);
        this.#events.gameForgotten(id);
      }
    }
  }
}
