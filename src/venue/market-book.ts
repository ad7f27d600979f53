// Games and their books. A market has two sides; each side holds the offers of accounts and the offers of a
// recorded book ("ghosts"). Both lists stay sorted by rank: smaller rung first, then older; at equal age a
// ghost is first.
import type { Ghost, Resting, SideBook, MarketBook, GameDetails, VenueGame, VenueOrder } from './records.ts';
import type { Game, KnownSport, MarketType, Micros, OrderId, Rung, Side, Sports } from '../domain/index.ts';
import {
  crosses,
  elementAt,
  endOf,
  market,
  marketId,
  NO_OFFERS,
  sideIndex,
  swappedMarket,
  swappedSide,
  ZERO,
} from '../domain/index.ts';

/**
 * The sport and rule of a game. Without a rule for its league or sport, a part of a game that ends level
 * returns the stakes.
 */
export function sportAt(sports: Sports, header: Game, { kind }: GameDetails): KnownSport {
  const known = sports.sportOf({ ...header, parentGameId: kind === 'game' ? undefined : header.id });
  return kind !== 'game' && known.origin === 'unknown'
    ? { ...known, rule: { ...known.rule, draw: 'push' }, origin: 'built in' }
    : known;
}

export const createGame = (header: Game, details: GameDetails, sport: KnownSport, rotation: number): VenueGame => ({
  header,
  details,
  sport,
  rule: sport.rule,
  awayRotationNumber: rotation,
  homeRotationNumber: rotation + 1,
  books: new Map(),
  matched: ZERO,
  started: false,
  graded: undefined,
  gradedAtMs: undefined,
  headerJson: undefined,
  changes: 0,
});

/** The book of a market, kept for good: it is created when missing, and never dropped. */
export function bookOf(game: VenueGame, type: MarketType, line: number | undefined): MarketBook {
  const book = bookFor(game, type, line);
  book.pinned = true;
  game.books.set(book.market.id, book);
  return book;
}

/**
 * The book of a market. A new book is not added to the game: the first order that rests does that
 * (`keepBook`).
 */
export function bookFor(game: VenueGame, type: MarketType, line: number | undefined): MarketBook {
  const known = game.books.get(marketId(game.header.id, type, line));
  if (known !== undefined) return known;
  const created = market(game.header.id, type, line);
  const sides: SideBook[] = [];
  const book: MarketBook = {
    market: created,
    game,
    sides: sides as unknown as readonly [SideBook, SideBook],
    pinned: false,
  };
  for (const side of created.sides)
    sides.push({
      book,
      side,
      orders: [],
      ghosts: [],
      rows: [],
      offers: NO_OFFERS,
      isAsShown: true,
      ghostById: new Map(),
      shownMs: 0,
      shownFrame: 0,
      newest: { ts: Number.NEGATIVE_INFINITY, best: undefined, before: undefined },
      isReported: false,
    });
  return book;
}

/**
 * Swaps the sides of a book after home and away of its game have changed places. Every offer stays with its
 * team.
 */
export function swapBook(book: MarketBook): void {
  const [first, second] = book.sides;
  book.market = swappedMarket(book.market);
  book.sides = [second, first];
  for (const side of book.sides) {
    side.side = swappedSide(side.side);
    for (const ghost of side.ghosts) ghost.row = undefined;
  }
}

/** Whether a result has decided this market. */
export const isGraded = ({ game, market }: MarketBook): boolean =>
  game.graded !== undefined && endOf(market, game.graded, game.rule) !== undefined;

/** Adds a book to its game. */
export const keepBook = (book: MarketBook): void => {
  book.game.books.set(book.market.id, book);
};

/** Removes an empty book from its game, so that unused lines do not pile up. Pinned books stay. */
export function dropBook(book: MarketBook): void {
  if (book.pinned || book.sides.some(({ orders, ghosts }) => orders.length + ghosts.length > 0)) return;
  book.game.books.delete(book.market.id);
}

export const sideOf = (book: MarketBook, side: Side): SideBook => book.sides[sideIndex(side)];
export const oppositeOf = (book: MarketBook, side: Side): SideBook =>
  sideIndex(side) === 0 ? book.sides[1] : book.sides[0];

/**
 * The available amount of a recorded offer: neither taken in the recording, in any frame so far, nor matched
 * by accounts.
 */
export const ghostAvailable = ({ risk, untaken, mostTaken, used }: Ghost): Micros =>
  Math.max(0, Math.min(untaken, risk - mostTaken) - used) as Micros;
export const availableOf = (offer: Resting): Micros =>
  offer.kind === 'order' ? offer.remaining : ghostAvailable(offer);

/** Compares two offers by rank. Negative when `a` is matched before `b`. */
export function compareRank(a: Resting, b: Resting): number {
  if (a.rung !== b.rung) return a.rung - b.rung;
  if (a.createdAtMs !== b.createdAtMs) return a.createdAtMs - b.createdAtMs;
  if (a.kind !== b.kind) return a.kind === 'ghost' ? -1 : 1;
  return a.seq - b.seq;
}

/** Index of the first order that ranks after: a larger rung, or the same rung and a higher number. */
function placeAfter(orders: readonly VenueOrder[], rung: number, seq: number): number {
  let low = 0;
  let high = orders.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const other = elementAt(orders, middle);
    if (other.rung < rung || (other.rung === rung && other.seq <= seq)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Inserts an order by rank. Numbers are assigned in order of age, so they rank orders of one rung. */
export const insertOrder = (side: SideBook, order: VenueOrder): void => {
  const { orders } = side;
  const index = placeAfter(orders, order.rung, order.seq);
  if (index === orders.length) orders.push(order);
  else orders.splice(index, 0, order);
};

export function removeOrder(side: SideBook, order: VenueOrder): void {
  const { orders } = side;
  // an order that is filled is usually the first
  if (orders[0] === order) {
    orders.shift();
    return;
  }
  const index = placeAfter(orders, order.rung, order.seq) - 1;
  if (orders[index] === order) orders.splice(index, 1);
}

/** Visits the available offers by rank until `visit` returns false. `visit` must not change the side. */
export function walk(side: SideBook, visit: (offer: Resting) => boolean): void {
  const { orders, ghosts } = side;
  let o = 0;
  let g = 0;
  for (;;) {
    const order = orders[o];
    const ghost = ghosts[g];
    if (ghost !== undefined && (order === undefined || compareRank(ghost, order) < 0)) {
      g++;
      if (ghostAvailable(ghost) > 0 && !visit(ghost)) return;
    } else if (order !== undefined) {
      o++;
      if (!visit(order)) return;
    } else return;
  }
}

/** The first available offer by rank. */
export function bestOf(side: SideBook): Resting | undefined {
  const order = side.orders[0];
  const ghost = side.ghosts.length === 0 ? undefined : side.ghosts.find((candidate) => ghostAvailable(candidate) > 0);
  if (ghost === undefined) return order;
  return order === undefined || compareRank(ghost, order) < 0 ? ghost : order;
}

/** The offer of this side with this id. Undefined when nothing of it is available. */
export function offerOf(side: SideBook, id: OrderId): Resting | undefined {
  const ghost = side.ghostById.get(id);
  if (ghost !== undefined) return ghostAvailable(ghost) > 0 ? ghost : undefined;
  return side.orders.find((order) => order.id === id);
}

/** The best offer that an order at this price would match. Undefined when there is none. */
export function crossingOf(side: SideBook, rung: Rung): Resting | undefined {
  const best = bestOf(side);
  return best !== undefined && crosses(rung, best.rung) ? best : undefined;
}

/** The available amount of all offers in a game, in their owners' stakes. */
export function openInterestOf(game: VenueGame): Micros {
  let sum = 0;
  for (const book of game.books.values()) {
    for (const side of book.sides) {
      walk(side, (offer) => {
        sum += availableOf(offer);
        return true;
      });
    }
  }
  return sum as Micros;
}

/**
 * Drops the cached rows of orders that expire at the start of their game, because the rows show the start.
 */
export function forgetRows(game: VenueGame): void {
  for (const { sides } of game.books.values())
    for (const { orders } of sides) for (const order of orders) if (order.gameStartExpiry) order.row = undefined;
}

/** Whether the game is open and has not ended. */
export const isPublished = (game: VenueGame): boolean => game.header.open && !game.header.ended;
