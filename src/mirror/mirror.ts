// The local mirror of the exchange's books and games. A frame replaces the whole ladder of one side at one
// line; a REST read covers a whole game. Invariants: a side is *unknown* until a frame or read of the current
// epoch covers it; a read never overwrites a frame that arrived after the read was sent (the feed reports
// later changes of that side).
import type {
  BookPerspective,
  Game,
  GameId,
  GameMessage,
  Ladder,
  Market,
  MarketId,
  MarketType,
  OrderPlace,
  Side,
  SideFrame,
} from '../domain/index.ts';
import {
  market,
  marketId,
  marketLine,
  NO_OFFERS,
  oppositeSide,
  isOnTeams,
  placeIn,
  sideIndex,
  teamChange,
} from '../domain/index.ts';
import { mergeGame } from './games.ts';

/**
 * The reliability of a side's book: confirmed recently; not recently; or not since the connection was made.
 */
export type Freshness = 'fresh' | 'stale' | 'unknown';

export type SideBook = {
  readonly market: Market;
  readonly side: Side;
  /** The ladder as the exchange shows it, with own offers, best for the taker first. */
  ladder: Ladder;
  /**
   * The epoch that covered the side last. 0: none did. LOST: one of its frames was dropped, so older content
   * is invalid.
   */
  epoch: number;
  /** The time of the last frame or read, monotonic ms. */
  coveredAt: number;
  /**
   * The lower bound of the content's time, monotonic ms: the arrival of the frame, or the time when the read
   * was sent.
   */
  contentAt: number;
  /** The owners of the offers, as found last. */
  owners: Owners | undefined;
};

/** The owners of a ladder's offers. `ids`: the version of the own ids of the game that were known then. */
export type Owners = {
  readonly ladder: Ladder;
  readonly ids: number;
  /** The ladder without own offers, the same array when there are none; and the own offers. */
  readonly others: Ladder;
  readonly own: Ladder;
};

type Cover = { readonly marketBook: MarketBook; readonly side: SideBook; readonly offers: Ladder };
type CoversOfRead = {
  readonly book: GameBook;
  readonly markets: number;
  readonly covers: readonly Cover[];
};

export type MarketBook = { readonly market: Market; readonly sides: readonly [SideBook, SideBook] };

export type GameBook = {
  game: Game;
  readonly markets: Map<MarketId, MarketBook>;
  /** The epoch and time of the last whole read: lines not seen since then are known to be empty. */
  epoch: number;
  coveredAt: number;
  /** The lower bound of the header's time, and its epoch. */
  headerAt: number;
  headerEpoch: number;
};

const LOST = -1;

/** The side that a frame covered, or the reason why it covered none. */
export type SideOutcome = SideBook | 'unknown-game' | 'unknown-participant' | 'old-epoch';

export class Mirror {
  readonly games = new Map<GameId, GameBook>();
  /** Unknown games in which the account has orders or plays: they are read, whatever their league. */
  readonly wanted = new Set<GameId>();
  /** Markets whose book or header changed since the last drain. */
  readonly touched = new Set<MarketBook>();
  readonly #covers = new WeakMap<GameMessage, CoversOfRead>();
  readonly #perspective: BookPerspective;
  #epoch = 0;
  #up = false;

  constructor(perspective: BookPerspective) {
    this.#perspective = perspective;
  }

  /** Applies an epoch of the price feed: every side is unknown until it is covered again. */
  applyFeed(status: 'up' | 'down', epoch: number): void {
    this.#up = status === 'up';
    this.#epoch = epoch;
    for (const book of this.games.values()) this.#touchAll(book);
  }

  get epoch(): number {
    return this.#up ? this.#epoch : 0;
  }

  freshness(side: SideBook, now: number, staleAfterMs: number): Freshness {
    if (!this.#up || side.epoch !== this.#epoch) return 'unknown';
    return now - side.coveredAt > staleAfterMs ? 'stale' : 'fresh';
  }

  bookOf(id: MarketId, gameId: GameId): MarketBook | undefined {
    return this.games.get(gameId)?.markets.get(id);
  }

  /**
   * The market and side of an order or a play; undefined when its game is not known, or has no such place.
   */
  placeOf(gameId: GameId | undefined, place: OrderPlace): { readonly market: Market; readonly side: Side } | undefined {
    const game = gameId === undefined ? undefined : this.games.get(gameId)?.game;
    return game === undefined ? undefined : placeIn(game, place);
  }

  /** Marks all books as changed. */
  touchAll(): void {
    for (const book of this.games.values()) this.#touchAll(book);
  }

  /**
   * Marks a side as unknown until newer content covers it, because a frame of it was dropped. False when its
   * game or team is unknown.
   */
  loseSide(frame: SideFrame, now: number): boolean {
    const gameBook = this.games.get(frame.gameId);
    const shown = gameBook && (frame.side ?? sideOfParticipant(gameBook.game, frame.participantId));
    if (gameBook === undefined || shown === undefined) return false;
    const book = this.#book(gameBook, frame.type, shown, frame.line);
    this.#lose(book.sides[sideIndex(this.#offererSide(shown))], now);
    this.touched.add(book);
    return true;
  }

  /** Marks every side of a game as unknown. False when the game is unknown. */
  loseGame(gameId: GameId, now: number): boolean {
    const book = this.games.get(gameId);
    if (book === undefined) return false;
    book.epoch = 0;
    for (const { sides } of book.markets.values()) for (const side of sides) this.#lose(side, now);
    this.#touchAll(book);
    return true;
  }

  #lose(side: SideBook, now: number): void {
    side.epoch = LOST;
    side.contentAt = now;
  }

  /** Removes the known games from a set of games to wait for; false when none is known. */
  takeKnown(waitedFor: Set<GameId>): boolean {
    let isAnyKnown = false;
    if (waitedFor.size === 0) return isAnyKnown;
    for (const id of waitedFor) if (this.games.has(id)) isAnyKnown = waitedFor.delete(id);
    return isAnyKnown;
  }

  applySide(frame: SideFrame, epoch: number, now: number): SideOutcome {
    if (!this.#up || epoch !== this.#epoch) return 'old-epoch';
    const gameBook = this.games.get(frame.gameId);
    if (gameBook === undefined) return 'unknown-game';
    const shown = frame.side ?? sideOfParticipant(gameBook.game, frame.participantId);
    if (shown === undefined) return 'unknown-participant';
    const book = this.#book(gameBook, frame.type, shown, frame.line);
    const side = book.sides[sideIndex(this.#offererSide(shown))];
    // the frame waited for its game, and the content that came with the game is newer
    if (side.epoch === epoch && side.contentAt > now) return side;
    side.ladder = frame.offers;
    side.epoch = epoch;
    side.coveredAt = now;
    side.contentAt = now;
    this.touched.add(book);
    this.#noteFromFrame(gameBook, frame);
    return side;
  }

  /**
   * Applies a `gameUpdate`, or a game inside a REST read that was sent at `sentAt` (which covers the whole
   * game).
   */
  applyGame(
    message: GameMessage,
    epoch: number,
    now: number,
    read?: { readonly sentAt: number },
  ): GameBook | undefined {
    if (!this.#up || epoch !== this.#epoch) return undefined;
    const known = this.games.get(message.gameId);
    // a gameUpdate, or a read that was sent later, may overtake a read
    const stale = read !== undefined && known?.headerEpoch === epoch && known.headerAt > read.sentAt;
    // after a close in a former epoch, the feed may have missed an open
    const before =
      known !== undefined && known.headerEpoch !== epoch ? Object.freeze({ ...known.game, open: true }) : known?.game;
    const merged = stale ? known?.game : mergeGame(before, message);
    if (merged === undefined) return undefined;
    let book = known;
    if (book === undefined) {
      book = { game: merged, markets: new Map(), epoch: 0, coveredAt: 0, headerAt: 0, headerEpoch: 0 };
      this.games.set(merged.id, book);
    } else if (stale && namesOtherTeams(book.game, message)) {
      // its sides belong to an outdated header
      return book;
    } else if (merged !== book.game) {
      if (teamChange(book.game, merged) !== 'same') resetTeams(book, read?.sentAt ?? now);
      book.game = merged;
      this.#touchAll(book);
    }
    const since = read?.sentAt ?? now;
    if (!stale) {
      book.headerAt = since;
      book.headerEpoch = epoch;
    }
    for (const { marketBook, side, offers } of this.#coversOf(book, message, read !== undefined))
      this.#cover(marketBook, side, offers, since, epoch, now);
    if (read !== undefined) {
      book.epoch = epoch;
      book.coveredAt = now;
    }
    // no offer of an ended game can be taken, whatever the last frames showed
    if (merged.ended) for (const { sides } of book.markets.values()) for (const side of sides) side.ladder = NO_OFFERS;
    return book;
  }

  /** Drops a game; a later message about it creates a new one. */
  forget(gameId: GameId): void {
    const book = this.games.get(gameId);
    for (const market of book?.markets.values() ?? []) this.touched.delete(market);
    this.games.delete(gameId);
  }

  /** The sides of its game that a message covers; a whole read covers all of them. */
  #coversOf(book: GameBook, message: GameMessage, isWhole: boolean): readonly Cover[] {
    const known = this.#covers.get(message);
    // the same message was read before
    if (known?.book === book && known.markets === book.markets.size) return known.covers;
    const covers: Cover[] = [];
    const covered = new Set<SideBook>();
    for (const { type, side: shown, line, offers } of message.ladders) {
      const marketBook = this.#book(book, type, shown, line);
      const side = marketBook.sides[sideIndex(this.#offererSide(shown))];
      covered.add(side);
      covers.push({ marketBook, side, offers });
    }
    for (const marketBook of book.markets.values()) {
      for (const side of marketBook.sides) {
        if (covered.has(side)) continue;
        const shown = this.#offererSide(side.side);
        const isCovered = message.covers.some((cover) => cover.type === marketBook.market.type && cover.side === shown);
        if (isCovered || isWhole) covers.push({ marketBook, side, offers: NO_OFFERS });
      }
    }
    if (isWhole) this.#covers.set(message, { book, markets: book.markets.size, covers });
    return covers;
  }

  /** Covers a side with offers. `since`: the lower bound of their time. */
  #cover(book: MarketBook, side: SideBook, offers: Ladder, since: number, epoch: number, now: number): void {
    if ((side.epoch === epoch || side.epoch === LOST) && side.contentAt > since) return;
    side.contentAt = since;
    const changed = side.epoch !== epoch || !sameLadder(side.ladder, offers);
    side.epoch = epoch;
    side.coveredAt = now;
    if (!changed) return;
    side.ladder = offers;
    this.touched.add(book);
  }

  /** Converts a shown side to the offerer's, and back: the conversion is its own inverse. */
  #offererSide(side: Side): Side {
    return this.#perspective.side === 'taker' ? oppositeSide(side) : side;
  }

  #book(gameBook: GameBook, type: MarketType, shownSide: Side, shownLine: number | undefined): MarketBook {
    const side = this.#offererSide(shownSide);
    const own =
      shownLine !== undefined && type === 'spread' && this.#perspective.line === 'taker' ? 0 - shownLine : shownLine;
    const line = marketLine(type, side, own);
    const id = marketId(gameBook.game.id, type, line);
    const known = gameBook.markets.get(id);
    if (known !== undefined) return known;
    const marketOfLine = market(gameBook.game.id, type, line);
    const empty = (index: 0 | 1): SideBook => ({
      market: marketOfLine,
      side: marketOfLine.sides[index],
      ladder: NO_OFFERS,
      epoch: gameBook.epoch,
      coveredAt: gameBook.coveredAt,
      contentAt: 0,
      owners: undefined,
    });
    const book: MarketBook = { market: marketOfLine, sides: [empty(0), empty(1)] };
    gameBook.markets.set(id, book);
    return book;
  }

  #noteFromFrame(gameBook: GameBook, frame: SideFrame): void {
    const { game } = gameBook;
    const live = frame.live ?? game.live;
    const spread = mainFromFrame(frame, frame.mainHomeSpread, game.mainHomeSpread);
    const total = mainFromFrame(frame, frame.mainTotal, game.mainTotal);
    if (live === game.live && spread === game.mainHomeSpread && total === game.mainTotal) return;
    gameBook.game = Object.freeze({ ...game, live, mainHomeSpread: spread, mainTotal: total });
    this.#touchAll(gameBook);
  }

  #touchAll(book: GameBook): void {
    for (const market of book.markets.values()) this.touched.add(market);
  }
}

/**
 * Resets the team markets of a game after its teams changed: their content belonged to other sides, and is
 * unknown until covered.
 */
function resetTeams(book: GameBook, since: number): void {
  book.epoch = 0;
  for (const { market: teamMarket, sides } of book.markets.values()) {
    if (!isOnTeams(teamMarket.type)) continue;
    for (const side of sides) {
      side.ladder = NO_OFFERS;
      side.epoch = 0;
      side.contentAt = since;
      side.owners = undefined;
    }
  }
}

function namesOtherTeams(known: Game, message: GameMessage): boolean {
  const merged = mergeGame(known, message);
  return merged !== undefined && teamChange(known, merged) !== 'same';
}

/** A main line of 0 beside an empty ladder means none (wire profile). */
const mainFromFrame = (frame: SideFrame, line: number | undefined, known: number | undefined): number | undefined =>
  line === undefined || (line === 0 && frame.offers.length === 0) ? known : line;

function sideOfParticipant(game: Game, participant: string | undefined): Side | undefined {
  if (participant === game.home.id) return 'home';
  return participant === game.away.id ? 'away' : undefined;
}

function sameLadder(a: Ladder, b: Ladder): boolean {
  if (a === b) return true;
  return (
    a.length === b.length &&
    a.every((offer, i) => {
      const other = b[i];
      return (
        offer === other ||
        (other !== undefined && offer.id === other.id && offer.rung === other.rung && offer.untaken === other.untaken)
      );
    })
  );
}
