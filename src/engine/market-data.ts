// Applies price feed frames and book reads to the mirror. It decides which reads are due, what a frame for an
// unknown game means, and when the books can be quoted (perspective gate, rules.md, 10; freshness, rules.md,
// 4).
import type { Answer, Feed, Game, GameId, GameMessage, Input, OrderId, SideFrame } from '../domain/index.ts';
import { crosses, frameKeyOf, parseTime, sideIndex, Sports, teamChange } from '../domain/index.ts';
import type { GameBook, MarketBook, Mirror, SideBook } from '../mirror/index.ts';
import type { Account, OwnOrder } from '../account/index.ts';
import type { OrderManager } from '../orders/index.ts';
import { BookReads } from './book-reads.ts';
import type { CommandBuffer, PendingRead } from './command-buffer.ts';
import { reportUnknownSport } from './game-ends.ts';
import { GameParts } from './game-parts.ts';
import { ownersOf } from './own-rows.ts';
import { Leagues } from './leagues.ts';
import type { Known } from './selection.ts';
import { isSelectedGame, isSelectedPart } from './selection.ts';
import type { CoreSettings, MarketSelection } from './settings.ts';

/** Number of lines read from which a gate that stays closed raises an alert. */
const GATE_LINES = 5;
/** Highest share of lines that may read as crossed. */
const GATE_CROSSED = 0.2;
const PRUNE_EVERY_MS = 60_000;
/** A game that began this long ago is over, if no frame or read mentioned it for `SILENT_FOR_MS`. */
const SILENT_AFTER_START_MS = 24 * 3_600_000;
const SILENT_FOR_MS = 3_600_000;
const MAX_EARLY_FRAMES = 5000;
const NO_BOOKS: readonly GameBook[] = Object.freeze([]);

/** `at`: when the frame arrived, monotonic ms. */
type EarlyFrame = { readonly frame: SideFrame; readonly at: number };

export type OwnRowCheck = { readonly aspect: 'odds' | 'side' | 'line'; readonly orderId: OrderId };

export class MarketData {
  frames = 0;
  /** Number of answers to book reads, whatever their content, plus headers that changed. */
  answersApplied = 0;
  malformed = 0;
  /** Frames that were dropped because they exceed `exchange.maxFrame`. */
  readonly oversize: Record<Feed, number> = { prices: 0, user: 0 };
  #up = false;
  /** Monotonic ms since when the feed is up. */
  upSince: number | undefined;
  gateOpen = false;
  mismatch: OwnRowCheck | undefined;
  /** True when an own row was compared with its order, or when rows do not carry owners. */
  #ownRowChecked: boolean;
  readonly #buffer: CommandBuffer;
  readonly #mirror: Mirror;
  readonly #account: Account;
  readonly #manager: OrderManager;
  readonly #selection: MarketSelection;
  /** The selected leagues, as the exchange spells them. */
  readonly leagues: Leagues;
  readonly #known: Known;
  readonly #reads: BookReads;
  readonly #parts: GameParts;
  readonly #sports: Sports;
  /** Called when the header of a known game changed. */
  readonly #headerChanged: (before: Game, book: GameBook) => void;
  readonly #editKeepsId: boolean;
  readonly #warnsOfEmptyLeagues: boolean;
  #nextPrune = 0;
  /** The newest frame of each side in games that are not known yet. */
  #early = new Map<string, EarlyFrame>();
  /** Unknown games with frames that were lost: their books are read once the games are known. */
  readonly #earlyLost = new Set<GameId>();

  constructor(
    buffer: CommandBuffer,
    mirror: Mirror,
    parts: {
      readonly account: Account;
      readonly manager: OrderManager;
      readonly headerChanged: (before: Game, book: GameBook) => void;
    },
    selection: MarketSelection,
    settings: Pick<CoreSettings, 'readsAtOnce' | 'profile' | 'rowsCarryOwners' | 'warnsOfEmptyLeagues' | 'sports'> & {
      readonly staleAfterMs: number;
    },
  ) {
    this.#buffer = buffer;
    this.#mirror = mirror;
    const { account } = parts;
    this.#account = account;
    this.#manager = parts.manager;
    this.#headerChanged = parts.headerChanged;
    this.#selection = selection;
    this.leagues = new Leagues(buffer, selection);
    const { staleAfterMs, readsAtOnce: atOnce } = settings;
    this.#editKeepsId = settings.profile.editKeepsId;
    this.#warnsOfEmptyLeagues = settings.warnsOfEmptyLeagues;
    const { leagues } = this;
    this.#known = { leagues, gameOf: (id) => mirror.games.get(id)?.game };
    this.#reads = new BookReads(buffer, mirror, account, { selection, leagues, staleAfterMs, atOnce });
    this.#parts = new GameParts(buffer, mirror, this.#reads, { selection, known: this.#known });
    this.#ownRowChecked = !settings.rowsCarryOwners;
    this.#sports = new Sports(settings.sports);
  }

  get isUp(): boolean {
    return this.#up;
  }

  /** True when the feed is up and every league was read in this epoch. */
  get complete(): boolean {
    return this.#up && this.#reads.complete;
  }

  applyFeed(status: 'up' | 'down', epoch: number): void {
    this.#up = status === 'up';
    this.upSince = this.#up ? this.#buffer.now : undefined;
    this.#mirror.applyFeed(status, epoch);
    this.#early.clear();
    this.#earlyLost.clear();
    this.#reads.applyFeed(this.#up);
  }

  applySide(frame: SideFrame, epoch: number): void {
    this.frames += 1;
    this.#applySide(frame, epoch);
  }

  applyGame(message: GameMessage, epoch: number): void {
    this.frames += 1;
    this.#noteLeague(message.league);
    this.#applyMessage(message, epoch);
  }

  /** The answer to a read of books. */
  applyRead(pending: PendingRead, answer: Exclude<Answer, { type: 'error' }>): void {
    this.answersApplied += 1;
    if (!this.#isCurrent(pending)) return;
    if (answer.type !== 'book') {
      this.#applyUnreadable(pending, answer.type === 'unreadable' ? answer.problem : undefined);
      return;
    }
    const { read } = pending;
    const { games, unreadable, hasNextPage } = answer.book;
    for (const { league } of games) this.#noteLeague(league);
    if (read.what === 'league') {
      if (unreadable > 0)
        this.#buffer.alert('warn', 'REPLY_MALFORMED', 'some games of a league cannot be read', {
          league: read.league,
          games: unreadable,
        });
      for (const game of games)
        this.#applyMessage({ ...game, league: game.league ?? read.league }, pending.epoch, pending);
      if (games.length + unreadable === 0 && !hasNextPage) this.#alertEmpty(read.league);
      this.#reads.applyPage(read.league, read.page, hasNextPage);
      this.#applyEarly();
    } else if (read.what === 'game') {
      const [game, ...parts] = games;
      if (game !== undefined) this.#applyMessage(game, pending.epoch, pending);
      if (this.#parts.areWanted)
        for (const part of parts) {
          this.#applyMessage(part, pending.epoch, pending);
          this.#parts.applyListed(part);
        }
      this.#reads.applyGame(read.gameId, this.#mirror.games.has(read.gameId));
      this.#applyEarly();
    }
  }

  #applyUnreadable(pending: PendingRead, problem: string | undefined): void {
    const { read } = pending;
    if (read.what === 'league') {
      const { league } = read;
      const message = 'the orderbook of a league cannot be read';
      this.#buffer.alert('warn', 'REPLY_MALFORMED', message, { league, problem });
      this.applyReadFailed(pending);
    } else if (read.what === 'game') {
      const { gameId } = read;
      const message = 'the orderbook of a game cannot be read';
      this.#buffer.alert('warn', 'REPLY_MALFORMED', message, { gameId, problem });
      this.#reads.applyGame(gameId, false);
      this.#applyEarly();
    }
  }

  /** Warns of a league without games: the exchange answers the same for a name that it does not know. */
  #alertEmpty(league: string): void {
    if (!this.#warnsOfEmptyLeagues) return;
    for (const { game } of this.#mirror.games.values()) if (this.leagues.areAlike(game.league, league)) return;
    this.#buffer.alertOnce(`league ${league}`, 'warn', 'LEAGUE_EMPTY', 'a league of markets.leagues has no games now', {
      league,
    });
  }

  /** True when the read belongs to the current epoch of the feed. Reads of earlier epochs are outdated. */
  #isCurrent({ epoch }: PendingRead): boolean {
    return epoch === this.#mirror.epoch && this.#up;
  }

  applyReadFailed(pending: PendingRead): void {
    this.#reads.applyFailed(pending);
  }

  /** Applies a new selection of leagues, games or markets. */
  applySelection(): void {
    this.leagues.alertRivals();
    this.#reads.applySelection();
  }

  /**
   * Reads quoted books that had no frame for long, and leagues not read yet. Returns the games that it
   * forgot.
   */
  housekeep(quoted: Iterable<GameId>): readonly GameBook[] {
    const forgotten = this.#buffer.now >= this.#nextPrune ? this.#prune() : NO_BOOKS;
    for (const id of this.#mirror.wanted)
      if (this.#mirror.games.has(id)) this.#mirror.wanted.delete(id);
      else this.reread(id);
    this.#reads.housekeep(quoted);
    return forgotten;
  }

  /** Forgets ended games in which nothing is open or held: a process runs for months. */
  #prune(): readonly GameBook[] {
    this.#nextPrune = this.#buffer.now + PRUNE_EVERY_MS;
    const forgotten: GameBook[] = [];
    for (const [id, book] of this.#mirror.games)
      if (!this.#account.games.has(id) && this.#isOver(book)) {
        this.#mirror.forget(id);
        this.#manager.forgetGame(id);
        this.#reads.forget(id);
        forgotten.push(book);
      }
    return forgotten;
  }

  /** True when the game ended, or when it began long ago and no frame or read has mentioned it since. */
  #isOver(book: GameBook): boolean {
    if (book.game.ended) return true;
    if (this.#buffer.t - book.game.start < SILENT_AFTER_START_MS) return false;
    let newestAt = Math.max(book.coveredAt, book.headerAt);
    for (const { sides } of book.markets.values())
      for (const { coveredAt } of sides) newestAt = Math.max(newestAt, coveredAt);
    return this.#buffer.now - newestAt > SILENT_FOR_MS;
  }

  /** When the next quoted book is read again if no frame arrives before, monotonic ms. */
  nextDue(quoted: Iterable<GameId>): number {
    return this.#reads.nextDue(quoted);
  }

  /** Reads one game again, unless its last read failed a moment ago. */
  reread(gameId: GameId): void {
    this.#reads.ask(gameId);
  }

  /**
   * Opens the gate once all leagues were read and few lines read as crossed. Quoting waits for it: with a
   * wrong perspective nearly all lines read as crossed.
   */
  updateGate(): void {
    if (this.gateOpen || !this.complete) return;
    let lines = 0;
    let crossed = 0;
    for (const book of this.#mirror.games.values()) {
      if (!isSelectedGame(book.game, this.#selection, this.#known)) continue;
      for (const market of book.markets.values()) {
        const [first, second] = market.sides;
        const a = first.ladder[0];
        const b = second.ladder[0];
        if (a === undefined || b === undefined) continue;
        lines += 1;
        if (crosses(a.rung, b.rung)) crossed += 1;
      }
    }
    if (lines === 0) return;
    this.gateOpen = crossed <= lines * GATE_CROSSED;
    if (!this.gateOpen && lines >= GATE_LINES) {
      this.#buffer.alertOnce(
        'gate',
        'error',
        'PERSPECTIVE_MISMATCH',
        'most lines of the book read as crossed: is exchange.profile.bookPerspective right?',
        { lines, crossed },
      );
    }
  }

  /** Applies an unreadable frame of either feed: a known game is read again. */
  applyMalformed({ feed, event, problem, data, gameId }: Extract<Input, { type: 'malformed' }>): void {
    if (feed === 'prices' && problem === undefined) {
      const message = 'the price feed has an event that is not known';
      this.#buffer.alertOnce(`event ${event}`, 'info', 'FRAME_MALFORMED', message, { event });
      return;
    }
    this.malformed += 1;
    const message = `a frame of the ${feed === 'prices' ? 'price' : 'user'} feed was skipped`;
    const shown = feed === 'prices' ? { data } : {};
    const fields = { event, problem: problem ?? 'the event is not known', ...shown };
    this.#buffer.alertOnce(`malformed ${event}`, 'warn', 'FRAME_MALFORMED', message, fields);
    if (gameId !== undefined && this.#mirror.games.has(gameId)) this.reread(gameId);
  }

  /**
   * A frame of either feed was dropped unread. In the price feed, the sides it may concern are unknown until
   * read again.
   */
  applyOversize({ feed, epoch, event, bytes, gameId, frame }: Extract<Input, { type: 'oversize' }>): void {
    this.oversize[feed] += 1;
    const message =
      feed === 'prices'
        ? 'a frame of the price feed is longer than exchange.maxFrame and was dropped: its book is read by REST'
        : 'a frame of the user feed is longer than exchange.maxFrame and was dropped: nothing is quoted until the account was read';
    const fields = { event, bytes, ...(gameId === undefined ? {} : { gameId }) };
    this.#buffer.alertOnce(
      `oversize ${feed} ${event}`,
      feed === 'prices' ? 'warn' : 'error',
      'FRAME_OVERSIZE',
      message,
      fields,
    );
    if (feed !== 'prices' || epoch !== this.#mirror.epoch) return;
    const { now } = this.#buffer;
    if (gameId === undefined) {
      for (const id of this.#mirror.games.keys()) this.#mirror.loseGame(id, now);
      this.#early.clear();
      this.#reads.applyFeed(true);
      return;
    }
    for (const [key, { frame: kept }] of this.#early) if (kept.gameId === gameId) this.#early.delete(key);
    if (!this.#mirror.games.has(gameId)) this.#earlyLost.add(gameId);
    else if (frame === undefined || !this.#mirror.loseSide(frame, now)) this.#mirror.loseGame(gameId, now);
    if (this.#mirror.games.has(gameId)) this.reread(gameId);
  }

  #applySide(frame: SideFrame, epoch: number, arrivedAt = this.#buffer.now): void {
    const outcome = this.#mirror.applySide(frame, epoch, arrivedAt);
    this.#manager.noteSeen(frame.gameId, arrivedAt);
    if (outcome === 'unknown-participant') this.reread(frame.gameId);
    if (outcome !== 'unknown-game') {
      if (this.#account.unknown.size > 0) this.#recordOwnRows(frame);
      if (!this.#ownRowChecked && this.#account.active.size > 0 && typeof outcome === 'object')
        this.#checkOwnRow(outcome);
      return;
    }
    const league = frame.league ?? this.#selection.leagues[0] ?? '';
    if (this.#noteLeague(frame.league)) this.#reads.askLeague(league);
    const isSelected = isSelectedGame({ id: frame.gameId, league }, this.#selection, this.#known);
    if (!isSelected && !this.#parts.mayListPartsOf(league)) return;
    // the read that brings the game's header may be older than this frame: keep the frame and apply it
    // afterwards
    const key = frameKeyOf(frame);
    // delete and insert again, so that the map is in the order of the newest frames
    const isKept = this.#early.delete(key) || this.#early.size < MAX_EARLY_FRAMES;
    if (isKept) this.#early.set(key, { frame, at: arrivedAt });
    else this.#earlyLost.add(frame.gameId);
    if (isSelected && this.complete) this.reread(frame.gameId);
  }

  /** Records a league name of the exchange. True when the set of selected games may change. */
  #noteLeague(league: string | undefined): boolean {
    if (league === undefined || !this.leagues.see(league)) return false;
    this.#mirror.touchAll();
    return true;
  }

  #applyEarly(): void {
    const isAllRead = this.complete && !this.#reads.awaitsParts;
    for (const [key, { frame, at: arrivedAt }] of this.#early) {
      const isKnown = this.#mirror.games.has(frame.gameId);
      if (isKnown || isAllRead) this.#early.delete(key);
      if (isKnown) this.#applySide(frame, this.#mirror.epoch, arrivedAt);
    }
    for (const id of this.#earlyLost) {
      const isKnown = this.#mirror.games.has(id);
      if (isKnown || isAllRead) this.#earlyLost.delete(id);
      if (isKnown) this.reread(id);
    }
  }

  #applyMessage(message: GameMessage, epoch: number, read?: PendingRead): void {
    const known = this.#mirror.games.has(message.gameId);
    const isWanted = this.#mirror.wanted.has(message.gameId);
    if (!known && !isWanted && !this.#parts.isKept(message, read)) return;
    const before = this.#mirror.games.get(message.gameId)?.game;
    const book = this.#mirror.applyGame(message, epoch, this.#buffer.now, read);
    // the sport decides what the markets of the game may lose together
    if (book?.game !== before) {
      this.answersApplied += 1;
      this.#manager.exposure.forget(message.gameId);
      if (book !== undefined) {
        const isQuoted = isSelectedPart(book.game, this.#selection);
        reportUnknownSport(this.#buffer, book.game, this.#sports.sportOf(book.game), isQuoted);
        if (before !== undefined) this.#applyHeader(before, book);
      }
    }
    if (book !== undefined) this.#parts.ask(book.game);
    this.#manager.noteSeen(message.gameId, read?.sentAt ?? this.#buffer.now);
    if (book === undefined && !known && read === undefined) this.reread(message.gameId);
  }

  #applyHeader(before: Game, book: GameBook): void {
    this.#headerChanged(before, book);
    // the books so far belong to the previous sides
    if (teamChange(before, book.game) !== 'same') this.reread(before.id);
  }

  /** Records own rows in the public book whose ids no answer has named yet. */
  #recordOwnRows(frame: SideFrame): void {
    const account = this.#account;
    for (const offer of frame.offers) {
      if (!offer.own || account.owns(offer.id)) continue;
      const shown = this.#marketShowing(frame.gameId, offer.id);
      if (shown === undefined) continue;
      const { market } = shown.book;
      account.record({
        orderId: offer.id,
        from: 'row',
        seenAt: this.#buffer.now,
        signature: {
          market,
          side: shown.side,
          rung: offer.rung,
          size: offer.risk,
          createdAt: parseTime(offer.createdAt),
        },
        kind: { type: 'resting' },
      });
    }
  }

  /** Compares the first own row in the public book with its order: odds, side and line must be as placed. */
  #checkOwnRow(side: SideBook): void {
    for (const { id, rung } of ownersOf(side, this.#account).own) {
      const order = this.#account.find(id, undefined);
      // where an edit keeps the id, the current odds of an edited order are not certain
      const isTouched = order !== undefined && this.#editKeepsId && (order.isEdit || isTouchedBy(order));
      const isNamed = order?.linkedBy === 'name' && !order.isOfFormerRun;
      const isAsPlaced = order?.status === 'open' && isNamed && !isTouched;
      if (order === undefined || !isAsPlaced) continue;
      this.#ownRowChecked = true;
      const aspect =
        rung !== order.rung
          ? 'odds'
          : side.side !== order.side
            ? 'side'
            : side.market.id !== order.market.id
              ? 'line'
              : undefined;
      if (aspect !== undefined) this.mismatch = { aspect, orderId: id };
      return;
    }
  }

  #marketShowing(
    gameId: GameId,
    id: OrderId,
  ): { readonly book: MarketBook; readonly side: MarketBook['market']['sides'][number] } | undefined {
    for (const book of this.#mirror.games.get(gameId)?.markets.values() ?? []) {
      for (const side of book.market.sides)
        if (book.sides[sideIndex(side)].ladder.some((offer) => offer.id === id)) return { book, side };
    }
    return undefined;
  }
}

/** True when an edit or a cancel of the order was sent. */
const isTouchedBy = ({ id }: OwnOrder): boolean => (id?.touchedAt ?? NEVER) > NEVER;
const NEVER = Number.NEGATIVE_INFINITY;
