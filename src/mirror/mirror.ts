// The local mirror of the exchange's books and games. A frame replaces the whole ladder of one side at one line; a REST
// read covers a whole game. Invariants: a side is *unknown* until a frame or read of the present epoch covers it; a read
// never overwrites a frame that arrived after the read was sent (what a later change did to that side, the feed tells).
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

/** Whether the book of a side can be relied on: confirmed lately; not lately; or not since the connection was made. */
export type Freshness = 'fresh' | 'stale' | 'unknown';

export type SideBook = {
  readonly market: Market;
  readonly side: Side;
  /** As the exchange shows it, own offers included, best for the taker first. */
  ladder: Ladder;
  /** The epoch that covered it last; 0: none did; LOST: a frame of it was dropped, and what is older than that tells nothing. */
  epoch: number;
  /** Monotonic ms of the last frame or read. */
  coveredAt: number;
  /** The content is no older than this, monotonic ms: a frame's arrival, or when the read that brought it was sent. */
  contentAt: number;
  /** Whose offers these are, as was found out last. */
  owners: Owners | undefined;
};

/** `ids`: which own ids of the game were known then. */
export type Owners = {
  readonly of: Ladder;
  readonly ids: number;
  /** The ladder without own offers, the same array where there are none; and the own ones. */
  readonly others: Ladder;
  readonly own: Ladder;
};

type Cover = { readonly of: MarketBook; readonly side: SideBook; readonly offers: Ladder };
type CoversOfRead = {
  readonly book: GameBook;
  readonly markets: number;
  readonly covers: readonly Cover[];
};

export type MarketBook = { readonly market: Market; readonly sides: readonly [SideBook, SideBook] };

export type GameBook = {
  game: Game;
  readonly markets: Map<MarketId, MarketBook>;
  /** The epoch and time of the last whole read: lines never seen since are known to be empty. */
  epoch: number;
  coveredAt: number;
  /** The same for the header: no older than this, in that epoch. */
  headerAt: number;
  headerEpoch: number;
};

const LOST = -1;

/** The side that a frame covered, or why it covered none. */
export type SideOutcome = SideBook | 'unknown-game' | 'unknown-participant' | 'old-epoch';

export class Mirror {
  readonly games = new Map<GameId, GameBook>();
  /** Games that are not known, in which something of the account is: they are read, whatever their league. */
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

  /** Applies one life of the price feed: everything is unknown until covered again. */
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

  /** Where an order or a play stands; undefined where its game is not known, or has no such place. */
  placeOf(gameId: GameId | undefined, place: OrderPlace): { readonly market: Market; readonly side: Side } | undefined {
    const game = gameId === undefined ? undefined : this.games.get(gameId)?.game;
    return game === undefined ? undefined : placeIn(game, place);
  }

  /** Whoever looks at changes looks at all books again. */
  touchAll(): void {
    for (const book of this.games.values()) this.#touchAll(book);
  }

  /** A frame of this side was dropped: it is unknown until something newer covers it. False: its game, or its team, is not known. */
  loseSide(frame: SideFrame, now: number): boolean {
    const gameBook = this.games.get(frame.gameId);
    const shown = gameBook && (frame.side ?? sideOfParticipant(gameBook.game, frame.participantId));
    if (gameBook === undefined || shown === undefined) return false;
    const book = this.#book(gameBook, frame.type, shown, frame.line);
    this.#lose(book.sides[sideIndex(this.#offererSide(shown))], now);
    this.touched.add(book);
    return true;
  }

  /** The same for every side of a game. False: it is not known. */
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

  /** Takes those that are known out of games that somebody waits for; false when none is. */
  takeKnown(waitedFor: Set<GameId>): boolean {
    let some = false;
    for (const id of waitedFor) if (this.games.has(id)) some = waitedFor.delete(id);
    return some;
  }

  applySide(frame: SideFrame, epoch: number, now: number): SideOutcome {
    if (!this.#up || epoch !== this.#epoch) return 'old-epoch';
    const gameBook = this.games.get(frame.gameId);
    if (gameBook === undefined) return 'unknown-game';
    const shown = frame.side ?? sideOfParticipant(gameBook.game, frame.participantId);
    if (shown === undefined) return 'unknown-participant';
    const book = this.#book(gameBook, frame.type, shown, frame.line);
    const side = book.sides[sideIndex(this.#offererSide(shown))];
    // it waited for its game, and what brought that is newer
    if (side.epoch === epoch && side.contentAt > now) return side;
    side.ladder = frame.offers;
    side.epoch = epoch;
    side.coveredAt = now;
    side.contentAt = now;
    this.touched.add(book);
    this.#noteFromFrame(gameBook, frame);
    return side;
  }

  /** A `gameUpdate`, or a game inside a REST read that was sent at `sentAt` (then the whole game is covered). */
  applyGame(
    message: GameMessage,
    epoch: number,
    now: number,
    read?: { readonly sentAt: number },
  ): GameBook | undefined {
    if (!this.#up || epoch !== this.#epoch) return undefined;
    const known = this.games.get(message.gameId);
    // a read may be overtaken by a gameUpdate, or by a read that was sent after it
    const stale = read !== undefined && known?.headerEpoch === epoch && known.headerAt > read.sentAt;
    // a close that was told in a former epoch may have been followed by an open that nobody heard
    const before =
      known !== undefined && known.headerEpoch !== epoch ? Object.freeze({ ...known.game, open: true }) : known?.game;
    const merged = stale ? known?.game : mergeGame(before, message);
    if (merged === undefined) return undefined;
    let book = known;
    if (book === undefined) {
      book = { game: merged, markets: new Map(), epoch: 0, coveredAt: 0, headerAt: 0, headerEpoch: 0 };
      this.games.set(merged.id, book);
    } else if (stale && tellsOtherTeams(book.game, message)) {
      // its sides are those of a header that is over
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
    for (const { of, side, offers } of this.#coversOf(book, message, read !== undefined))
      this.#cover(of, side, offers, since, epoch, now);
    if (read !== undefined) {
      book.epoch = epoch;
      book.coveredAt = now;
    }
    // nothing can be taken there any more, whatever the last frames showed
    if (merged.ended) for (const { sides } of book.markets.values()) for (const side of sides) side.ladder = NO_OFFERS;
    return book;
  }

  /** Drops a game; should it be told of again, it is a new one. */
  forget(gameId: GameId): void {
    const book = this.games.get(gameId);
    for (const market of book?.markets.values() ?? []) this.touched.delete(market);
    this.games.delete(gameId);
  }

  /** What a message says of the sides of its game; a whole read tells of all of them. */
  #coversOf(book: GameBook, message: GameMessage, isWhole: boolean): readonly Cover[] {
    const known = this.#covers.get(message);
    // the same message again
    if (known?.book === book && known.markets === book.markets.size) return known.covers;
    const covers: Cover[] = [];
    const told = new Set<SideBook>();
    for (const { type, side: shown, line, offers } of message.ladders) {
      const of = this.#book(book, type, shown, line);
      const side = of.sides[sideIndex(this.#offererSide(shown))];
      told.add(side);
      covers.push({ of, side, offers });
    }
    for (const of of book.markets.values()) {
      for (const side of of.sides) {
        if (told.has(side)) continue;
        const shown = this.#offererSide(side.side);
        const isCovered = message.covers.some((one) => one.type === of.market.type && one.side === shown);
        if (isCovered || isWhole) covers.push({ of, side, offers: NO_OFFERS });
      }
    }
    if (isWhole) this.#covers.set(message, { book, markets: book.markets.size, covers });
    return covers;
  }

  /** `since`: the content is no older than this. */
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

  /** The perspective is its own inverse, so this maps shown to offerer's and back. */
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
    const of = market(gameBook.game.id, type, line);
    const empty = (index: 0 | 1): SideBook => ({
      market: of,
      side: of.sides[index],
      ladder: NO_OFFERS,
      epoch: gameBook.epoch,
      coveredAt: gameBook.coveredAt,
      contentAt: 0,
      owners: undefined,
    });
    const book: MarketBook = { market: of, sides: [empty(0), empty(1)] };
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

/** What was shown of the teams' markets was shown of other sides: it is unknown until it is told again. */
function resetTeams(book: GameBook, since: number): void {
  book.epoch = 0;
  for (const { market: of, sides } of book.markets.values()) {
    if (!isOnTeams(of.type)) continue;
    for (const side of sides) {
      side.ladder = NO_OFFERS;
      side.epoch = 0;
      side.contentAt = since;
      side.owners = undefined;
    }
  }
}

function tellsOtherTeams(known: Game, message: GameMessage): boolean {
  const told = mergeGame(known, message);
  return told !== undefined && teamChange(known, told) !== 'same';
}

/** A main line of 0 beside an empty ladder means none (wire profile). */
const mainFromFrame = (frame: SideFrame, told: number | undefined, known: number | undefined): number | undefined =>
  told === undefined || (told === 0 && frame.offers.length === 0) ? known : told;

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
