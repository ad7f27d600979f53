// A file of odds is often made of several requests, by market or by region: each lists the same events. One id with the same two
// teams is one event, with the books and markets of all of them.
import type { OddsBook, OddsEvent, OddsMarket } from './odds-event.ts';

/** In the order of their first. Of one market of one book the newest price counts. */
export const mergedEvents = (events: readonly OddsEvent[]): readonly OddsEvent[] =>
  [...Map.groupBy(events, identityOf).values()].flatMap(([first, ...others]) =>
    first === undefined ? [] : [others.reduce(merged, first)],
  );

/** Outcomes name the teams: under other names they would be prices of nobody. */
const identityOf = ({ id, home, away }: OddsEvent): string => JSON.stringify([id, ...[home, away].sort()]);

/** Of the same age the later one counts. */
function merged(known: OddsEvent, next: OddsEvent): OddsEvent {
  const { start, home, away } = newestOf(marketsOf(next.books)) >= newestOf(marketsOf(known.books)) ? next : known;
  const names = [...new Set([...known.books, ...next.books].map(nameOf))];
  const books = names.flatMap((name): readonly OddsBook[] => {
    const named = (list: readonly OddsBook[]): readonly OddsBook[] => list.filter((book) => nameOf(book) === name);
    return mergedBook(named(known.books), named(next.books));
  });
  return { ...known, start, home, away, books };
}

/** One book, as two documents list it: each perhaps several times, or not at all. */
function mergedBook(known: readonly OddsBook[], next: readonly OddsBook[]): readonly OddsBook[] {
  const [first] = [...known, ...next];
  if (first === undefined) return [];
  const markets = (['h2h', 'spreads', 'totals'] as const).flatMap((key) => {
    const [before, after] = [marketsOf(known, key), marketsOf(next, key)] as const;
    return newestOf(after) >= newestOf(before) ? after : before;
  });
  return [{ ...first, markets }];
}

const nameOf = ({ key }: OddsBook): string => key.toLowerCase();
const marketsOf = (books: readonly OddsBook[], key?: OddsMarket['key']): readonly OddsMarket[] =>
  books.flatMap(({ markets }) => markets).filter((market) => key === undefined || market.key === key);
/** A price without a time is one of now. */
const newestOf = (markets: readonly OddsMarket[]): number =>
  markets.reduce(
    (newest, { updated = Number.POSITIVE_INFINITY }) => Math.max(newest, updated),
    Number.NEGATIVE_INFINITY,
  );
