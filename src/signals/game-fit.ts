// The model of a game that fits the quotes of all bookmakers on all lines, and what stands in its way. Quotes
// that contradict each other give no price.
import type { Period } from '../domain/index.ts';
import { logit } from '../domain/index.ts';
import type { FairQuote, FittedGame, FittedQuote, GameState, ModelSport, ParametersOf } from '../pricing/index.ts';
import { fitGame, levelScores, hasPeriod } from '../pricing/index.ts';
import type { BookQuote } from './book-quotes.ts';

export type FitContext = {
  readonly sport: ModelSport;
  /** Parameters that no quote shows, such as the sets of a match. */
  readonly known: Partial<ParametersOf[ModelSport]>;
  /** Home's lead, the clock and the score of a game in play. Undefined before the start. */
  readonly state: GameState | undefined;
  /** The last fit before the start, of a game in play. */
  readonly before: FittedGame | undefined;
  /** The last fit in the same state: the next one is found sooner from it. */
  readonly near: FittedGame | undefined;
  /** Books that one listed by name, in lower case: each of these may give a price alone. */
  readonly trusted: ReadonlySet<string>;
  /** The weight of a book by what its earlier quotes were worth; 1 is usual. */
  readonly worthOf: (book: string) => number;
  /** Time in which a price loses half its weight, ms. */
  readonly halfLifeMs: number;
  /** Unix ms. */
  readonly now: number;
};

export type GameFit = {
  readonly fitted: FittedGame;
  /** Time of the oldest quote in it, Unix ms; now without quotes. */
  readonly ts: number;
  /** Number of books in it. */
  readonly books: number;
  /** Quotes far from the others, whether they count or not: a book that is late, news, or a gift. */
  readonly gaps: readonly FittedQuote[];
};

export type FitOutcome = {
  /** Undefined when the quotes give no price. */
  readonly fit: GameFit | undefined;
  /** What was left out, and why there is no price. */
  readonly left: readonly string[];
};

/** The name under which the exchange's own book is a source. */
export const EXCHANGE_BOOK = 'exchange';

/** The largest distance of a quote from the model, in probability, with which quotes still agree. */
const MOST_APART = 0.1;
/** Where a quote is worth a message: distance from the model in probability, and in scatters of the game. */
const [GAP, GAP_SCATTERS] = [0.03, 4];
const LEAST_SCATTER = 0.02;

/**
 * Fits the model of a game.
 * @param quotes current quotes: of one orientation, none expired
 */
export function fitQuotes(quotes: readonly BookQuote[], context: FitContext): FitOutcome {
  const { sport, state, now, halfLifeMs, worthOf } = context;
  const left = new Set<string>();
  const used: { readonly quote: BookQuote; readonly fair: FairQuote }[] = [];
  const counts = Map.groupBy(quotes, seriesOf);
  for (const quote of quotes) {
    const found = fairQuotesOf(quote, sport, state);
    if (typeof found === 'string') {
      left.add(`${quote.book} ${found}`);
      continue;
    }
    const freshness = 2 ** (-(now - quote.ts) / halfLifeMs);
    // many lines of one book repeat one opinion
    const lines = counts.get(seriesOf(quote))?.length ?? 1;
    const weight = (quote.weight * worthOf(quote.book) * freshness) / Math.sqrt(lines * found.length);
    for (const fair of found) used.push({ quote, fair: { ...fair, weight } });
  }
  const problem = problemOf(
    used.map(({ fair }) => fair),
    context,
  );
  if (problem !== undefined) return { fit: undefined, left: [...left, problem] };
  const fitted = fitGame(
    used.map(({ fair }) => fair),
    {
      sport,
      known: context.known,
      ...state,
      ...(context.before === undefined ? {} : { before: context.before }),
      ...(context.near === undefined ? {} : { near: context.near.parameters }),
    },
  );
  const contradiction = contradictionIn(fitted);
  for (const quote of fitted.quotes)
    if (quote.outlier) left.add(`${quoteText(quote)} is left out: all quotes together say ${quote.fair.toFixed(3)}`);
  if (contradiction !== undefined) return { fit: undefined, left: [...left, contradiction] };
  const counting = used.filter((_quote, index) => fitted.quotes[index]?.outlier === false);
  return {
    fit: {
      fitted,
      ts: Math.min(now, ...counting.map(({ quote }) => quote.ts)),
      books: new Set(counting.map(({ quote }) => quote.book)).size,
      gaps: gapsIn(fitted),
    },
    left: [...left],
  };
}

/** Quotes of one book that repeat one opinion on many lines. */
const seriesOf = ({ book, type, period }: BookQuote): string => `${book} ${type} ${period}`;

/** What a book's quote says of bets, or why the sport's model cannot use it. */
function fairQuotesOf(
  quote: BookQuote,
  sport: ModelSport,
  state: GameState | undefined,
): readonly FairQuote[] | string {
  const { book, key, type, line, fair } = quote;
  const [first = 0, second = 0, level] = fair;
  // three prices of a whole hockey game are of its sixty minutes
  const isRegulation = sport === 'hockey' && level !== undefined && quote.period === 'full';
  const period: Period = isRegulation ? 'reg' : quote.period;
  if (!hasPeriod(sport, period)) return `${key}: no model of ${period} in ${sport}`;
  if (state !== undefined && period !== 'full') return `${key}: no model of ${period} in play`;
  if (state !== undefined && type === 'total' && state.scored === undefined)
    return `${key}: a total in play needs the sum of both scores`;
  if (type !== 'moneyline') {
    const side = type === 'spread' ? 'home' : 'over';
    return [{ book, type, side, line, period, probability: first }];
  }
  const draw = levelScores(sport, period);
  const home = { book, type, side: 'home', period, probability: first } as const;
  if (draw === 'both-lose') {
    if (level === undefined) return `${key}: two prices, but a draw is an outcome of its own in ${sport}`;
    return [home, { ...home, side: 'away', probability: second }, { ...home, side: 'draw', probability: level }];
  }
  if (level !== undefined && draw === 'impossible') return `${key}: three prices, but ${sport} has no draw`;
  return [{ ...home, probability: first / (first + second) }];
}

/** Why these quotes give no price. Undefined when they may. */
function problemOf(quotes: readonly FairQuote[], { before, trusted }: FitContext): string | undefined {
  const whole = quotes.filter(({ period = 'full' }) => period === 'full');
  if (whole.length === 0) return before === undefined ? 'there is no quote of the whole game' : undefined;
  const names = new Set(quotes.map(({ book }) => book.toLowerCase()));
  const [alone] = names;
  if (names.size > 1 || alone === undefined || alone === EXCHANGE_BOOK || trusted.has(alone)) return undefined;
  return `${alone} stands alone, and one book makes no price unless signals.odds.books, or --book of import odds, names it`;
}

/** Quotes that cannot all be right. Undefined when they agree. */
function contradictionIn({ quotes }: FittedGame): string | undefined {
  const kept = quotes.filter(({ outlier }) => !outlier);
  const worst = kept.toSorted((a, b) => Math.abs(b.residual) - Math.abs(a.residual))[0];
  const isApart = worst !== undefined && Math.abs(worst.residual) > MOST_APART;
  if (!isApart && 2 * kept.length >= quotes.length) return undefined;
  const named = quotes
    .filter(({ outlier, residual }) => outlier || Math.abs(residual) > MOST_APART / 2)
    .map(quoteText)
    .slice(0, 4);
  return `quotes contradict each other, and none is used: ${named.join(', ')}`;
}

function gapsIn({ quotes }: FittedGame): readonly FittedQuote[] {
  const sizes = quotes.map(({ probability, fair }) => Math.abs(logit(probability) - logit(fair)));
  const scatter = Math.max(LEAST_SCATTER, 1.4826 * (sizes.toSorted((a, b) => a - b)[sizes.length >> 1] ?? 0));
  return quotes.filter(
    ({ outlier, residual }, index) =>
      outlier || (Math.abs(residual) > GAP && (sizes[index] ?? 0) > GAP_SCATTERS * scatter),
  );
}

/** A quote for people: book, bet and probability. */
export const quoteText = ({ book, type, side, line, period = 'full', probability }: FairQuote): string =>
  [
    book,
    ...(period === 'full' ? [] : [period]),
    type,
    side,
    ...(line === undefined ? [] : [line]),
    probability.toFixed(3),
  ].join(' ');
