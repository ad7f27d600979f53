// Swaps home and away of a game at the venue. Every order and recorded offer stays with its team.
import { isOnTeams, swappedSide } from '../domain/index.ts';
import type { EventQueue } from './events.ts';
import { swapBook } from './market-book.ts';
import type { MarketBook, VenueGame, VenueOrder } from './records.ts';

/** Swaps the sides of a game's books and of these orders. Returns the books that changed. */
export function swapSides(game: VenueGame, open: Iterable<VenueOrder>, events: EventQueue): ReadonlySet<MarketBook> {
  const orders = [...open].filter(({ book }) => isOnTeams(book.market.type));
  const kept = [...game.books.values()].filter(({ market }) => isOnTeams(market.type));
  const books = new Set<MarketBook>([...kept, ...orders.map(({ book }) => book)]);
  for (const { market } of kept) game.books.delete(market.id);
  for (const book of books) swapBook(book);
  for (const book of kept) {
    game.books.set(book.market.id, book);
    for (const side of book.sides) events.side(side);
  }
  for (const order of orders) {
    order.side = swappedSide(order.side);
    order.row = undefined;
    events.orderKept(order);
  }
  return books;
}
