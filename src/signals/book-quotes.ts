// The current prices of an event's bookmakers without their margins. No price is older than its time to live.
import type { MarketType, Period } from '../domain/index.ts';
import type { DevigMethod } from '../pricing/index.ts';
import { canDevig, devig } from '../pricing/index.ts';
import type { OddsBook, OddsEvent, OddsMarket } from './odds-event.ts';
import { pairsIn } from './odds-pairs.ts';

export type QuoteSettings = {
  readonly method: DevigMethod;
  /**
   * Weight by key or title of the book, in any case. When empty, all books weigh 1; otherwise unlisted books
   * weigh 0.
   */
  readonly weights: Readonly<Record<string, number>>;
  readonly ttlMs: number;
};

export type BookQuote = {
  /** The key of the book. */
  readonly book: string;
  /** The vendor's name of the market. */
  readonly key: string;
  readonly type: MarketType;
  readonly period: Period;
  readonly isAlternate: boolean;
  /** Home's spread, or the total. Undefined for a moneyline. */
  readonly line: number | undefined;
  /** Fair probabilities of the first side (home, over), of the second, and of the draw where it is priced. */
  readonly fair: readonly number[];
  /** Unix ms, not after now. */
  readonly ts: number;
  /** Above 0. */
  readonly weight: number;
};

export type BookQuotes = {
  readonly quotes: readonly BookQuote[];
  /** What gives no quote, by book, and why. */
  readonly left: readonly string[];
};

/** The vendor's clock may be ahead by this much. */
const FUTURE_MS = 1000;
/** Range for the sum of the implied probabilities of one book. Prices outside it are left out. */
const [LEAST_SUM, MOST_SUM] = [0.98, 1.5];

/**
 * The quotes of an event.
 * @param readAt Unix ms; the time of prices that have none of their own
 * @param now Unix ms
 */
export function quotesOf(event: OddsEvent, settings: QuoteSettings, readAt: number, now: number): BookQuotes {
  const quotes: BookQuote[] = [];
  const left = new Set<string>();
  for (const book of event.books) {
    const weight = weightOf(book, settings.weights);
    if (weight === 0) continue;
    for (const market of book.markets) {
      const ts = market.updated ?? readAt;
      if (ts > now + FUTURE_MS) {
        left.add(`prices of ${book.key} are of ${new Date(ts).toISOString()}, which is to come`);
        continue;
      }
      if (now - ts >= settings.ttlMs) continue;
      const { pairs, faults } = pairsIn(market, event);
      for (const fault of faults) left.add(`${book.key} ${fault}`);
      const { key, type, period, isAlternate } = market;
      for (const { line, decimals } of pairs) {
        const fair = fairOf(decimals, settings.method);
        if (typeof fair === 'string') left.add(`${book.key} ${marketText(market, line)}: ${fair}`);
        else quotes.push({ book: book.key, key, type, period, isAlternate, line, fair, ts: Math.min(ts, now), weight });
      }
    }
  }
  return { quotes, left: [...left] };
}

const marketText = ({ key }: OddsMarket, line: number | undefined): string => `${key} ${line ?? ''}`.trim();

function weightOf(book: OddsBook, weights: QuoteSettings['weights']): number {
  const all = Object.entries(weights);
  if (all.length === 0) return 1;
  const names = [book.key, book.title].map((name) => name.toLowerCase());
  return all.find(([name]) => names.includes(name.toLowerCase()))?.[1] ?? 0;
}

/**
 * The fair probabilities of the outcomes, or why there are none: the odds are not those of one book, or the
 * method leaves an outcome nothing.
 */
function fairOf(decimals: readonly number[], method: DevigMethod): readonly number[] | string {
  const sum = decimals.reduce((total, decimal) => total + 1 / decimal, 0);
  if (!(sum >= LEAST_SUM && sum <= MOST_SUM))
    return `inverses that do not add up to the prices of a book: ${sum.toFixed(3)}`;
  const { probabilities } = canDevig(decimals, method) ? devig(decimals, method) : { probabilities: [] };
  const isFair = probabilities.length > 0 && probabilities.every((p) => p > 0 && p < 1);
  return isFair ? probabilities : `the method ${method} leaves an outcome nothing`;
}
