// What the quotes of each bookmaker are worth in each league: how near they were to what all quotes together
// said half an hour later. A book that leads is right later; one that follows, or is careless, is not.
import { logit } from '../domain/index.ts';
import type { FittedGame, FittedQuote } from '../pricing/index.ts';

type Opinion = { readonly quote: FittedQuote; readonly at: number };
type Judged = { squares: number; count: number };

/** When an opinion is judged, ms after it was noted. */
const LATER_MS = 30 * 60_000;
/** A book is believed to be usual until it was judged this often. */
const PRIOR_COUNT = 50;
/** Weights stay within these: the best book does not replace all others. */
const [LEAST, MOST] = [0.25, 4];
/** Opinions that wait: events × books × types. */
const MOST_OPINIONS = 20_000;

export class BookWeights {
  readonly #leagues = new Map<string, Map<string, Judged>>();
  readonly #opinions = new Map<string, Opinion>();

  /**
   * Notes the quotes of a fit before the start, and judges those noted half an hour ago.
   * @param now Unix ms
   */
  note(league: string, eventId: string, fitted: FittedGame, now: number): void {
    for (const quote of fitted.quotes) {
      const { book, type, period } = quote;
      if (period !== undefined && period !== 'full') continue;
      const key = `${eventId} ${book} ${type}`;
      const before = this.#opinions.get(key);
      if (before !== undefined && now - before.at < LATER_MS) continue;
      if (before !== undefined)
        this.judge(league, book, logit(before.quote.probability) - logit(fitted.priceOf(before.quote).fair));
      if (before !== undefined || this.#opinions.size < MOST_OPINIONS) this.#opinions.set(key, { quote, at: now });
    }
  }

  /** Counts one error of a book, in log-odds. */
  judge(league: string, book: string, error: number): void {
    if (!Number.isFinite(error)) return;
    let books = this.#leagues.get(league);
    if (books === undefined) this.#leagues.set(league, (books = new Map<string, Judged>()));
    const record = books.get(book) ?? { squares: 0, count: 0 };
    record.squares += error * error;
    record.count += 1;
    books.set(book, record);
  }

  /** The weight of a book in a league: 1 for a usual one. */
  worthOf(league: string, book: string): number {
    const books = this.#leagues.get(league);
    const own = books?.get(book);
    if (books === undefined || own === undefined) return 1;
    let [squares, count] = [0, 0];
    for (const record of books.values()) {
      squares += record.squares;
      count += record.count;
    }
    const usual = squares / count;
    if (!(usual > 0)) return 1;
    const shrunk = (PRIOR_COUNT * usual + own.squares) / (PRIOR_COUNT + own.count);
    return Math.min(MOST, Math.max(LEAST, usual / shrunk));
  }

  /** Forgets the opinions on events that are no longer listed. */
  keepOnly(eventIds: ReadonlySet<string>): void {
    for (const key of this.#opinions.keys()) if (!eventIds.has(key.split(' ', 1)[0] ?? '')) this.#opinions.delete(key);
  }

  /** The weights of all judged books, by league, for status. */
  get weights(): Readonly<Record<string, Readonly<Record<string, number>>>> {
    return Object.fromEntries(
      [...this.#leagues].map(([league, books]) => [
        league,
        Object.fromEntries([...books.keys()].map((book) => [book, Number(this.worthOf(league, book).toFixed(2))])),
      ]),
    );
  }
}
