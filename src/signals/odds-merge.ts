// Merges repeated events of an odds document. A file of odds often joins several requests, by market or by
// region, that list the same events. Entries with one id and the same two teams are one event, with the books
// and markets of all entries.
import type { OddsBook, OddsEvent, OddsMarket } from './odds-event.ts';

/** The merged events, in the order of their first entries. The newest price of a book in a market counts. */
export const mergedEvents = (events: readonly OddsEvent[]): readonly OddsEvent[] =>
  [...Map.groupBy(events, identityOf).values()].flatMap(([first, ...others]) =>
    first === undefined ? [] : [others.reduce(merged, first)],
  );

/**
 * The key under which entries are merged. It includes the team names, because the outcomes refer to teams by
 * name.
 */
const identityOf = ({ id, home, away }: OddsEvent): string => JSON.stringify([id, ...[home, away].sort()]);

/** Merges two entries of one event. At equal age the later entry counts. */
function merged(known: OddsEvent, next: OddsEvent): OddsEvent {
  const { start, home, away } = newestOf(marketsOf(next.books)) >= newestOf(marketsOf(known.books)) ? next : known;
  const names = [...new Set([...known.books, ...next.books].map(nameOf))];
  const books = names.flatMap((name): readonly OddsBook[] => {
    const named = (list: readonly OddsBook[]): readonly OddsBook[] => list.filter((book) => nameOf(book) === name);
    return mergedBook(named(known.books), named(next.books));
  });
  return { ...known, start, home, away, books };
}

/** Merges the entries of one book. Either event may list it several times, or not at all. */
function mergedBook(known: readonly OddsBook[], next: readonly OddsBook[]): readonly OddsBook[] {
  const [first] = [...known, ...next];
  if (first === undefined) return [];
  const keys = new Set([...marketsOf(known), ...marketsOf(next)].map(({ key }) => key));
  const markets = [...keys].flatMap((key) => {
    const [before, after] = [marketsOf(known, key), marketsOf(next, key)] as const;
    return newestOf(after) >= newestOf(before) ? after : before;
  });
  return [{ ...first, markets }];
}

const nameOf = ({ key }: OddsBook): string => key.toLowerCase();
const marketsOf = (books: readonly OddsBook[], key?: string): readonly OddsMarket[] =>
  books.flatMap(({ markets }) => markets).filter((market) => key === undefined || market.key === key);
/** The newest time of the markets. A market without a time counts as current. */
const newestOf = (markets: readonly OddsMarket[]): number =>
  markets.reduce(
    (newest, { updated = Number.POSITIVE_INFINITY }) => Math.max(newest, updated),
    Number.NEGATIVE_INFINITY,
  );
