// The traders of a recording (docs/paper-exchange.md). Recorded offers rest as on the tape; accounts' offers
// rank among them by price, then age. A take is an increase of taken = risk − untaken of an offer seen in
// both frames: it fills the accounts' offers that stood before that offer. A new recorded offer that would
// cross an account's offer fills it. Each unit of recorded volume is used once. An offer that vanishes proves
// no take; the scenario decides how much of it counts as one. Rows of the recording account do not rest here:
// what took them is available to the accounts' offers.
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

/** Limit of games without a header whose frames are kept: a header may never come. */
const MOST_EARLY = 2000;

export type TapeTradersOptions = {
  readonly venue: Venue;
  readonly clock: TapeClock;
  /** The share of a vanished offer that counts as taken. Default: none. */
  readonly vanished?: VanishedShare;
  /** Ask `vanished` for every side, not only where accounts' offers rest. */
  readonly isAskedOfAll?: boolean;
  /** Replaces the recorded league of games. Undefined: the recorded league. */
  readonly asLeague?: string | undefined;
};

export class TapeTraders {
  readonly #venue: Venue;
  readonly #clock: TapeClock;
  readonly #asLeague: string | undefined;
  readonly #vanished: VanishedShare;
  readonly #isAskedOfAll: boolean;
  /** The newest frame of each side, for games whose header has not come yet. */
  readonly #early = new Map<GameId, Map<string, SideEvent>>();
  readonly #rows: RecordedRows;
  #frame = 0;
  /**
   * The frame number of the newest gap: of all, by tape, by game. Frames up to it are not continued by later
   * ones.
   */
  readonly #gaps = { all: -1, tapes: new Map<number, number>(), games: new Map<GameId, number>() };
  /** Venue time of the newest header, by game. */
  readonly #headers = new Map<GameId, number>();
  /** The frame number at which a game went live. */
  readonly #began = new Map<GameId, number>();

  constructor(options: TapeTradersOptions) {
    this.#venue = options.venue;
    this.#clock = options.clock;
    this.#rows = new RecordedRows(options.clock, options.venue.used.byId);
    this.#asLeague = options.asLeague;
    this.#vanished = options.vanished ?? CANCELS;
    this.#isAskedOfAll = options.isAskedOfAll ?? false;
  }

  /**
   * Applies a take of an own offer of the recording account: a row that is taken in full only disappears from
   * the ladder.
   */
  applyOwn({ orderId, taken }: OwnEvent, nowMs: number, building = false): void {
    const own = this.#rows.ownBy(orderId);
    if (own === undefined) return;
    const { side, ghost } = own;
    const newlyTaken = even(taken) - ghost.mostTaken;
    if (newlyTaken <= 0) return;
    this.#venue.run(nowMs, () => {
      if (!building && side.book.game.header.open) this.#take(side, ghost, newlyTaken, nowMs);
      ghost.mostTaken = even(taken);
      this.#rows.noteTaken(ghost);
      this.#venue.touch(side);
    });
  }

  /**
   * Notes a gap of one recording, or of all without `tape`. Changes across a gap are no takes, because their
   * time is unknown.
   */
  applyGap(tape?: number): void {
    if (tape === undefined) this.#gaps.all = this.#frame;
    else this.#gaps.tapes.set(tape, this.#frame);
  }

  /**
   * Applies an `orderUpdate`: replaces the recorded offers of one side. @param building the book is being
   * built, so changes are no takes
   */
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
   * Applies a `gameUpdate` or a game in a recorded read: a header with its ladders. A missing field erases
   * nothing, and a read erases nothing that is newer than its request. Returns false when its header is older
   * than the known one.
   */
  applyGame(event: GameEvent, nowMs: number, building = false): boolean {
    const { game: message, since } = event;
    const isOlder = (receivedMs: number): boolean => since !== undefined && receivedMs > this.#clock.venueTime(since);
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
      for (const sideEvent of early?.values() ?? [])
        if (since === undefined || sideEvent.ts > since) this.applySide(sideEvent, nowMs, true);
      return isNews;
    });
  }

  // ——— games

  #keepEarly(event: SideEvent): void {
    const { gameId } = event.frame;
    let sides = this.#early.get(gameId);
    // the game without a frame for longest is removed first
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
    isOlder: (receivedMs: number) => boolean,
    nowMs: number,
    building: boolean,
  ): void {
    const { ladders, covers } = event.game;
    if (covers.length === 0) return;
    // a read shows all rows, whatever the depth of frames
    const { depth: _depth, ...all } = event;
    const shownSides = new Set<SideBook>();
    for (const ladder of ladders) {
      const book = this.#venue.book(game, ladder.type, marketLine(ladder.type, ladder.side, ladder.line));
      const side = sideOf(book, ladder.side);
      shownSides.add(side);
      if (isOlder(side.shownMs)) continue;
      this.#replaceSide(side, ladder.offers, fieldsOfSide(side, all), nowMs, building);
    }
    // a ladder field that is present covers all its lines
    for (const book of [...game.books.values()]) {
      for (const side of book.sides) {
        const isCovered = covers.some((cover) => cover.type === book.market.type && cover.side === side.side);
        if (isCovered && !shownSides.has(side) && side.ghosts.length > 0 && !isOlder(side.shownMs))
          this.#replaceSide(side, [], fieldsOfSide(side, all), nowMs, building);
      }
    }
  }

  /** Removes all recorded offers of a game that has ended. */
  #clear({ header: { id }, books }: VenueGame): void {
    this.#gaps.games.delete(id);
    this.#began.delete(id);
    this.#headers.delete(id);
    for (const { sides } of books.values())
      for (const side of sides) {
        side.rows = [];
        side.ghosts = [];
        side.offers = NO_OFFERS;
        side.isAsShown = true;
        side.ghostById.clear();
      }
  }

  // ——— ladders

  #replaceSide(side: SideBook, offers: Ladder, fields: SideFields, nowMs: number, building: boolean): void {
    this.#frame++;
    const { ts, tape = 0, exhausted = NONE_EXHAUSTED } = fields;
    const { header } = side.book.game;
    const matching = !building && header.open;
    const { all, tapes, games } = this.#gaps;
    const gap = Math.max(all, tapes.get(tape) ?? -1, games.get(header.id) ?? -1);
    const rows = this.#rows.match(side, offers, this.#frame, exhausted.length > 0);
    // takes are found among the offers before the new ladder replaces them
    if (matching && (side.orders.length > 0 || this.#isAskedOfAll) && side.shownFrame > gap)
      this.#takes(side, offers, fields, rows, nowMs);
    for (const { id, risk } of exhausted) {
      const ghost = side.ghostById.get(id);
      if (ghost === undefined) continue;
      ghost.mostTaken = Math.max(ghost.mostTaken, even(risk)) as Micros;
      side.isAsShown = false;
    }
    const arrived = this.#rows.replace(side, offers, rows, this.#frame, ts);
    side.shownMs = nowMs;
    side.shownFrame = this.#frame;
    noteBest(side, ts);
    if (matching && arrived.length > 0 && oppositeOf(side.book, side.side).orders.length > 0)
      this.#cross(side, arrived.length > 1 ? [...arrived].sort(compareRank) : arrived, nowMs);
    this.#venue.touch(side);
  }

  // ——— fills

  /** Applies the takes since the last frame, in the order in which takers are served. */
  #takes(side: SideBook, offers: Ladder, fields: SideFields, { news, gone }: Rows, nowMs: number): void {
    const { exhausted = NONE_EXHAUSTED } = fields;
    const spent = exhausted.length === 0 ? undefined : new Map(exhausted.map(({ id, risk }) => [id, risk]));
    const rows = offers.length + exhausted.length;
    const began = side.shownFrame <= (this.#began.get(side.book.game.header.id) ?? -1);
    const mayVanish = this.#vanished !== CANCELS && !began && !isEmptied(side, rows, fields, nowMs);
    const last = offers[offers.length - 1];
    const isCut = fields.depth !== undefined && rows >= fields.depth;
    let isTop = true;
    // offers of the recording account are not among the sorted ones
    const { ghosts, ghostById } = side;
    const known =
      news?.ghosts ?? (ghosts.length === ghostById.size ? ghosts : [...ghostById.values()].sort(compareRank));
    /** Whether the tape explains the disappearance without a take: cut by depth, expired, or back later. */
    const isExplained = ({ id, rung, expiryMs }: Ghost): boolean =>
      (isCut && (last === undefined || last.rung <= rung)) ||
      (expiryMs !== undefined && expiryMs <= nowMs) ||
      fields.returning?.has(id) === true;
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
        const { shown: row } = ghost;
        if (row !== ghost.offer)
          this.#take(side, ghost, takenOf(even(row.risk), even(row.untaken)) - ghost.mostTaken, nowMs);
        if (row.untaken > 0) isTop = false;
        continue;
      }
      if (news !== undefined && (news.places[index] ?? 0) > news.firstLeft) isTop = false;
      // the recording account moves its own offers: their disappearance proves nothing
      if (!mayVanish || ghost.offer.own) continue;
      if (isExplained(ghost)) {
        isTop = false;
        continue;
      }
      frame ??= this.#vanishingIn(
        side,
        fields,
        { known, news, gone: gone.filter((goneGhost) => !goneGhost.offer.own), isExplained },
        nowMs,
      );
      const place = news === undefined ? index : (news.places[index] ?? 0);
      // an older frame may show more than what is left
      const left = Math.max(0, Math.min(ghost.untaken, ghost.risk - ghost.mostTaken));
      const share = this.#vanished(frame.vanishedOf(ghost, place, isTop));
      const matched = this.#take(side, ghost, even(left * share), nowMs);
      // if it returns nevertheless, this part of it is used
      ghost.used = plus(ghost.used, matched);
    }
  }

  #vanishingIn(
    side: SideBook,
    { ts, until }: SideFields,
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
    // the remaining offers keep their order; most are not even read
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
        takenOf(even(first.shown.risk), even(first.shown.untaken)) - first.mostTaken >= DUST,
      facingAfter: () => this.#bestSoon(oppositeOf(side.book, side.side), ts, until),
    });
  }

  /**
   * The probability at a side's best price `SOON_MS` after `ts`, as far as the tape shows it. Undefined
   * without offers.
   */
  #bestSoon(side: SideBook, ts: number, until: SideFields['until']): number | undefined {
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
   * Applies a further take of a recorded offer, `taken` in its stake: the accounts' offers that stood before
   * it match first. Returns how much of it they matched, in its stake.
   */
  #take(side: SideBook, ghost: Ghost, taken: number, nowMs: number): Micros {
    // the part of a take that accounts had matched already must not fill anyone again
    const fresh = taken - Math.min(taken, ghost.used);
    // less than a cent is rounding of the recording
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

  /**
   * Matches recorded offers against resting ones after a market opens again, since changes during the close
   * may cross.
   */
  crossAll(game: VenueGame, nowMs: number): void {
    for (const book of game.books.values()) for (const side of book.sides) this.#cross(side, side.ghosts, nowMs);
  }
}

type SideFields = Pick<SideEvent, 'ts'> &
  Partial<Pick<SideEvent, 'exhausted' | 'returning' | 'isClosing' | 'until' | 'depth' | 'tape'>>;

/** The fields for one side of a game's message, which shows spent rows of all sides. */
const fieldsOfSide = (side: SideBook, fields: SideFields): SideFields => ({
  ...fields,
  exhausted: (fields.exhausted ?? NONE_EXHAUSTED).filter(({ id }) => side.ghostById.has(id)),
});

/** Whether the start or a close removed the offers, rather than takers. */
function isEmptied(side: SideBook, shown: number, { isClosing }: SideFields, nowMs: number): boolean {
  const { start } = side.book.game.header;
  return (side.shownMs < start && start <= nowMs) || (shown === 0 && isClosing === true);
}

/** The side whose offers a frame shows. Undefined when the participant is unknown. */
function sideIn(game: VenueGame, { frame, facing }: SideEvent): Side | undefined {
  const named = frame.side ?? sideOfParticipant(game, frame.participantId);
  return named !== undefined && facing === true ? oppositeSide(named) : named;
}

const sideOfParticipant = (game: VenueGame, id: ParticipantId | undefined): Side | undefined =>
  id === game.header.home.id ? 'home' : id === game.header.away.id ? 'away' : undefined;
