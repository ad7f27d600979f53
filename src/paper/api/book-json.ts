// The public book as JSON text: rows, sides, games. Rows and headers are cached as text until they change, so
// a frame of twenty rows with one change formats one row. An owner's own rows get `createdBy` added to the
// shared text.
import type { BookPerspective, MarketType, Micros, Participant, Side } from '../../domain/index.ts';
import { dollarsOfMicros, lineFor, oddsOf, oppositeRung, oppositeSide, winOf } from '../../domain/index.ts';
import type { WireProfile } from '../../wire/index.ts';
import { bookPerspectiveOf } from '../../wire/index.ts';
import type {
  VenueAccount,
  GameMessageType,
  MarketBook,
  Resting,
  SideBook,
  VenueGame,
  VenueOrder,
} from '../../venue/index.ts';
import { isoOf } from './order-json.ts';
import { availableOf, isPublished, openInterestOf, walk, expiryOf } from '../../venue/index.ts';

export class BookJson {
  readonly #perspective: BookPerspective;
  /** Whether books have the shape of captured real answers (wire profile, `bookShape`). */
  readonly #isCaptured: boolean;

  constructor(profile: WireProfile) {
    this.#perspective = bookPerspectiveOf(profile);
    this.#isCaptured = profile.bookShape === 'captured';
  }

  /**
   * The payload of `orderUpdate`: the fields of the side, then its rows.
   * @param spent fully taken offers that are shown once more
   */
  orderUpdate(side: SideBook, viewer: VenueAccount | undefined, spent: readonly VenueOrder[] = []): string {
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
    return `${JSON.stringify({ ...head, ...place }).slice(0, -1)},"sideOrders":${this.rows(side, viewer, spent)}}`;
  }

  /** The rows of one side, best for the taker first. Empty while the market is closed. */
  rows(side: SideBook, viewer: VenueAccount | undefined, spent: readonly VenueOrder[] = []): string {
    if (!isPublished(side.book.game)) return '[]';
    let text = '';
    const add = (offer: Resting): boolean => {
      const row = (offer.row ??= this.#row(offer, side));
      text +=
        (text === '' ? '' : ',') +
        (offer.kind === 'order' && offer.account === viewer
          ? `${row.slice(0, -1)},"createdBy":${JSON.stringify(viewer.id)}}`
          : row);
      return true;
    };
    for (const order of spent) add(order);
    walk(side, add);
    return `[${text}]`;
  }

  /** A game with its whole book: an entry of the REST book, or the payload of `gameUpdate`. */
  game(game: VenueGame, viewer: VenueAccount | undefined, messageType?: GameMessageType): string {
    const text = this.#entry(game, viewer, false);
    return messageType === undefined ? text : `${text.slice(0, -1)},"messageType":"${messageType}"}`;
  }

  /**
   * A game with its book in the form of `v2`: every ladder is a flat array of rows with lines. Volume and
   * interest are added.
   */
  flatGame(game: VenueGame, viewer: VenueAccount): string {
    return withCounts(this.#entry(game, viewer, true), game);
  }

  #entry(game: VenueGame, viewer: VenueAccount | undefined, isFlat: boolean): string {
    const ladders = new Map<string, string[]>(LADDER_FIELDS.map((field) => [field, []]));
    for (const book of game.books.values()) {
      for (const side of book.sides) {
        const rows = this.rows(side, viewer);
        if (rows === '[]') continue;
        const isKeyed = book.market.type !== 'moneyline' && !isFlat;
        ladders
          .get(this.#field(book, side.side))
          ?.push(isKeyed ? `${JSON.stringify(String(this.#shownLine(side)))}:${rows}` : rows.slice(1, -1));
      }
    }
    let text = this.header(game).slice(0, -1);
    for (const [field, parts] of ladders) {
      const inside = parts.join(',');
      text += `,"${field}":${isFlat || field.endsWith('Moneylines') ? `[${inside}]` : `{${inside}}`}`;
    }
    return `${text}}`;
  }

  #oddsOf = (offer: Resting): number =>
    this.#perspective.odds === 'taker' ? oddsOf(oppositeRung(offer.rung)) : offer.odds;

  #untakenOf(offer: Resting): Micros {
    const available = availableOf(offer);
    return this.#perspective.odds === 'taker' ? winOf(available, offer.odds) : available;
  }

  header(game: VenueGame): string {
    return (game.headerJson ??= headerJson(game, this.#isCaptured));
  }

  /** A header with the game's volume and open interest, for lists of headers. */
  countedHeader(game: VenueGame): string {
    return withCounts(this.header(game), game);
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
      // by the spec, seeded offers did not originate on the service; recorded ones did
      takenRatio:
        offer.kind === 'order' && offer.account.internal && !this.#isCaptured ? null : takenRatio(offered, left),
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
    return lineFor(side.book.market, this.#perspective.line === 'taker' ? oppositeSide(side.side) : side.side) ?? null;
  }

  #field(book: MarketBook, side: Side): string {
    const shown = this.#shownSide(side);
    return book.market.type === 'total' ? shown : `${shown}${FIELD_END[book.market.type]}`;
  }
}

const LADDER_FIELDS = ['awayMoneylines', 'homeMoneylines', 'awaySpreads', 'homeSpreads', 'over', 'under'] as const;
const FIELD_END: Readonly<Record<MarketType, string>> = {
  moneyline: 'Moneylines',
  spread: 'Spreads',
  total: '',
};

/** Adds matched volume and open interest to the JSON of a game or its header. */
export const withCounts = (entry: string, game: VenueGame): string =>
  `${entry.slice(0, -1)},"matchedVolume":${dollarsOfMicros(game.matched)},"openInterest":${dollarsOfMicros(openInterestOf(game))}}`;

export const takenRatio = (offered: number, left: number): number =>
  offered <= 0 ? 0 : Math.round((1 - left / offered) * 1e6) / 1e6;

export const participantOf = (game: VenueGame, side: Side): string | null =>
  side === 'home' ? game.header.home.id : side === 'away' ? game.header.away.id : null;

const mainSpreads = (
  game: VenueGame,
): { readonly mainHomeSpread: number | null; readonly mainAwaySpread: number | null } => {
  const home = game.header.mainHomeSpread;
  return { mainHomeSpread: home ?? null, mainAwaySpread: home === undefined ? null : 0 - home };
};

export const participantsOf = (game: VenueGame) => [
  participantJson(game.header.away, 'away', game.awayRotationNumber),
  participantJson(game.header.home, 'home', game.homeRotationNumber),
];

const participantJson = ({ id, name, shortName }: Participant, homeAway: 'away' | 'home', rotation: number) => ({
  id,
  longName: name,
  shortName,
  homeAway,
  rotationNumber: String(rotation),
  futuresSide: '',
});

const DAY_MS = 24 * 3_600_000;

/** The header as JSON. `isCaptured`: the main lines are text, as in captured real answers. */
function headerJson(game: VenueGame, isCaptured: boolean): string {
  const { header, details } = game;
  const { mainHomeSpread, mainAwaySpread } = mainSpreads(game);
  const mainTotal = header.mainTotal ?? null;
  const shown = (line: number | null): number | string | null => (isCaptured && line !== null ? String(line) : line);
  return JSON.stringify({
    id: header.id,
    parentGameID: header.parentGameId ?? null,
    league: header.league,
    sport: header.sport,
    start: isoOf(Math.round(header.start)),
    dateGame: isoOf(Math.floor(header.start / DAY_MS) * DAY_MS),
    ended: header.ended,
    live: header.live,
    eventName: header.eventName,
    periodName: details.periodName ?? 'Full Time',
    ...(details.marketName === undefined ? {} : { market: details.marketName }),
    isFutures: header.futures,
    isSpecials: details.kind === 'prop',
    isYesNo: false,
    userCreated: false,
    featured: false,
    isMarketOpen: isPublished(game),
    source: 'paper',
    cheapDataUID: `paper-${header.id}`,
    participants: participantsOf(game),
    mainHomeSpread: shown(mainHomeSpread),
    mainAwaySpread,
    mainTotal: shown(mainTotal),
  });
}
