// The traders of a recording (docs/paper-exchange.md). Recorded offers rest as the tape says; accounts' offers rank among them by
// price, then age. A take is an increase of taken = risk − untaken of an offer seen before and after: it fills the
// accounts' offers that stood before that offer. A recorded offer that comes and would cross an account's offer fills it.
// Each unit of recorded volume is used once. An offer that vanishes proves no take; how much of it counts as one is the
// scenario's word. Rows of whoever recorded rest nowhere: what took them is there for the accounts' offers.
import type { Game, GameId, GameMessage, Ladder, Micros, ParticipantId, Side, SideFrame } from '../domain/index.ts';
import {
  crosses,
  forgetOldest,
  marketLine,
  minus,
  NO_OFFERS,
  oppositeSide,
  plus,
  probabilityOfRung,
  winOf,
  ZERO,
} from '../domain/index.ts';
import type { Ghost, SideBook, VenueGame, VenueOrder, Venue } from '../venue/index.ts';
import { compareRank, ghostAvailable, oppositeOf, sideOf, DUST, even, matchOf } from '../venue/index.ts';
import type { Rows } from './recorded-rows.ts';
import { RecordedRows, takenOf } from './recorded-rows.ts';
import type { TapeClock } from './tape-clock.ts';
import { changeOf, detailsOf, headerOf } from './tape-games.ts';
import type { GameEvent, OwnEvent, SideEvent } from '../tape/index.ts';
import { NONE_EXHAUSTED, sideKeyOf } from '../tape/index.ts';
import type { VanishedShare } from './vanished.ts';
import { CANCELS, noteBest, SOON_MS, VanishingFrame } from './vanished.ts';

/** Games without a header whose frames are kept: the header of one may never come. */
const MOST_EARLY = 2000;

export type TapeTradersOptions = {
  readonly venue: Venue;
  readonly clock: TapeClock;
  /** What vanishings were; cancels unless told. */
  readonly vanished?: VanishedShare;
  /** It is asked of every side, not only where offers of accounts rest. */
  readonly isAskedOfAll?: boolean;
  /** Games are served under this league instead of the recorded one. */
  readonly asLeague?: string | undefined;
};

export class TapeTraders {
  readonly #venue: Venue;
  readonly #clock: TapeClock;
  readonly #asLeague: string | undefined;
  readonly #vanished: VanishedShare;
  readonly #isAskedOfAll: boolean;
  /** Frames of games whose header has not come yet, the newest of each side. */
  readonly #early = new Map<GameId, Map<string, SideEvent>>();
  readonly #rows: RecordedRows;
  #frame = 0;
  /** What was told before, of these tapes and games, is not followed by what comes next. */
  readonly #gaps = { all: -1, tapes: new Map<number, number>(), games: new Map<GameId, number>() };
  /** When headers were told, venue time. */
  readonly #headers = new Map<GameId, number>();
  /** When games went live. */
  readonly #began = new Map<GameId, number>();

  constructor(options: TapeTradersOptions) {
    this.#venue = options.venue;
    this.#clock = options.clock;
    this.#rows = new RecordedRows(options.clock, options.venue.used.byId);
    this.#asLeague = options.asLeague;
    this.#vanished = options.vanished ?? CANCELS;
    this.#isAskedOfAll = options.isAskedOfAll ?? false;
  }

  /** What the user feed of whoever recorded says of an own offer: a row that was taken to its end just goes. */
  applyOwn({ orderId, taken }: OwnEvent, nowMs: number, building = false): void {
    const own = this.#rows.ownBy(orderId);
    if (own === undefined) return;
    const { side, ghost } = own;
    const more = even(taken) - ghost.mostTaken;
    if (more <= 0) return;
    this.#venue.run(nowMs, () => {
      if (!building && side.book.game.header.open) this.#take(side, ghost, more, nowMs);
      ghost.mostTaken = even(taken);
      this.#rows.noteTaken(ghost);
      this.#venue.touch(side);
    });
  }

  /** A recording has a gap, one of several or all of them: what changed meanwhile is no take, since nobody knows when it happened. */
  applyGap(tape?: number): void {
    if (tape === undefined) this.#gaps.all = this.#frame;
    else this.#gaps.tapes.set(tape, this.#frame);
  }

  /** `orderUpdate`: replaces the recorded offers of one side. The book's first state is no take (`building`). */
  applySide(event: SideEvent, nowMs: number, building = false): SideBook | undefined {
    const { frame } = event;
    const game = this.#venue.games.get(frame.gameId);
    if (game === undefined) {
      this.#keepEarly(event);
      return undefined;
    }
    return this.#venue.run(nowMs, () => {
      this.#readHeader(game, frame, nowMs);
      const side = sideIn(game, event);
      if (side === undefined) return undefined;
      const book = this.#venue.book(game, frame.type, marketLine(frame.type, side, frame.line));
      const shown = sideOf(book, side);
      this.#replaceSide(shown, frame.offers, event, nowMs, building);
      return shown;
    });
  }

  /**
   * `gameUpdate`, or a game in a recorded read: a header, and the ladders that came with it. A missing field erases nothing,
   * and a read nothing that was told after it was asked for. False: its header is older than what is known.
   */
  applyGame(event: GameEvent, nowMs: number, building = false): boolean {
    const { game: message, since } = event;
    const isOlder = (toldMs: number): boolean => since !== undefined && toldMs > this.#clock.venueTime(since);
    return this.#venue.run(nowMs, () => {
      const known = this.#venue.games.get(message.gameId);
      const game = known ?? this.#open(message, nowMs);
      if (game === undefined) return true;
      const isNews = !isOlder(this.#headers.get(message.gameId) ?? 0);
      if (known !== undefined && isNews) {
        const wasOpen = known.header.open;
        this.#venue.changeGame(game, changeOf(message, known.header, this.#clock), nowMs);
        if (wasOpen && !known.header.open) this.#gaps.games.set(message.gameId, this.#frame);
        if (message.live === true) this.#noteLive(message.gameId);
      }
      if (since === undefined) this.#headers.set(message.gameId, nowMs);
      this.#replaceLadders(game, event, isOlder, nowMs, building);
      if (message.ended === true) this.#clear(game);
      if (known !== undefined && message.messageType === 'marketOpen') this.crossAll(game, nowMs);
      const early = this.#early.get(message.gameId);
      this.#early.delete(message.gameId);
      for (const one of early?.values() ?? [])
        if (since === undefined || one.ts > since) this.applySide(one, nowMs, true);
      return isNews;
    });
  }

  // ——— games

  #keepEarly(event: SideEvent): void {
    const { gameId } = event.frame;
    let sides = this.#early.get(gameId);
    // whoever was silent longest goes first
    this.#early.delete(gameId);
    this.#early.set(gameId, (sides ??= new Map<string, SideEvent>()));
    sides.set(sideKeyOf(event), event);
    forgetOldest(this.#early, MOST_EARLY);
  }

  #open(message: GameMessage, nowMs: number): VenueGame | undefined {
    const header = headerOf(message, this.#clock, this.#asLeague);
    return header === undefined ? undefined : this.#venue.openGame(header, nowMs, detailsOf(header, message));
  }

  #noteLive(id: GameId): void {
    if (!this.#began.has(id)) this.#began.set(id, this.#frame);
  }

  #readHeader(game: VenueGame, frame: SideFrame, nowMs: number): void {
    const { header } = game;
    const { type, live, mainHomeSpread, mainTotal } = frame;
    if (live !== undefined && live !== header.live) {
      if (live) this.#noteLive(header.id);
      this.#changeHeader(game, { live }, nowMs);
    }
    if (type === 'spread' && mainHomeSpread !== undefined && mainHomeSpread !== header.mainHomeSpread)
      this.#changeHeader(game, { mainHomeSpread }, nowMs);
    if (type === 'total' && mainTotal !== undefined && mainTotal !== header.mainTotal)
      this.#changeHeader(game, { mainTotal }, nowMs);
  }

  #changeHeader(game: VenueGame, change: Partial<Game>, nowMs: number): void {
    this.#headers.set(game.header.id, nowMs);
    this.#venue.changeGame(game, change, nowMs);
  }

  #replaceLadders(
    game: VenueGame,
    event: GameEvent,
    isOlder: (toldMs: number) => boolean,
    nowMs: number,
    building: boolean,
  ): void {
    const { ladders, covers } = event.game;
    if (covers.length === 0) return;
    // a read shows every row, however deep a frame may be
    const { depth: _depth, ...all } = event;
    const told = new Set<SideBook>();
    for (const ladder of ladders) {
      const book = this.#venue.book(game, ladder.type, marketLine(ladder.type, ladder.side, ladder.line));
      const side = sideOf(book, ladder.side);
      told.add(side);
      if (isOlder(side.toldMs)) continue;
      this.#replaceSide(side, ladder.offers, ofSide(side, all), nowMs, building);
    }
    // a ladder field that is present covers all its lines
    for (const book of [...game.books.values()]) {
      for (const side of book.sides) {
        const covered = covers.some((one) => one.type === book.market.type && one.side === side.side);
        if (covered && !told.has(side) && side.ghosts.length > 0 && !isOlder(side.toldMs))
          this.#replaceSide(side, [], ofSide(side, all), nowMs, building);
      }
    }
  }

  /** It is over for good: nothing recorded stands in its books any more. */
  #clear({ header: { id }, books }: VenueGame): void {
    this.#gaps.games.delete(id);
    this.#began.delete(id);
    this.#headers.delete(id);
    for (const { sides } of books.values())
      for (const side of sides) {
        side.rows = [];
        side.ghosts = [];
        side.offers = NO_OFFERS;
        side.isAsTold = true;
        side.ghostById.clear();
      }
  }

  // ——— ladders

  #replaceSide(side: SideBook, offers: Ladder, told: Told, nowMs: number, building: boolean): void {
    this.#frame++;
    const { ts, tape = 0, exhausted = NONE_EXHAUSTED } = told;
    const { header } = side.book.game;
    const matching = !building && header.open;
    const { all, tapes, games } = this.#gaps;
    const gap = Math.max(all, tapes.get(tape) ?? -1, games.get(header.id) ?? -1);
    const rows = this.#rows.match(side, offers, this.#frame, exhausted.length > 0);
    // takes are told by the offers as they stood, so they come before the new ladder
    if (matching && (side.orders.length > 0 || this.#isAskedOfAll) && side.toldFrame > gap)
      this.#takes(side, offers, told, rows, nowMs);
    for (const { id, risk } of exhausted) {
      const ghost = side.ghostById.get(id);
      if (ghost === undefined) continue;
      ghost.mostTaken = Math.max(ghost.mostTaken, even(risk)) as Micros;
      side.isAsTold = false;
    }
    const arrived = this.#rows.replace(side, offers, rows, this.#frame, ts);
    side.toldMs = nowMs;
    side.toldFrame = this.#frame;
    noteBest(side, ts);
    if (matching && arrived.length > 0 && oppositeOf(side.book, side.side).orders.length > 0)
      this.#cross(side, arrived.length > 1 ? arrived.sort(compareRank) : arrived, nowMs);
    this.#venue.touch(side);
  }

  // ——— fills

  /** What was taken since the last frame, in the order in which takers are served. */
  #takes(side: SideBook, offers: Ladder, told: Told, { news, gone }: Rows, nowMs: number): void {
    const { exhausted = NONE_EXHAUSTED } = told;
    const spent = exhausted.length === 0 ? undefined : new Map(exhausted.map(({ id, risk }) => [id, risk]));
    const rows = offers.length + exhausted.length;
    const began = side.toldFrame <= (this.#began.get(side.book.game.header.id) ?? -1);
    const mayVanish = this.#vanished !== CANCELS && !began && !isEmptied(side, rows, told, nowMs);
    const last = offers[offers.length - 1];
    const isCut = told.depth !== undefined && rows >= told.depth;
    let isTop = true;
    // whoever recorded is not among the sorted ones
    const { ghosts, ghostById } = side;
    const known =
      news?.ghosts ?? (ghosts.length === ghostById.size ? ghosts : [...ghostById.values()].sort(compareRank));
    /** Something that the tape tells, and no take, accounts for it. */
    const isExplained = ({ id, rung, expiryMs }: Ghost): boolean =>
      (isCut && (last === undefined || last.rung <= rung)) ||
      (expiryMs !== undefined && expiryMs <= nowMs) ||
      told.returning?.has(id) === true;
    let frame: VanishingFrame | undefined;
    for (let index = 0; index < known.length; index++) {
      const ghost = known[index];
      if (ghost === undefined) break;
      const whole = spent?.get(ghost.id);
      if (whole !== undefined) {
        this.#take(side, ghost, takenOf(even(whole), ZERO) - ghost.mostTaken, nowMs);
        continue;
      }
      if (ghost.frame === this.#frame) {
        const { told: row } = ghost;
        if (row !== ghost.offer)
          this.#take(side, ghost, takenOf(even(row.risk), even(row.untaken)) - ghost.mostTaken, nowMs);
        if (row.untaken > 0) isTop = false;
        continue;
      }
      if (news !== undefined && (news.places[index] ?? 0) > news.firstLeft) isTop = false;
      // whoever recorded moves its own offers about: that they go proves nothing
      if (!mayVanish || ghost.offer.own) continue;
      if (isExplained(ghost)) {
        isTop = false;
        continue;
      }
      frame ??= this.#vanishingIn(
        side,
        told,
        { known, news, gone: gone.filter((one) => !one.offer.own), isExplained },
        nowMs,
      );
      const place = news === undefined ? index : (news.places[index] ?? 0);
      // an older frame may show more than is left
      const left = Math.max(0, Math.min(ghost.untaken, ghost.risk - ghost.mostTaken));
      const share = this.#vanished(frame.of(ghost, place, isTop));
      const matched = this.#take(side, ghost, even(left * share), nowMs);
      // should it come back all the same, this much of it is used
      ghost.used = plus(ghost.used, matched);
    }
  }

  #vanishingIn(
    side: SideBook,
    { ts, until }: Told,
    {
      known,
      news,
      gone,
      isExplained,
    }: Pick<Rows, 'news' | 'gone'> & {
      readonly known: readonly Ghost[];
      readonly isExplained: (ghost: Ghost) => boolean;
    },
    nowMs: number,
  ): VanishingFrame {
    // those that stay, in their order: most are not even read
    const stays = known.findIndex((ghost) => ghost.frame === this.#frame);
    const first = known[stays];
    const isFirst = news === undefined || (news.places[stays] ?? 0) < news.firstLeft;
    return new VanishingFrame({
      ts,
      nowMs,
      frame: this.#frame,
      side,
      known: news === undefined ? known : side.ghosts,
      gone,
      unexplained: gone.reduce((count, ghost) => count + Number(!isExplained(ghost)), 0),
      isNextTaken:
        first !== undefined &&
        isFirst &&
        takenOf(even(first.told.risk), even(first.told.untaken)) - first.mostTaken >= DUST,
      facingAfter: () => this.#bestSoon(oppositeOf(side.book, side.side), ts, until),
    });
  }

  /** The best price of a side a moment after that time, as far as the tape tells it. */
  #bestSoon(side: SideBook, ts: number, until: Told['until']): number | undefined {
    let rung = side.offers[0]?.rung;
    const { game, market } = side.book;
    for (const event of until?.(ts + SOON_MS) ?? []) {
      if (event.what !== 'side' || event.frame.gameId !== market.gameId || event.frame.type !== market.type) continue;
      const named = sideIn(game, event);
      if (named === side.side && marketLine(market.type, named, event.frame.line) === market.line)
        rung = event.frame.offers[0]?.rung;
    }
    return rung === undefined ? undefined : probabilityOfRung(rung);
  }

  /**
   * So much more of a recorded offer was taken: the accounts' offers that stood before it come first. Returns how much of
   * it they matched, in its stake.
   */
  #take(side: SideBook, ghost: Ghost, taken: number, nowMs: number): Micros {
    // the part of a take that accounts had matched already fills nobody again
    const fresh = taken - Math.min(taken, ghost.used);
    // less than a cent is what a recording rounded
    if (fresh < DUST) return ZERO;
    const whole = even(winOf(fresh as Micros, ghost.odds));
    let stake = whole;
    for (
      let order = side.orders[0];
      order !== undefined && stake >= DUST && compareRank(order, ghost) < 0;
      order = side.orders[0]
    ) {
      const match = matchOf(order.remaining, order.odds, stake);
      if (match === undefined) break;
      this.#venue.fillByTape(order, match, nowMs);
      stake = minus(stake, match.takerRisk);
    }
    return whole === 0 ? ZERO : even(fresh * ((whole - stake) / whole));
  }

  #cross(side: SideBook, arrived: readonly Ghost[], nowMs: number): void {
    const facing = oppositeOf(side.book, side.side);
    for (const ghost of arrived) {
      for (
        let order = facing.orders[0];
        order !== undefined && crosses(ghost.rung, order.rung);
        order = facing.orders[0]
      ) {
        if (!this.#crossOne(side, ghost, order, nowMs)) break;
      }
    }
  }

  #crossOne(side: SideBook, ghost: Ghost, order: VenueOrder, nowMs: number): boolean {
    const match = matchOf(order.remaining, order.odds, ghostAvailable(ghost));
    if (match === undefined) return false;
    this.#venue.used.use(side, ghost, match.takerRisk);
    this.#venue.fillByTape(order, match, nowMs);
    return true;
  }

  /** When a market opens again, what changed while it was closed may cross what rests. */
  crossAll(game: VenueGame, nowMs: number): void {
    for (const book of game.books.values()) for (const side of book.sides) this.#cross(side, side.ghosts, nowMs);
  }
}

type Told = Pick<SideEvent, 'ts'> &
  Partial<Pick<SideEvent, 'exhausted' | 'returning' | 'isClosing' | 'until' | 'depth' | 'tape'>>;

/** A game's message shows spent rows of every side. */
const ofSide = (side: SideBook, told: Told): Told => ({
  ...told,
  exhausted: (told.exhausted ?? NONE_EXHAUSTED).filter(({ id }) => side.ghostById.has(id)),
});

/** The start or a close took the offers, not takers. */
function isEmptied(side: SideBook, shown: number, { isClosing }: Told, nowMs: number): boolean {
  const { start } = side.book.game.header;
  return (side.toldMs < start && start <= nowMs) || (shown === 0 && isClosing === true);
}

/** Whose offers a frame shows. */
function sideIn(game: VenueGame, { frame, facing }: SideEvent): Side | undefined {
  const named = frame.side ?? sideOfParticipant(game, frame.participantId);
  return named !== undefined && facing === true ? oppositeSide(named) : named;
}

const sideOfParticipant = (game: VenueGame, id: ParticipantId | undefined): Side | undefined =>
  id === game.header.home.id ? 'home' : id === game.header.away.id ? 'away' : undefined;
