// The table of a game: the fitted model, every line it would price, and what each bookmaker says beside it.
import type { MarketType, Period } from '../domain/index.ts';
import type { Bet, Distribution, FittedGame, ModelSport } from '../pricing/index.ts';
import { levelScores } from '../pricing/index.ts';

export type PricedLine = {
  readonly type: MarketType;
  readonly side: 'home' | 'draw' | 'over';
  /** Home's spread, or the total; null for a moneyline. */
  readonly line: number | null;
  readonly period: Period;
  /** Fair probability of the side; of the bets that do not push. */
  readonly fair: number;
  /** Its standard error. */
  readonly error: number;
  /** American odds of the fair price. */
  readonly odds: number;
};

export type PricedQuote = {
  readonly book: string;
  readonly type: MarketType;
  readonly line: number | null;
  readonly period: Period;
  /** What the book says without its margin, as probability of the first side. */
  readonly price: number;
  readonly fair: number;
  /** price − fair. */
  readonly residual: number;
  /** True when it was left out of the fit. */
  readonly outlier: boolean;
};

export type PricedGame = {
  readonly game: string;
  readonly sport: ModelSport;
  /** The kind of model. */
  readonly model: string;
  readonly parameters: Readonly<Record<string, number>>;
  readonly errors: Readonly<Record<string, number>>;
  readonly lines: readonly PricedLine[];
  readonly quotes: readonly PricedQuote[];
};

const MODEL_NAMES: Readonly<Record<ModelSport, string>> = {
  basketball: 'normal, never level',
  football: 'normal, weighted by NFL margins',
  'college football': 'normal, weighted by NFL margins, never level',
  soccer: 'Dixon-Coles',
  hockey: 'Poisson, overtime, empty net',
  baseball: 'negative binomial',
  tennis: 'independent points',
  other: 'normal',
};

/** Lines outside this range are not listed, unless a book quotes them. */
const [LEAST, MOST] = [0.02, 0.98];

export function pricedGame(game: string, fitted: FittedGame): PricedGame {
  const { sport, parameters, errors, quotes } = fitted;
  const periods = new Set<Period>(['full', ...quotes.map(({ period = 'full' }) => period)]);
  return {
    game,
    sport,
    model: MODEL_NAMES[sport],
    parameters: { ...parameters },
    errors,
    lines: [...periods].flatMap((period) => linesOf(fitted, period)),
    quotes: quotes.flatMap(({ book, type, side, line, period = 'full', probability, fair, residual, outlier }) =>
      side === 'home' || side === 'over'
        ? [{ book, type, line: line ?? null, period, price: probability, fair, residual, outlier }]
        : [],
    ),
  };
}

function linesOf(fitted: FittedGame, period: Period): readonly PricedLine[] {
  const priced = (bet: Bet & { readonly side: PricedLine['side'] }, isWanted: boolean): readonly PricedLine[] => {
    const { type, side, line } = bet;
    const { fair } = fitted.priceOf(bet);
    if (!(fair > 0 && fair < 1) || (!isWanted && (fair < LEAST || fair > MOST))) return [];
    return [{ type, side, line: line ?? null, period, fair, error: fitted.errorOf(bet), odds: americanOf(fair) }];
  };
  const draw = levelScores(fitted.sport, period) === 'both-lose' ? (['home', 'draw'] as const) : (['home'] as const);
  const quoted = (type: MarketType): readonly number[] =>
    fitted.quotes.flatMap((quote) =>
      quote.type === type && (quote.period ?? 'full') === period && quote.line !== undefined ? [quote.line] : [],
    );
  const { margin, total } = fitted.modelOf(period).grid;
  const alongLines = (type: 'spread' | 'total', side: 'home' | 'over'): readonly PricedLine[] => {
    const own = new Set(quoted(type));
    const around = linesIn(type === 'spread' ? margin : total, type).filter((line) => {
      const { fair } = fitted.priceOf({ type, side, line, period });
      return fair >= LEAST && fair <= MOST;
    });
    return [...new Set([...around, ...own])]
      .sort((a, b) => a - b)
      .flatMap((line) => priced({ type, side, line, period }, own.has(line)));
  };
  return [
    ...draw.flatMap((side) => priced({ type: 'moneyline', side, period }, true)),
    ...alongLines('spread', 'home'),
    ...alongLines('total', 'over'),
  ];
}

/** All half and whole lines that the scores of a distribution decide. */
function linesIn({ from, probabilities }: Distribution, type: 'spread' | 'total'): readonly number[] {
  const lines = Array.from({ length: 2 * probabilities.length }, (_, index) => from + index / 2);
  return type === 'spread' ? lines.map((line) => 0 - line) : lines.filter((line) => line > 0);
}

/** American odds of a probability, to a tenth. */
export function americanOf(p: number): number {
  const odds = p > 0.5 ? (-100 * p) / (1 - p) : (100 * (1 - p)) / p;
  return Math.round(odds * 10) / 10;
}
