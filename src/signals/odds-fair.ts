// Fair prices of one event by lines: the quotes of its bookmakers on a line, averaged in log-odds by weight. No
// part of a price is older than its time to live.
import type { DrawRule } from '../domain/index.ts';
import { expit, logit } from '../domain/index.ts';
import type { BookQuote, BookQuotes, QuoteSettings } from './book-quotes.ts';

export type FairSettings = QuoteSettings & {
  /**
   * Time between two readings, ms. A price that expires before the next reading is left out when others
   * remain.
   */
  readonly everyMs: number;
};

export type FairPrice = {
  readonly type: 'moneyline' | 'spread' | 'total';
  /** Home's spread, or the total. */
  readonly line: number | undefined;
  /** Fair probability of the event's own home team, or of over. */
  readonly p: number;
  /** Time of its oldest part, Unix ms. */
  readonly ts: number;
  /** Number of books in it. */
  readonly books: number;
};

export type OddsFairPrices = {
  readonly prices: readonly FairPrice[];
  /** Why markets or books were left out. */
  readonly left: readonly string[];
};

type Part = { readonly book: string; readonly p: number; readonly ts: number; readonly weight: number };
type LineParts = {
  readonly line: Pick<FairPrice, 'type' | 'line'>;
  /** The books' prices by book key, in lower case. */
  readonly parts: Map<string, Part>;
};

/**
 * Computes the fair prices of an event on its main lines.
 * @param draw how the exchange settles a draw in this game
 * @param now Unix ms
 */
export function fairPrices(
  { quotes, left: before }: BookQuotes,
  draw: DrawRule,
  settings: FairSettings,
  now: number,
): OddsFairPrices {
  const markets = new Map<string, LineParts>();
  const left = new Set<string>(before);
  for (const quote of quotes) {
    if (quote.isAlternate || quote.period !== 'full') continue;
    const { book, type, line, ts, weight } = quote;
    const p = firstSideOf(quote, draw);
    if (typeof p === 'string') {
      left.add(p);
      continue;
    }
    const lineText = `${type} ${line ?? ''}`.trim();
    const known: LineParts = markets.get(lineText) ?? { line: { type, line }, parts: new Map() };
    markets.set(lineText, known);
    const name = book.toLowerCase();
    const other = known.parts.get(name);
    // a book that is listed twice weighs once
    if (other !== undefined) left.add(`${lineText}: ${book} has several prices, and the newest alone counts`);
    if (other === undefined || ts > other.ts) known.parts.set(name, { book, p, ts, weight });
  }
  const prices = [...markets].flatMap(([lineText, { line, parts }]) => {
    const { agreed, why } = agreeing([...parts.values()]);
    for (const text of why) left.add(`${lineText}: ${text}`);
    return agreed.length === 0 ? [] : [{ ...line, ...combined(agreed, settings, now) }];
  });
  return { prices, left: [...left] };
}

/** The fair price of the first side, or why there is none under the exchange's rule. */
function firstSideOf({ type, fair }: BookQuote, draw: DrawRule): number | string {
  const [first = 0, second = 0, level] = fair;
  if (type !== 'moneyline') return first;
  // under these draw rules the bookmakers' outcomes and the exchange's two outcomes do not cover the same
  // results
  if (draw === 'both-lose') return 'h2h: a draw loses both bets here, so there is no price of two outcomes';
  if (level !== undefined && draw === 'impossible')
    return 'h2h: prices with a draw, but here play continues until one side wins';
  // a draw returns the stakes, so its probability is left out
  return first / (first + second);
}

/** The largest difference in probability between two books, or between one book and the median of all. */
const MOST_APART = 0.1;

/** Removes the books that are far from the others, so that one absurd price does not move the fair one. */
function agreeing(parts: readonly Part[]): {
  readonly agreed: readonly Part[];
  readonly why: readonly string[];
} {
  const shown = ({ book, p }: Part): string => `${book} ${p.toFixed(3)}`;
  const sorted = parts.map(({ p }) => p).sort((a, b) => a - b);
  const [low = 0, high = 0] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  const median = (low + high) / 2;
  const isNear = ({ p }: Part): boolean => Math.abs(p - median) <= MOST_APART + 1e-9;
  // with three or more books the median is near books that may be right; with two, it is unknown which one is
  const agreed = parts.length === 2 && high - low > MOST_APART ? [] : parts.filter(isNear);
  const others = parts.filter((part) => !agreed.includes(part));
  if (agreed.length === 0 && others.length > 0)
    return { agreed, why: [`no two books agree, and none is used: ${others.map(shown).join(', ')}`] };
  return {
    agreed,
    why: others.map(
      (part) => `${shown(part)} is left out: the median of ${parts.length} books is ${median.toFixed(3)}`,
    ),
  };
}

function combined(parts: readonly Part[], settings: FairSettings, now: number) {
  const used = lasting(parts, settings, now);
  return { p: meanOf(used), ts: Math.min(...used.map(({ ts }) => ts)), books: used.length };
}

/** The mean in log-odds, by weight. */
function meanOf(parts: readonly Part[]): number {
  const weight = parts.reduce((sum, part) => sum + part.weight, 0);
  return expit(parts.reduce((sum, part) => sum + part.weight * logit(part.p), 0) / weight);
}

/** The price on which the books of one line agree, the newest of each. Undefined: there is none, or no two agree. */
export function agreedPrice(parts: readonly Part[]): number | undefined {
  const newest = new Map<string, Part>();
  for (const part of parts) {
    const name = part.book.toLowerCase();
    const known = newest.get(name);
    if (known === undefined || part.ts > known.ts) newest.set(name, part);
  }
  const { agreed } = agreeing([...newest.values()]);
  return agreed.length === 0 ? undefined : meanOf(agreed);
}

/** The prices that do not expire before the next reading; all, when there is none of these. */
export function lasting<P extends { readonly ts: number }>(
  prices: readonly P[],
  { ttlMs, everyMs }: FairSettings,
  now: number,
): readonly P[] {
  const left = prices.filter(({ ts }) => now - ts < ttlMs - everyMs);
  return left.length > 0 ? left : prices;
}
