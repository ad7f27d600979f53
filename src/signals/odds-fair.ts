// Fair prices of one event from its bookmakers: each book's margin is removed, and the results are averaged
// in log-odds by weight. No part of a price is older than its time to live.
import type { DrawRule } from '../domain/index.ts';
import type { DevigMethod } from '../pricing/index.ts';
import { canDevig, devig } from '../pricing/index.ts';
import { expit, logit } from '../domain/index.ts';
import type { OddsEvent, OddsMarket } from './odds-event.ts';

export type FairSettings = {
  readonly method: DevigMethod;
  /**
   * Weight by key or title of the book, in any case. When empty, all books weigh 1; otherwise unlisted books
   * weigh 0.
   */
  readonly weights: Readonly<Record<string, number>>;
  readonly ttlMs: number;
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

/** The vendor's clock may be ahead by this much. */
const FUTURE_MS = 1000;
/** Range for the sum of the implied probabilities of one book. Prices outside it are left out. */
const [LEAST_SUM, MOST_SUM] = [0.98, 1.5];

/**
 * Computes the fair prices of an event.
 * @param draw how the exchange settles a draw in this game
 * @param readAt Unix ms; the time of prices that have none of their own
 * @param now Unix ms
 */
export function fairPrices(
  event: OddsEvent,
  draw: DrawRule,
  settings: FairSettings,
  readAt: number,
  now: number,
): OddsFairPrices {
  const markets = new Map<string, LineParts>();
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
      const found = FINDERS[market.key](market, event, draw, settings.method);
      if (typeof found === 'string') {
        left.add(found);
        continue;
      }
      const { p, ...line } = found;
      const lineText = `${line.type} ${line.line ?? ''}`.trim();
      const known: LineParts = markets.get(lineText) ?? { line, parts: new Map() };
      markets.set(lineText, known);
      const name = book.key.toLowerCase();
      const other = known.parts.get(name);
      // a book that is listed twice weighs once
      if (other !== undefined) left.add(`${lineText}: ${book.key} has several prices, and the newest alone counts`);
      if (other === undefined || ts > other.ts)
        known.parts.set(name, { book: book.key, p, ts: Math.min(ts, now), weight });
    }
  }
  const prices = [...markets].flatMap(([lineText, { line, parts }]) => {
    const { agreed, why } = agreeing([...parts.values()]);
    for (const text of why) left.add(`${lineText}: ${text}`);
    return agreed.length === 0 ? [] : [{ ...line, ...combined(agreed, settings, now) }];
  });
  return { prices, left: [...left] };
}

function weightOf(book: { readonly key: string; readonly title: string }, weights: FairSettings['weights']) {
  const all = Object.entries(weights);
  if (all.length === 0) return 1;
  const names = [book.key, book.title].map((name) => name.toLowerCase());
  return all.find(([name]) => names.includes(name.toLowerCase()))?.[1] ?? 0;
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

function combined(parts: readonly Part[], { ttlMs, everyMs }: FairSettings, now: number) {
  const lasting = parts.filter(({ ts }) => now - ts < ttlMs - everyMs);
  const used = lasting.length > 0 ? lasting : parts;
  const weight = used.reduce((sum, part) => sum + part.weight, 0);
  const logOdds = used.reduce((sum, part) => sum + part.weight * logit(part.p), 0) / weight;
  return { p: expit(logOdds), ts: Math.min(...used.map(({ ts }) => ts)), books: used.length };
}

type Found = Pick<FairPrice, 'type' | 'line' | 'p'>;
type Finder = (market: OddsMarket, event: OddsEvent, draw: DrawRule, method: DevigMethod) => Found | string;

const FINDERS: Readonly<Record<OddsMarket['key'], Finder>> = {
  h2h: (market, event, draw, method) => {
    const home = market.outcomes.findIndex(({ name }) => name === event.home);
    const away = market.outcomes.findIndex(({ name }) => name === event.away);
    const { length } = market.outcomes;
    if (home < 0 || away < 0 || length > 3) return 'h2h: outcomes that are not the two teams and a draw';
    // under these draw rules the bookmakers' outcomes and the exchange's two outcomes do not cover the same
    // results
    if (draw === 'both-lose') return 'h2h: a draw loses both bets here, so there is no price of two outcomes';
    if (length === 3 && draw === 'impossible')
      return 'h2h: prices with a draw, but here play continues until one side wins';
    const fair = fairOf(market, method);
    if (fair === undefined) return 'h2h: inverses that do not add up to the prices of a book';
    const [pHome = 0, pAway = 0] = [fair[home], fair[away]];
    // a draw returns the stakes, so its probability is left out
    return { type: 'moneyline', line: undefined, p: pHome / (pHome + pAway) };
  },
  spreads: (market, event, _draw, method) => {
    const home = market.outcomes.findIndex(({ name }) => name === event.home);
    const away = market.outcomes.findIndex(({ name }) => name === event.away);
    const line = market.outcomes[home]?.point;
    const other = market.outcomes[away]?.point;
    if (market.outcomes.length !== 2 || line === undefined || other === undefined || line + other !== 0)
      return 'spreads: outcomes that are not two sides of one line';
    return twoWayPrice(market, home, 'spread', line, method);
  },
  totals: (market, _event, _draw, method) => {
    const over = market.outcomes.findIndex(({ name }) => name.toLowerCase() === 'over');
    const under = market.outcomes.findIndex(({ name }) => name.toLowerCase() === 'under');
    const line = market.outcomes[over]?.point;
    if (market.outcomes.length !== 2 || line === undefined || line !== market.outcomes[under]?.point)
      return 'totals: outcomes that are not over and under of one total';
    return twoWayPrice(market, over, 'total', line, method);
  },
};

/** The fair price of a market with two outcomes on one line, or why there is none. */
function twoWayPrice(
  market: OddsMarket,
  first: number,
  type: FairPrice['type'],
  line: number,
  method: DevigMethod,
): Found | string {
  if (!Number.isInteger(line * 4)) return `${market.key}: a line that is not in quarters`;
  const fair = fairOf(market, method);
  if (fair === undefined) return `${market.key}: inverses that do not add up to the prices of a book`;
  return { type, line, p: fair[first] ?? 0 };
}

/**
 * The fair probabilities of the outcomes. Undefined when the odds are not those of one book, or the method
 * leaves an outcome nothing.
 */
function fairOf({ outcomes }: OddsMarket, method: DevigMethod): readonly number[] | undefined {
  const odds = outcomes.map(({ decimal }) => decimal);
  const sum = odds.reduce((total, decimal) => total + 1 / decimal, 0);
  if (!(sum >= LEAST_SUM && sum <= MOST_SUM)) return undefined;
  if (!canDevig(odds, method)) return undefined;
  const { probabilities } = devig(odds, method);
  return probabilities.every((p) => p > 0 && p < 1) ? probabilities : undefined;
}
