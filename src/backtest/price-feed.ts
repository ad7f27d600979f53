// The price feed of a backtest. Events of the tapes reach the venue at their time and the bot a latency
// later, in order. The bot sees the book as the venue has it: without the recorder's own rows, and without
// what the bot took itself.
import type { Observable } from 'rxjs';
import { Subject } from 'rxjs';
import type { GameMessage, Input, Ladder, LeagueBook, Offer, Read } from '../domain/index.ts';
import { lineFor, MARKET_TYPES, plainName, sidesOf } from '../domain/index.ts';
import type { GameEvent, MarketEvent, SideEvent } from '../tape/index.ts';
import type { InProcessExchange, Lane } from '../paper/index.ts';
import type { VanishedShare } from '../traders/index.ts';
import { createTapeClock, TapeTraders } from '../traders/index.ts';
import { ghostAvailable, isPublished } from '../venue/index.ts';
import type { SideBook, VenueGame } from '../venue/index.ts';
import { byPlace } from '../wire/index.ts';

export class PriceFeed {
  /** Frames and game messages that were applied. */
  delivered = 0;
  readonly #exchange: InProcessExchange;
  readonly #traders: TapeTraders;
  readonly #lane: Lane;
  readonly #latency: () => number;
  readonly #inputs = new Subject<Input>();
  /** Inputs on their way to the bot, in the order in which they arrive. */
  readonly #onTheWay: Input[] = [];
  readonly #arrive = (): void => {
    const input = this.#onTheWay.shift();
    if (input !== undefined) this.#inputs.next(input);
  };
  #epoch = 0;
  #isUp = false;
  #isWanted = false;
  #recordedUp = true;
  #busyUntilMs = 0;
  readonly #messages = new WeakMap<VenueGame, { readonly changes: number; readonly message: GameMessage }>();

  constructor(exchange: InProcessExchange, vanished: VanishedShare, latency: () => number, isAskedOfAll = false) {
    this.#exchange = exchange;
    this.#lane = exchange.lane();
    this.#latency = latency;
    // venue time equals tape time
    const clock = createTapeClock(exchange.nowMs, exchange.nowMs, 1);
    this.#traders = new TapeTraders({ venue: exchange.world.venue, clock, vanished, isAskedOfAll });
  }

  /** The inputs for the bot. Hot. */
  get inputs$(): Observable<Input> {
    return this.#inputs;
  }

  /** Starts the feed: the bot is logged in. */
  openFeed(): void {
    this.#isWanted = true;
    if (this.#recordedUp) this.#rise();
  }

  /**
   * Applies an event of a tape now. `building`: the book is being built up, and no change is a take. Returns
   * the side that changed, or undefined.
   */
  applyEvent(event: MarketEvent, building: boolean): SideBook | undefined {
    const { nowMs } = this.#exchange;
    switch (event.what) {
      case 'side': {
        this.delivered += 1;
        const side = this.#traders.applySide(event, nowMs, building);
        if (this.#isUp) this.#deliverSide(event, side);
        return side;
      }
      case 'game':
        this.delivered += 1;
        this.#applyGame(event, building);
        return undefined;
      case 'own':
        this.#traders.applyOwn(event, nowMs, building);
        return undefined;
      case 'signal':
        // signals change nothing in the market
        return undefined;
      case 'down':
        // whatever records next has missed what happened meanwhile
        this.#traders.applyGap(event.feed === false ? event.tape : undefined);
        if (event.feed === false) return undefined;
        this.#recordedUp = false;
        if (this.#isUp) this.#fall();
        return undefined;
      case 'up':
        // nothing is known between the last event of this tape and the next one
        this.#traders.applyGap(event.tape);
        if (event.feed === false) return undefined;
        this.#recordedUp = true;
        if (this.#isWanted && !this.#isUp) this.#rise();
        return undefined;
    }
  }

  /**
   * Applies a game message. When the recorder read by REST what no frame had shown, the bot gets it at the
   * time of the recorder's read; a live bot would read it by itself soon after.
   */
  #applyGame(event: GameEvent, building: boolean): void {
    const { venue } = this.#exchange.world;
    const { gameId } = event.game;
    const before = venue.games.get(gameId)?.changes;
    const isNews = this.#traders.applyGame(event, this.#exchange.nowMs, building);
    if (!this.#isUp) return;
    const game = venue.games.get(gameId);
    const isRead = event.since !== undefined && game !== undefined && game.changes !== before;
    if (isRead) this.#deliverGame({ ...this.#messageOf(game), covers: EVERY_LADDER });
    else if (isNews) this.#deliverGame(shownGame(event));
  }

  #deliverGame(game: GameMessage): void {
    this.#deliver({ type: 'game', epoch: this.#epoch, game });
  }

  /** The books as they are now. Undefined when there is no such game, or it is closed. */
  read(read: Extract<Read, { what: 'league' | 'game' }>): LeagueBook | undefined {
    const { games } = this.#exchange.world.venue;
    const game = read.what === 'game' ? games.get(read.gameId) : undefined;
    if (read.what === 'game')
      return game !== undefined && isPublished(game) ? this.#bookOf([game, ...this.#partsOf(game)]) : undefined;
    return this.#bookOf(
      [...games.values()].filter(
        (candidate) =>
          isPublished(candidate) &&
          (candidate.header.league === read.league || plainName(candidate.header.league) === plainName(read.league)),
      ),
    );
  }

  #partsOf({ header }: VenueGame): readonly VenueGame[] {
    return [...this.#exchange.world.venue.games.values()].filter(
      (game) => game.header.parentGameId === header.id && game.header.id !== header.id && !game.header.ended,
    );
  }

  #bookOf(games: readonly VenueGame[]): LeagueBook {
    return { games: games.map((game) => this.#messageOf(game)), unreadable: 0, hasNextPage: false };
  }

  /** The message of a game; the same object as long as nothing has changed. */
  #messageOf(game: VenueGame): GameMessage {
    const { changes } = game;
    const known = this.#messages.get(game);
    if (known?.changes === changes) return known.message;
    const message = messageOf(game);
    this.#messages.set(game, { changes, message });
    return message;
  }

  #rise(): void {
    this.#isUp = true;
    this.#epoch += 1;
    this.#deliver({ type: 'feed', feed: 'prices', status: 'up', epoch: this.#epoch });
  }

  #fall(): void {
    this.#isUp = false;
    const reason = 'the recording lost its connection';
    this.#deliver({ type: 'feed', feed: 'prices', status: 'down', epoch: this.#epoch, reason });
  }

  /**
   * Sends the bot a side as the venue has it. `side`: the venue's side; undefined while the game is not
   * known.
   */
  #deliverSide({ frame, facing }: SideEvent, side: SideBook | undefined): void {
    // the side of these offers is not known yet; the bot reads the book once the game is known
    if (facing === true && side === undefined) return;
    const offers = side === undefined ? withoutOwn(frame.offers) : shownOf(side);
    const named = facing === true ? { participantId: undefined, side: side?.side } : {};
    const isUnchanged = facing !== true && offers === frame.offers;
    this.#deliver({
      type: 'side',
      epoch: this.#epoch,
      frame: isUnchanged ? frame : { ...frame, ...named, offers },
    });
  }

  #deliver(input: Input): void {
    this.#busyUntilMs = Math.max(this.#busyUntilMs, this.#exchange.nowMs + this.#latency());
    this.#onTheWay.push(input);
    this.#lane(this.#busyUntilMs, this.#arrive);
  }
}

const EVERY_LADDER: GameMessage['covers'] = MARKET_TYPES.flatMap((type) =>
  sidesOf(type).map((side) => ({ type, side })),
);

const withoutOwn = (offers: Ladder): Ladder =>
  offers.some(({ own }) => own) ? offers.filter(({ own }) => !own) : offers;

/**
 * The recorded offers with what is left of them. It is the recorded ladder itself when nothing of it is gone.
 */
export function shownOf({ ghosts, offers, isAsShown }: SideBook): Ladder {
  if (isAsShown) return offers;
  if (!ghosts.some((ghost) => ghostAvailable(ghost) < ghost.untaken)) return withoutOwn(offers);
  const shown: Offer[] = [];
  for (const ghost of ghosts) {
    const left = ghostAvailable(ghost);
    if (left >= ghost.untaken) shown.push(ghost.offer);
    else if (left > 0) shown.push(Object.freeze({ ...ghost.offer, untaken: left }));
  }
  return shown;
}

const messageOf = ({ header, details, books }: VenueGame): GameMessage => ({
  gameId: header.id,
  parentGameId: header.parentGameId,
  league: header.league,
  sport: header.sport,
  eventName: header.eventName,
  start: header.start,
  live: header.live,
  ended: header.ended,
  futures: header.futures,
  periodName: details.periodName,
  part: details.kind === 'child' || details.kind === 'prop' ? details.kind : undefined,
  participants: (['away', 'home'] as const).map((homeAway) => {
    const { id, name, shortName } = header[homeAway];
    return { id, homeAway, longName: name, shortName };
  }),
  mainHomeSpread: header.mainHomeSpread,
  mainTotal: header.mainTotal,
  messageType: undefined,
  ladders: [...books.values()]
    .flatMap(({ market, sides }) =>
      sides.map((side) => ({
        type: market.type,
        side: side.side,
        line: lineFor(market, side.side),
        offers: shownOf(side),
      })),
    )
    .sort(byPlace),
  covers: [],
});

/** The game message for the bot. A recorder's read that changed nothing gives the header only. */
function shownGame({ game, since }: GameEvent): GameMessage {
  if (since !== undefined) return { ...game, ladders: [], covers: [] };
  if (game.ladders.length === 0) return game;
  return {
    ...game,
    ladders: game.ladders.map((ladder) => ({ ...ladder, offers: withoutOwn(ladder.offers) })),
  };
}
