// Games and their books. A market has two sides; each side holds the accounts' offers and, beside them, the offers of a
// recorded book ("ghosts"). Both lists stay sorted by rank: smaller rung first, then older; at equal age a ghost is first.
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

/** Where no rule is set for its league or sport, a part of a game that ends level returns the stakes. */
export function sportAt(sports: Sports, header: Game, { kind }: GameDetails): KnownSport {
  const known = sports.of({ ...header, parentGameId: kind === 'game' ? undefined : header.id });
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

export function bookOf(game: VenueGame, type: MarketType, line: number | undefined): MarketBook {
  const book = bookFor(game, type, line);
  book.pinned = true;
  game.books.set(book.market.id, book);
  return book;
}

/** A market of a game, known or not: an order that is refused opens none, the first that rests does (`keepBook`). */
export function bookFor(game: VenueGame, type: MarketType, line: number | undefined): MarketBook {
  const known = game.books.get(marketId(game.header.id, type, line));
  if (known !== undefined) return known;
  const of = market(game.header.id, type, line);
  const sides: SideBook[] = [];
  const book: MarketBook = {
    market: of,
    game,
    sides: sides as unknown as readonly [SideBook, SideBook],
    pinned: false,
  };
  for (const side of of.sides)
    sides.push({
      book,
      side,
      orders: [],
      ghosts: [],
      rows: [],
      offers: NO_OFFERS,
      isAsTold: true,
      ghostById: new Map(),
      toldMs: 0,
      toldFrame: 0,
      newest: { ts: Number.NEGATIVE_INFINITY, best: undefined, before: undefined },
      told: false,
    });
  return book;
}

/** Home and away of its game changed places: whatever stands here stays on its team. */
export function swapBook(book: MarketBook): void {
  const [first, second] = book.sides;
  book.market = swappedMarket(book.market);
  book.sides = [second, first];
  for (const side of book.sides) {
    side.side = swappedSide(side.side);
    for (const ghost of side.ghosts) ghost.row = undefined;
  }
}

/** A result decided this market. */
export const isGraded = ({ game, market }: MarketBook): boolean =>
  game.graded !== undefined && endOf(market, game.graded, game.rule) !== undefined;

export const keepBook = (book: MarketBook): void => {
  book.game.books.set(book.market.id, book);
};

/** Puts a market away in which nothing rests, so that lines nobody wants do not fill the game. */
export function dropBook(book: MarketBook): void {
  if (book.pinned || book.sides.some(({ orders, ghosts }) => orders.length + ghosts.length > 0)) return;
  book.game.books.delete(book.market.id);
}

export const sideOf = (book: MarketBook, side: Side): SideBook => book.sides[sideIndex(side)];
export const oppositeOf = (book: MarketBook, side: Side): SideBook =>
  sideIndex(side) === 0 ? book.sides[1] : book.sides[0];

/** Neither taken by anybody, whatever an older frame shows, nor matched by accounts. */
export const ghostAvailable = ({ risk, untaken, mostTaken, used }: Ghost): Micros =>
  Math.max(0, Math.min(untaken, risk - mostTaken) - used) as Micros;
export const availableOf = (offer: Resting): Micros =>
  offer.kind === 'order' ? offer.remaining : ghostAvailable(offer);

/** Negative when `a` is served before `b`. */
export function compareRank(a: Resting, b: Resting): number {
  if (a.rung !== b.rung) return a.rung - b.rung;
  if (a.createdAtMs !== b.createdAtMs) return a.createdAtMs - b.createdAtMs;
  if (a.kind !== b.kind) return a.kind === 'ghost' ? -1 : 1;
  return a.seq - b.seq;
}

/** The first order whose number comes after: a larger rung, or as large and a higher number. */
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

/** Numbers are given in the order of age, so they rank orders of one rung. */
export const insertOrder = (side: SideBook, order: VenueOrder): void => {
  const { orders } = side;
  const at = placeAfter(orders, order.rung, order.seq);
  if (at === orders.length) orders.push(order);
  else orders.splice(at, 0, order);
};

export function removeOrder(side: SideBook, order: VenueOrder): void {
  const { orders } = side;
  // what is taken is first
  if (orders[0] === order) {
    orders.shift();
    return;
  }
  const at = placeAfter(orders, order.rung, order.seq) - 1;
  if (orders[at] === order) orders.splice(at, 1);
}

/** Visits what can be taken, by rank, until `visit` returns false. `visit` must not change the side. */
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

export function bestOf(side: SideBook): Resting | undefined {
  const order = side.orders[0];
  const ghost = side.ghosts.length === 0 ? undefined : side.ghosts.find((one) => ghostAvailable(one) > 0);
  if (ghost === undefined) return order;
  return order === undefined || compareRank(ghost, order) < 0 ? ghost : order;
}

/** One offer of this side by its id, while something of it can be taken. */
export function offerOf(side: SideBook, id: OrderId): Resting | undefined {
  const ghost = side.ghostById.get(id);
  if (ghost !== undefined) return ghostAvailable(ghost) > 0 ? ghost : undefined;
  return side.orders.find((order) => order.id === id);
}

/** The best offer that an order at this price would match, if any. */
export function crossingOf(side: SideBook, rung: Rung): Resting | undefined {
  const best = bestOf(side);
  return best !== undefined && crosses(rung, best.rung) ? best : undefined;
}

/** What rests in a game and can be taken, in its owners' stakes. */
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

/** Rows of orders that tell the start of their game are to be written anew. */
export function forgetRows(game: VenueGame): void {
  for (const { sides } of game.books.values())
    for (const { orders } of sides) for (const order of orders) if (order.gameStartExpiry) order.row = undefined;
}

export const isPublished = (game: VenueGame): boolean => game.header.open && !game.header.ended;
