// Decides which books are read over REST, and in what order. Reads are scarce (exchange.limits.reads): at
// most one window of them is in flight. First the pages of leagues, as each covers many games, then
// requested games, then quoted games that near their staleness, those with orders or positions first.
import type { Account } from '../account/index.ts';
import type { GameId } from '../domain/index.ts';
import { forgetOldest } from '../domain/index.ts';
import type { GameBook, Mirror } from '../mirror/index.ts';
import type { CommandBuffer, PendingRead } from './command-buffer.ts';
import type { Leagues } from './leagues.ts';
import type { MarketSelection } from './settings.ts';

/** A side is read again by REST after this share of staleAfter without a frame. */
const REREAD_AT = 0.6;
const RETRY_READ_MS = 1000;
const LONGEST_RETRY_MS = 60_000;
const MAX_FAILING = 10_000;

type Page = { readonly page: number; readonly retryAt: number };

export class BookReads {
  /** League pages not read yet in this epoch, and when to request them again. */
  readonly #missing = new Map<string, Page>();
  /** Leagues with more books due than can be read one by one. */
  readonly #again = new Map<string, Page>();
  /** When a league was read to its end. */
  readonly #wholeAt = new Map<string, number>();
  readonly #asked = new Set<GameId>();
  readonly #ageing = new Set<GameId>();
  /** Games whose books are read to list their parts. */
  readonly #parts = new Set<GameId>();
  /** Games for which that read was already requested in this epoch. */
  readonly #partsAsked = new Set<GameId>();
  /** Parts that near their staleness, by the game whose book lists them. */
  readonly #ageingParts = new Map<GameId, Set<GameId>>();
  /** Parts that the book of their game did not list. */
  readonly #unlisted = new Set<GameId>();
  /** Number of failed reads per game, and when it may be read again, monotonic ms. */
  readonly #failing = new Map<GameId, { readonly times: number; readonly retryAt: number }>();
  readonly #buffer: CommandBuffer;
  readonly #mirror: Mirror;
  readonly #account: Account;
  readonly #rereadAfterMs: number;
  readonly #atOnce: number;
  readonly #selection: Pick<MarketSelection, 'leagues' | 'parts'>;
  readonly #leagues: Pick<Leagues, 'has'>;
  #up = false;

  /** `atOnce`: the highest number of reads in flight. */
  constructor(
    buffer: CommandBuffer,
    mirror: Mirror,
    account: Account,
    settings: {
      readonly selection: Pick<MarketSelection, 'leagues' | 'parts'>;
      readonly leagues: Pick<Leagues, 'has'>;
      readonly staleAfterMs: number;
      readonly atOnce: number;
    },
  ) {
    this.#buffer = buffer;
    this.#mirror = mirror;
    this.#account = account;
    this.#rereadAfterMs = settings.staleAfterMs * REREAD_AT;
    this.#atOnce = settings.atOnce;
    this.#selection = settings.selection;
    this.#leagues = settings.leagues;
  }

  /** Every league was read in this epoch. */
  get complete(): boolean {
    return this.#missing.size === 0;
  }

  /** An epoch of the price feed begins or ends: pending reads of the previous one are dropped. */
  applyFeed(isUp: boolean): void {
    this.#up = isUp;
    for (const list of [this.#missing, this.#again, this.#wholeAt, this.#asked, this.#ageing]) list.clear();
    this.#parts.clear();
    this.#partsAsked.clear();
    this.#ageingParts.clear();
    this.#unlisted.clear();
    if (isUp) for (const league of this.#selection.leagues) this.#missing.set(league, { page: 1, retryAt: 0 });
    this.pump();
  }

  /**
   * Applies a new selection: new leagues are read, and known leagues again, as other games of them may be
   * selected.
   */
  applySelection(): void {
    const { leagues } = this.#selection;
    for (const list of [this.#missing, this.#again])
      for (const league of list.keys()) if (!this.#leagues.has(league)) list.delete(league);
    this.#failing.clear();
    // other parts may be wanted by now
    this.#partsAsked.clear();
    if (!this.#up) return;
    for (const league of leagues)
      // other games of a league that was read may be selected by now
      if (!this.#missing.has(league)) this.#again.set(league, { page: 1, retryAt: 0 });
    this.pump();
  }

  /**
   * Reads a selected league that the exchange spells differently: it may list no games under the configured
   * name.
   */
  askLeague(league: string): void {
    if (!this.#up || !this.#leagues.has(league) || this.#missing.has(league)) return;
    this.#again.set(league, { page: 1, retryAt: 0 });
    this.pump();
  }

  /** A page of a league was read. */
  applyPage(league: string, page: number, hasNextPage: boolean): void {
    const pages = this.#missing.has(league) ? this.#missing : this.#again;
    if (hasNextPage) pages.set(league, { page: page + 1, retryAt: 0 });
    else {
      pages.delete(league);
      this.#wholeAt.set(league, this.#buffer.now);
    }
    this.pump();
  }

  /** The book of a game was read. `isKept`: the game is known now. */
  applyGame(gameId: GameId, isKept: boolean): void {
    // a game that cannot be kept (futures, or not selected) is not read again at every frame
    this.#parts.delete(gameId);
    for (const part of this.#ageingParts.get(gameId) ?? []) if (this.#isAgeing(part)) this.#unlisted.add(part);
    this.#ageingParts.delete(gameId);
    if (isKept) this.#failing.delete(gameId);
    else this.#failed(gameId);
    this.pump();
  }

  /** True while a book is due that may list parts not known yet. */
  get awaitsParts(): boolean {
    return this.#parts.size > 0;
  }

  /**
   * Requests the book of a game for the parts that it lists, once per epoch of the feed. `part`: the part
   * that caused the request, because the book may show its period.
   */
  askParts(gameId: GameId, part = gameId): void {
    if (!this.#up || this.#partsAsked.has(part)) return;
    this.#partsAsked.add(part);
    this.#parts.add(gameId);
    this.pump();
  }

  /** Forgets an ended game: its book is no longer read for parts. */
  forget(gameId: GameId): void {
    this.#parts.delete(gameId);
    this.#partsAsked.delete(gameId);
    this.#failing.delete(gameId);
  }

  applyFailed({ read }: PendingRead): void {
    if (read.what === 'league')
      for (const pages of [this.#missing, this.#again])
        if (pages.has(read.league))
          // the league may have fewer pages by now
          pages.set(read.league, { page: 1, retryAt: this.#buffer.now + RETRY_READ_MS });
    if (read.what === 'game') this.#failed(read.gameId);
    this.pump();
  }

  /** Reads one game again, unless its last read failed a moment ago. */
  ask(gameId: GameId): void {
    if (!this.#up || this.#isFailing(gameId)) return;
    this.#asked.add(gameId);
    this.pump();
  }

  /** Reads quoted books that had no frame for long, and leagues not read yet. */
  housekeep(quoted: Iterable<GameId>): void {
    if (!this.#up) return;
    if (this.#rereadAfterMs < Number.POSITIVE_INFINITY) this.#noteAgeing(quoted);
    this.pump();
  }

  #noteAgeing(quoted: Iterable<GameId>): void {
    const ageing: GameId[] = [];
    for (const id of quoted) if (this.#isAgeing(id) && !this.#isFailing(this.#readFor(id))) ageing.push(id);
    if (ageing.length === 0) return;
    const due = Map.groupBy(ageing, (id) => this.#mirror.games.get(id)?.game.league ?? '');
    for (const [league, games] of due) {
      const isRead = this.#missing.has(league) || this.#again.has(league);
      const readAgo = this.#buffer.now - (this.#wholeAt.get(league) ?? Number.NEGATIVE_INFINITY);
      // games that the read of the whole league did not cover are read one by one
      if (isRead) continue;
      const isTooMany = games.length > this.#atOnce && this.#leagues.has(league);
      if (isTooMany && readAgo >= this.#rereadAfterMs) this.#again.set(league, { page: 1, retryAt: 0 });
      else for (const id of games) this.#noteDue(id);
    }
  }

  #noteDue(id: GameId): void {
    const read = this.#readFor(id);
    this.#ageing.add(read);
    if (read === id) return;
    const parts = this.#ageingParts.get(read);
    if (parts === undefined) this.#ageingParts.set(read, new Set([id]));
    else parts.add(id);
  }

  /** The game whose book covers this one: one read of a parent covers all its parts. */
  #readFor(id: GameId): GameId {
    if (this.#selection.parts === undefined || this.#unlisted.has(id)) return id;
    const parent = this.#mirror.games.get(id)?.game.parentGameId;
    return parent !== undefined && this.#mirror.games.has(parent) ? parent : id;
  }

  /** True when the game, or one of its parts that its read covers, still had no frame for long. */
  #isDue(id: GameId): boolean {
    if (this.#isAgeing(id)) return true;
    for (const part of this.#ageingParts.get(id) ?? []) if (this.#isAgeing(part)) return true;
    return false;
  }

  /** The games that have an open order or a position, in themselves or in an ageing part. */
  *#heldAmong(ids: Iterable<GameId>): Iterable<GameId> {
    const { games } = this.#account;
    for (const id of ids) {
      let isHeld = games.has(id);
      for (const part of this.#ageingParts.get(id) ?? []) isHeld ||= games.has(part);
      if (isHeld) yield id;
    }
  }

  /** Sends reads until the highest number is in flight. */
  pump(): void {
    const due = this.#missing.size + this.#again.size + this.#asked.size + this.#ageing.size + this.#parts.size;
    if (!this.#up || due === 0) return;
    let free = this.#atOnce;
    for (const { read, epoch } of this.#buffer.reads.values())
      if ((read.what === 'league' || read.what === 'game') && epoch === this.#mirror.epoch) free -= 1;
    for (const pages of [this.#missing, this.#again])
      for (const [league, { page, retryAt }] of pages)
        if (free > 0 && this.#buffer.now >= retryAt && this.#read({ what: 'league', league, page })) free -= 1;
    for (const list of [this.#asked, this.#heldAmong(this.#ageing), this.#parts, this.#ageing])
      for (const gameId of list) {
        if (free <= 0) return;
        const isForParts = list === this.#parts;
        // a failing read for parts stays queued until it may be sent again
        if (isForParts && this.#isFailing(gameId)) continue;
        this.#asked.delete(gameId);
        this.#ageing.delete(gameId);
        // a frame may have arrived meanwhile
        if (list !== this.#asked && !isForParts && !this.#isDue(gameId)) continue;
        if (this.#read({ what: 'game', gameId })) free -= 1;
      }
  }

  #read(read: PendingRead['read']): boolean {
    return this.#buffer.read(read, this.#mirror.epoch);
  }

  /** When the next quoted book is read again if no frame arrives before, monotonic ms. */
  nextDue(quoted: Iterable<GameId>): number {
    let due = Number.POSITIVE_INFINITY;
    if (!this.#up) return due;
    for (const { retryAt } of this.#again.values()) due = Math.min(due, retryAt);
    for (const id of this.#parts) {
      const { retryAt = 0 } = this.#failing.get(id) ?? {};
      if (retryAt > this.#buffer.now) due = Math.min(due, retryAt);
    }
    if (this.#rereadAfterMs === Number.POSITIVE_INFINITY) return due;
    for (const id of quoted) {
      const dueAt = this.#ageingAt(id);
      due = Math.min(due, Math.max(dueAt, this.#failing.get(this.#readFor(id))?.retryAt ?? dueAt));
    }
    return due;
  }

  #isAgeing(id: GameId): boolean {
    return this.#buffer.now >= this.#ageingAt(id);
  }

  /** When a side of the game has had no frame for too long, monotonic ms. Infinity for an unknown game. */
  #ageingAt(id: GameId): number {
    const book = this.#mirror.games.get(id);
    if (book === undefined) return Number.POSITIVE_INFINITY;
    return oldestCover(book, this.#mirror.epoch) + this.#rereadAfterMs;
  }

  #isFailing(gameId: GameId): boolean {
    return this.#buffer.now < (this.#failing.get(gameId)?.retryAt ?? 0);
  }

  #failed(gameId: GameId): void {
    const times = (this.#failing.get(gameId)?.times ?? 0) + 1;
    const wait = Math.min(LONGEST_RETRY_MS, RETRY_READ_MS * 2 ** Math.min(times - 1, 10));
    this.#failing.set(gameId, { times, retryAt: this.#buffer.now + wait });
    forgetOldest(this.#failing, MAX_FAILING);
  }
}

function oldestCover(book: GameBook, epoch: number): number {
  let oldest = book.epoch === epoch ? Number.POSITIVE_INFINITY : 0;
  for (const market of book.markets.values()) {
    for (const side of market.sides) oldest = Math.min(oldest, side.epoch === epoch ? side.coveredAt : 0);
  }
  return oldest === Number.POSITIVE_INFINITY ? book.coveredAt : oldest;
}
