// The books of all markets as tapes tell them: both ladders of each, whose sides are named by their games. For whoever looks at a
// tape without playing it.
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
/** `side`: that changed; undefined: the game did, and not its ladders. */
export type BookNews = { readonly books: MarketBooks; readonly side: Side | undefined };

export class BookFollower {
  readonly #games = new Map<GameId, BookGame>();
  readonly #books = new Map<MarketId, MarketBooks>();
  readonly #byGame = new Map<GameId, MarketBooks[]>();

  /** What an event changes, in a fixed order. */
  apply(event: MarketEvent): readonly BookNews[] {
    if (event.what === 'side') return this.#applySide(event);
    return event.what === 'game' ? this.#applyGame(event) : [];
  }

  #applySide({ frame, facing }: SideEvent): readonly BookNews[] {
    const game = this.#games.get(frame.gameId);
    const named = game === undefined ? undefined : sideNamed(game, frame);
    if (game === undefined || named === undefined) return [];
    if (frame.live !== undefined) game.isLive = frame.live;
    const side = facing === true ? oppositeSide(named) : named;
    return [this.#replace(game, frame.type, side, frame.line, frame.offers)];
  }

  #applyGame({ game: told }: GameEvent): readonly BookNews[] {
    let game = this.#games.get(told.gameId);
    if (game === undefined) {
      game = {
        id: told.gameId,
        league: undefined,
        sport: undefined,
        eventName: undefined,
        home: undefined,
        away: undefined,
        isLive: false,
        isOpen: true,
      };
      this.#games.set(told.gameId, game);
    }
    const { isOpen: wasOpen, home, away } = game;
    noteHeader(game, told);
    const news: BookNews[] = [];
    // what was shown of the teams' markets was shown of other sides
    if (home !== undefined && (game.home !== home || game.away !== away)) news.push(...this.#forgetTeams(game));
    for (const { type, side, line, offers } of told.ladders) news.push(this.#replace(game, type, side, line, offers));
    const shown = new Set(news.map(({ books, side }) => `${books.market.id} ${side}`));
    const mine = this.#byGame.get(game.id) ?? [];
    for (const books of mine)
      for (const { type, side } of told.covers) {
        const isCovered = books.market.type === type && !shown.has(`${books.market.id} ${side}`);
        if (!isCovered || books.ladders[sideIndex(side)].length === 0) continue;
        books.ladders[sideIndex(side)] = NO_OFFERS;
        news.push({ books, side });
      }
    if (wasOpen !== game.isOpen) news.push(...mine.map((books) => ({ books, side: undefined })));
    return news;
  }

  #forgetTeams({ id }: BookGame): readonly BookNews[] {
    const books = (this.#byGame.get(id) ?? []).filter(({ market }) => isOnTeams(market.type));
    return books.flatMap((one) => {
      one.ladders.fill(NO_OFFERS);
      return one.market.sides.map((side) => ({ books: one, side }));
    });
  }

  #replace(game: BookGame, type: SideFrame['type'], side: Side, line: number | undefined, offers: Ladder): BookNews {
    const market = marketOf(game.id, type, marketLine(type, side, line));
    let books = this.#books.get(market.id);
    if (books === undefined) {
      books = { market, game, ladders: [NO_OFFERS, NO_OFFERS] };
      this.#books.set(market.id, books);
      const mine = this.#byGame.get(game.id);
      if (mine === undefined) this.#byGame.set(game.id, [books]);
      else mine.push(books);
    }
    books.ladders[sideIndex(side)] = offers;
    return { books, side };
  }
}

function noteHeader(game: BookGame, told: GameMessage): void {
  const { league, sport, eventName, live, ended, messageType, participants = [] } = told;
  if (league !== undefined) game.league = league;
  if (sport !== undefined) game.sport = sport;
  if (eventName !== undefined) game.eventName = eventName;
  if (live !== undefined) game.isLive = live;
  game.isOpen = messageType === 'marketOpen' || (messageType !== 'marketClosed' && game.isOpen && ended !== true);
  for (const [index, { id, homeAway }] of participants.entries()) {
    // the wire's order is away, home; `homeAway` decides where it is told
    if ((homeAway ?? (index === 1 ? 'home' : 'away')) === 'home') game.home = id;
    else game.away = id;
  }
}

function sideNamed({ home, away }: BookGame, { side, participantId }: SideFrame): Side | undefined {
  if (side !== undefined) return side;
  return participantId === home ? 'home' : participantId === away ? 'away' : undefined;
}
