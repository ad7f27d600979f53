// Fair prices of one event from its bookmakers: each book's margin is taken out, and what is left is weighted in log-odds.
// Nothing in a price is older than its time to live.
import type { DrawRule } from '../domain/index.ts';
import type { DevigMethod } from '../pricing/index.ts';
import { devig } from '../pricing/index.ts';
import { expit, logit } from '../domain/index.ts';
import type { OddsEvent, OddsMarket } from './odds-event.ts';

export type FairSettings = {
  readonly method: DevigMethod;
  /** By key or title, in any case; empty: all weigh 1. Others weigh nothing. */
  readonly weights: Readonly<Record<string, number>>;
  readonly ttlMs: number;
  /** Between two readings, ms: what would be over before the next one is left out where others stay. */
  readonly everyMs: number;
};

export type FairPrice = {
  /** Of the event's own home team or over. */
  readonly type: 'moneyline' | 'spread' | 'total';
  /** Home's spread, or the total. */
  readonly line: number | undefined;
  readonly p: number;
  /** Unix ms: of the oldest of its parts. */
  readonly ts: number;
  readonly books: number;
};

export type OddsFairPrices = {
  readonly prices: readonly FairPrice[];
  /** Why markets have none. */
  readonly left: readonly string[];
};

type Part = { readonly book: string; readonly p: number; readonly ts: number; readonly weight: number };
type Lined = {
  readonly of: Pick<FairPrice, 'type' | 'line'>;
  /** By book, in small letters. */
  readonly parts: Map<string, Part>;
};

/** A clock of a vendor may be ahead by this much. */
const FUTURE_MS = 1000;
/** Inverses that add up to less, or more, are no prices of one book. */
const [LEAST_SUM, MOST_SUM] = [0.98, 1.5];

/** @param readAt Unix ms: what has no time of its own is of then */
export function fairPrices(
  event: OddsEvent,
  draw: DrawRule,
  settings: FairSettings,
  readAt: number,
  now: number,
): OddsFairPrices {
  const markets = new Map<string, Lined>();
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
      const { p, ...of } = found;
      const line = `${of.type} ${of.line ?? ''}`.trim();
      const known: Lined = markets.get(line) ?? { of, parts: new Map() };
      markets.set(line, known);
      const name = book.key.toLowerCase();
      const other = known.parts.get(name);
      // a book that is listed twice weighs once
      if (other !== undefined) left.add(`${line}: ${book.key} has several prices, and the newest alone counts`);
      if (other === undefined || ts > other.ts)
        known.parts.set(name, { book: book.key, p, ts: Math.min(ts, now), weight });
    }
  }
  const prices = [...markets].flatMap(([line, { of, parts }]) => {
    const { agreed, why } = agreeing([...parts.values()]);
    for (const text of why) left.add(`${line}: ${text}`);
    return agreed.length === 0 ? [] : [{ ...of, ...together(agreed, settings, now) }];
  });
  return { prices, left: [...left] };
}

function weightOf(book: { readonly key: string; readonly title: string }, weights: FairSettings['weights']) {
  const all = Object.entries(weights);
  if (all.length === 0) return 1;
  const names = [book.key, book.title].map((name) => name.toLowerCase());
  return all.find(([name]) => names.includes(name.toLowerCase()))?.[1] ?? 0;
}

/** Probability by which two books may differ, or one and the median of all. */
const MOST_APART = 0.1;

/** Without the books that are far from all others: one absurd price must not move the fair one. */
function agreeing(parts: readonly Part[]): {
  readonly agreed: readonly Part[];
  readonly why: readonly string[];
} {
  const shown = ({ book, p }: Part): string => `${book} ${p.toFixed(3)}`;
  const sorted = parts.map(({ p }) => p).sort((a, b) => a - b);
  const [low = 0, high = 0] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  const median = (low + high) / 2;
  const isNear = ({ p }: Part): boolean => Math.abs(p - median) <= MOST_APART + 1e-9;
  // from three on the median lies between books that may be right; of two neither is known to be
  const agreed = parts.length === 2 && high - low > MOST_APART ? [] : parts.filter(isNear);
  const others = parts.filter((part) => !agreed.includes(part));
  if (agreed.length === 0 && others.length > 0)
    return { agreed, why: [`no two books agree, and none is used: ${others.map(shown).join(', ')}`] };
  return {
    agreed,
    why: others.map((one) => `${shown(one)} is left out: the median of ${parts.length} books is ${median.toFixed(3)}`),
  };
}

function together(parts: readonly Part[], { ttlMs, everyMs }: FairSettings, now: number) {
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
    // stakes go by an outcome that two prices leave out, or that one price counts and the exchange does not have
    if (draw === 'both-lose') return 'h2h: a draw loses both bets here, so there is no price of two outcomes';
    if (length === 3 && draw === 'impossible')
      return 'h2h: prices with a draw, and play goes on here until somebody wins';
    const fair = fairOf(market, method);
    if (fair === undefined) return 'h2h: inverses that do not add up to the prices of a book';
    const [pHome = 0, pAway = 0] = [fair[home], fair[away]];
    // the draw returns the stakes: left out
    return { type: 'moneyline', line: undefined, p: pHome / (pHome + pAway) };
  },
  spreads: (market, event, _draw, method) => {
    const home = market.outcomes.findIndex(({ name }) => name === event.home);
    const away = market.outcomes.findIndex(({ name }) => name === event.away);
    const line = market.outcomes[home]?.point;
    const other = market.outcomes[away]?.point;
    if (market.outcomes.length !== 2 || line === undefined || other === undefined || line + other !== 0)
      return 'spreads: outcomes that are not two sides of one line';
    return ofTwo(market, home, 'spread', line, method);
  },
  totals: (market, _event, _draw, method) => {
    const over = market.outcomes.findIndex(({ name }) => name.toLowerCase() === 'over');
    const under = market.outcomes.findIndex(({ name }) => name.toLowerCase() === 'under');
    const line = market.outcomes[over]?.point;
    if (market.outcomes.length !== 2 || line === undefined || line !== market.outcomes[under]?.point)
      return 'totals: outcomes that are not over and under of one total';
    return ofTwo(market, over, 'total', line, method);
  },
};

function ofTwo(
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

function fairOf({ outcomes }: OddsMarket, method: DevigMethod): readonly number[] | undefined {
  const odds = outcomes.map(({ decimal }) => decimal);
  const sum = odds.reduce((all, one) => all + 1 / one, 0);
  if (!(sum >= LEAST_SUM && sum <= MOST_SUM)) return undefined;
  const { probabilities } = devig(odds, method);
  return probabilities.every((p) => p > 0 && p < 1) ? probabilities : undefined;
}
