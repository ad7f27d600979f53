// The books of all markets of tapes: both ladders of each market, with sides resolved by the games' headers.
// For analyses that do not play the tape.
import type { GameId, GameMessage, Ladder, Market, MarketId, Side, SideFrame } from '../domain/index.ts';
import { isOnTeams, market as marketOf, marketLine, NO_OFFERS, oppositeSide, sideIndex } from '../domain/index.ts';
import type { GameEvent, MarketEvent, SideEvent } from './tape-decoder.ts';

export type BookGame = {
  readonly id: GameId;
  league: string | undefined;
  sport: string | undefined;
  eventName: string | undefined;
  home: string | undefined;
  away: string | undefined;
  isLive: boolean;
  isOpen: boolean;
};
export type MarketBooks = {
  readonly market: Market;
  readonly game: BookGame;
  readonly ladders: [first: Ladder, second: Ladder];
};
/** A changed book. `side`: the side that changed; undefined when the game changed and its ladders did not. */
export type BookChange = { readonly books: MarketBooks; readonly side: Side | undefined };

export class BookFollower {
  readonly #games = new Map<GameId, BookGame>();
  readonly #books = new Map<MarketId, MarketBooks>();
  readonly #byGame = new Map<GameId, MarketBooks[]>();

  /** Applies an event. Returns the books it changes, in a fixed order. */
  applyEvent(event: MarketEvent): readonly BookChange[] {
    if (event.what === 'side') return this.#applySide(event);
    return event.what === 'game' ? this.#applyGame(event) : [];
  }

  #applySide({ frame, facing }: SideEvent): readonly BookChange[] {
    const game = this.#games.get(frame.gameId);
    const named = game === undefined ? undefined : sideNamed(game, frame);
    if (game === undefined || named === undefined) return [];
    if (frame.live !== undefined) game.isLive = frame.live;
    const side = facing === true ? oppositeSide(named) : named;
    return [this.#replace(game, frame.type, side, frame.line, frame.offers)];
  }

  #applyGame({ game: message }: GameEvent): readonly BookChange[] {
    let game = this.#games.get(message.gameId);
    if (game === undefined) {
      game = {
        id: message.gameId,
        league: undefined,
        sport: undefined,
        eventName: undefined,
        home: undefined,
        away: undefined,
        isLive: false,
        isOpen: true,
      };
      this.#games.set(message.gameId, game);
    }
    const { isOpen: wasOpen, home, away } = game;
    noteHeader(game, message);
    const news: BookChange[] = [];
    // the teams were mixed up: earlier ladders of their markets were of other sides
    if (home !== undefined && (game.home !== home || game.away !== away)) news.push(...this.#forgetTeams(game));
    for (const { type, side, line, offers } of message.ladders)
      news.push(this.#replace(game, type, side, line, offers));
    const shown = new Set(news.map(({ books, side }) => `${books.market.id} ${side}`));
    const gameBooks = this.#byGame.get(game.id) ?? [];
    for (const books of gameBooks)
      for (const { type, side } of message.covers) {
        const isCovered = books.market.type === type && !shown.has(`${books.market.id} ${side}`);
        if (!isCovered || books.ladders[sideIndex(side)].length === 0) continue;
        books.ladders[sideIndex(side)] = NO_OFFERS;
        news.push({ books, side });
      }
    if (wasOpen !== game.isOpen) news.push(...gameBooks.map((books) => ({ books, side: undefined })));
    return news;
  }

  #forgetTeams({ id }: BookGame): readonly BookChange[] {
    const books = (this.#byGame.get(id) ?? []).filter(({ market }) => isOnTeams(market.type));
    return books.flatMap((marketBooks) => {
      marketBooks.ladders.fill(NO_OFFERS);
      return marketBooks.market.sides.map((side) => ({ books: marketBooks, side }));
    });
  }

  #replace(game: BookGame, type: SideFrame['type'], side: Side, line: number | undefined, offers: Ladder): BookChange {
    const market = marketOf(game.id, type, marketLine(type, side, line));
    let books = this.#books.get(market.id);
    if (books === undefined) {
      books = { market, game, ladders: [NO_OFFERS, NO_OFFERS] };
      this.#books.set(market.id, books);
      const gameBooks = this.#byGame.get(game.id);
      if (gameBooks === undefined) this.#byGame.set(game.id, [books]);
      else gameBooks.push(books);
    }
    books.ladders[sideIndex(side)] = offers;
    return { books, side };
  }
}

function noteHeader(game: BookGame, message: GameMessage): void {
  const { league, sport, eventName, live, ended, messageType, participants = [] } = message;
  if (league !== undefined) game.league = league;
  if (sport !== undefined) game.sport = sport;
  if (eventName !== undefined) game.eventName = eventName;
  if (live !== undefined) game.isLive = live;
  game.isOpen = messageType === 'marketOpen' || (messageType !== 'marketClosed' && game.isOpen && ended !== true);
  for (const [index, { id, homeAway }] of participants.entries()) {
    // the wire's order is away, home, unless `homeAway` says otherwise
    if ((homeAway ?? (index === 1 ? 'home' : 'away')) === 'home') game.home = id;
    else game.away = id;
  }
}

function sideNamed({ home, away }: BookGame, { side, participantId }: SideFrame): Side | undefined {
  if (side !== undefined) return side;
  return participantId === home ? 'home' : participantId === away ? 'away' : undefined;
}
