// The public book as JSON text: rows, sides, games. Rows and headers are kept as text until they change, so that a frame of
// twenty rows of which one changed costs one row; an owner's own rows get their `createdBy` on top of the shared text.
import type { BookPerspective, MarketType, Micros, Side } from '../../domain/index.ts';
import { dollarsOfMicros, lineFor, oddsOf, oppositeRung, oppositeSide, winOf } from '../../domain/index.ts';
import type { WireProfile } from '../../wire/index.ts';
import { bookPerspectiveOf } from '../../wire/index.ts';
import type { Account } from '../venue/account.ts';
import { isoOf } from './order-json.ts';
import type { GameMessageType } from '../venue/events.ts';
import type { MarketBook, Resting, SideBook, VenueGame } from '../venue/market-book.ts';
import { availableOf, bestOf, isPublished, walk } from '../venue/market-book.ts';
import { expiryOf } from '../venue/order.ts';

export class BookJson {
  readonly #perspective: BookPerspective;

  constructor(profile: WireProfile) {
    this.#perspective = bookPerspectiveOf(profile);
  }

  /** `orderUpdate`: what names the side comes first, the rows last. */
  orderUpdate(side: SideBook, viewer: Account | undefined): string {
    const { header } = side.book.game;
    const shown = this.#shownSide(side.side);
    const line = this.#shownLine(side);
    const { type } = side.book.market;
    const head = { gameID: header.id, sport: header.sport, league: header.league, live: header.live, type };
    const place =
      type === 'total'
        ? { OU: shown, total: line, participantID: null, mainTotal: header.mainTotal ?? null }
        : type === 'spread'
          ? {
              spread: line,
              participantID: participantOf(side.book.game, shown),
              ...mainSpreads(side.book.game),
            }
          : { participantID: participantOf(side.book.game, shown) };
    return `${JSON.stringify({ ...head, ...place }).slice(0, -1)},"sideOrders":${this.rows(side, viewer)}}`;
  }

  /** The rows of one side, best for the taker first; nothing while the market is closed. */
  rows(side: SideBook, viewer: Account | undefined): string {
    if (!isPublished(side.book.game)) return '[]';
    let text = '';
    walk(side, (offer) => {
      const row = (offer.row ??= this.#row(offer, side));
      text +=
        (text === '' ? '' : ',') +
        (offer.kind === 'order' && offer.account === viewer
          ? `${row.slice(0, -1)},"createdBy":${JSON.stringify(viewer.id)}}`
          : row);
      return true;
    });
    return `[${text}]`;
  }

  /** A game with its whole book: an entry of the REST book, or the payload of `gameUpdate`. */
  game(game: VenueGame, viewer: Account | undefined, messageType?: GameMessageType): string {
    const ladders = new Map<string, string[]>(LADDER_FIELDS.map((field) => [field, []]));
    for (const book of game.books.values()) {
      for (const side of book.sides) {
        const rows = this.rows(side, viewer);
        if (rows === '[]') continue;
        const keyed =
          book.market.type === 'moneyline'
            ? rows
            : `${JSON.stringify(String(this.#shownLine(side)))}:${rows}`;
        ladders.get(this.#field(book, side.side))?.push(keyed);
      }
    }
    let text = (game.headerJson ??= headerJson(game)).slice(0, -1);
    for (const [field, parts] of ladders) {
      text += `,"${field}":${field.endsWith('Moneylines') ? (parts[0] ?? '[]') : `{${parts.join(',')}}`}`;
    }
    return messageType === undefined ? `${text}}` : `${text},"messageType":"${messageType}"}`;
  }

  /** One entry a side that has offers: the best of them, and what can be taken in all. */
  summary(games: readonly VenueGame[]): string {
    const entries: unknown[] = [];
    for (const game of games) {
      if (!isPublished(game)) continue;
      for (const book of game.books.values()) {
        for (const side of book.sides) {
          let orders = 0;
          let untaken = 0;
          walk(side, (offer) => {
            orders++;
            untaken += this.#untakenOf(offer);
            return true;
          });
          const best = bestOf(side);
          if (best === undefined) continue;
          entries.push({
            ...this.#placeOf(side),
            bestOdds: this.#oddsOf(best),
            sumUntaken: dollarsOfMicros(untaken as Micros),
            orders,
          });
        }
      }
    }
    return JSON.stringify(entries);
  }

  #placeOf(side: SideBook) {
    const { market, game } = side.book;
    const shown = this.#shownSide(side.side);
    const line = this.#shownLine(side);
    return {
      gameID: market.gameId,
      type: market.type,
      participantID: market.type === 'total' ? null : participantOf(game, shown),
      ...(market.type === 'total' ? { OU: shown, total: line } : {}),
      ...(market.type === 'spread' ? { spread: line } : {}),
    };
  }

  #oddsOf = (offer: Resting): number =>
    this.#perspective.odds === 'taker' ? oddsOf(oppositeRung(offer.rung)) : offer.odds;

  #untakenOf(offer: Resting): Micros {
    const left = availableOf(offer);
    return this.#perspective.odds === 'taker' ? winOf(left, offer.odds) : left;
  }

  header(game: VenueGame): string {
    return (game.headerJson ??= headerJson(game));
  }

  #row(offer: Resting, side: SideBook): string {
    const { market, game } = side.book;
    const left = availableOf(offer);
    const offered = offer.kind === 'order' ? offer.offered : offer.risk;
    const shown = this.#shownSide(side.side);
    const total = market.type === 'total';
    const expiryMs = offer.kind === 'order' ? expiryOf(offer) : offer.expiryMs;
    return JSON.stringify({
      id: offer.id,
      type: market.type,
      risk: dollarsOfMicros(offered),
      sumUntaken: dollarsOfMicros(this.#untakenOf(offer)),
      odds: this.#oddsOf(offer),
      // seeded offers did not originate on the service; recorded ones did
      takenRatio: offer.kind === 'order' && offer.account.internal ? null : takenRatio(offered, left),
      gameID: game.header.id,
      participantID: total ? null : participantOf(game, shown),
      total: total ? (market.line ?? null) : null,
      spread: market.type === 'spread' ? this.#shownLine(side) : null,
      OU: total ? shown : null,
      expiry: expiryMs === undefined ? null : isoOf(expiryMs),
      createdAt: isoOf(offer.createdAtMs),
      gameStartExpiry: offer.kind === 'order' ? offer.gameStartExpiry : false,
    });
  }

  #shownSide(side: Side): Side {
    return this.#perspective.side === 'taker' ? oppositeSide(side) : side;
  }

  #shownLine(side: SideBook): number | null {
    return (
      lineFor(side.book.market, this.#perspective.line === 'taker' ? oppositeSide(side.side) : side.side) ??
      null
    );
  }

  #field(book: MarketBook, side: Side): string {
    const shown = this.#shownSide(side);
    return book.market.type === 'total' ? shown : `${shown}${FIELD_END[book.market.type]}`;
  }
}

const LADDER_FIELDS = [
  'awayMoneylines',
  'homeMoneylines',
  'awaySpreads',
  'homeSpreads',
  'over',
  'under',
] as const;
const FIELD_END: Readonly<Record<MarketType, string>> = {
  moneyline: 'Moneylines',
  spread: 'Spreads',
  total: '',
};

const takenRatio = (offered: number, left: number): number =>
  offered <= 0 ? 0 : Math.round((1 - left / offered) * 1e6) / 1e6;

const participantOf = (game: VenueGame, side: Side): string | null =>
  side === 'home' ? game.header.home.id : side === 'away' ? game.header.away.id : null;

const mainSpreads = (
  game: VenueGame,
): { readonly mainHomeSpread: number | null; readonly mainAwaySpread: number | null } => {
  const home = game.header.mainHomeSpread;
  return { mainHomeSpread: home ?? null, mainAwaySpread: home === undefined ? null : 0 - home };
};

export const participantsOf = (game: VenueGame) => [
  {
    id: game.header.away.id,
    longName: game.header.away.name,
    shortName: game.header.away.shortName,
    homeAway: 'away',
    rotationNumber: String(game.awayRotationNumber),
  },
  {
    id: game.header.home.id,
    longName: game.header.home.name,
    shortName: game.header.home.shortName,
    homeAway: 'home',
    rotationNumber: String(game.homeRotationNumber),
  },
];

function headerJson(game: VenueGame): string {
  const { header, details } = game;
  return JSON.stringify({
    id: header.id,
    parentGameID: header.parentGameId ?? null,
    league: header.league,
    sport: header.sport,
    start: isoOf(Math.round(header.start)),
    ended: header.ended,
    live: header.live,
    eventName: header.eventName,
    ...(details.periodName === undefined ? {} : { periodName: details.periodName }),
    ...(details.marketName === undefined ? {} : { market: details.marketName }),
    isFutures: header.futures,
    participants: participantsOf(game),
    ...mainSpreads(game),
    mainTotal: header.mainTotal ?? null,
  });
}
