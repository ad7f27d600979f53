// What the bookmakers' prices said of a bet at a time in the past: the average of the books that quoted its line,
// else the model that fits all lines of the game. Before the start only, since a model in play needs the score.
import type { MarketType, Period, Side } from '../domain/index.ts';
import { elementAt, sideIndex } from '../domain/index.ts';
import type { DevigMethod, FittedGame } from '../pricing/index.ts';
import { levelScores } from '../pricing/index.ts';
import type { BookQuote } from './book-quotes.ts';
import { quotesOf } from './book-quotes.ts';
import { fitQuotes } from './game-fit.ts';
import type { Deviations } from './model-sport.ts';
import { sportModelOf, vendorSport } from './model-sport.ts';
import { agreedPrice } from './odds-fair.ts';
import type { EventHistory, OddsSnapshot } from './odds-history.ts';

export type PastPriceSettings = {
  readonly method: DevigMethod;
  /** As in `QuoteSettings`. */
  readonly weights: Readonly<Record<string, number>>;
  readonly deviations: Deviations;
};

/** A bet on one side of a line. `line`: home's spread, or the total. */
export type PastBet = {
  readonly type: MarketType;
  readonly period: Period;
  readonly line: number | undefined;
  readonly side: Side;
};

export type PastPrice = {
  /** Fair probability that the side wins, where it wins or loses. */
  readonly p: number;
  /** When it was fetched, Unix ms. */
  readonly fetchedAt: number;
  /** `line`: the books quoted this line. `model`: they quoted others. */
  readonly from: 'line' | 'model';
};

/** In a document, a price that is older than another by this much weighs half. */
const HALF_LIFE_MS = 10 * 60_000;

type Priced = {
  readonly quotes: readonly BookQuote[];
  /** Prices by bet. Undefined: there is none. */
  readonly prices: Map<string, PastPrice | undefined>;
  /** The model of all quotes. Null: they give none; undefined: not fitted yet. */
  fitted: FittedGame | null | undefined;
};

export class EventPrices {
  readonly history: EventHistory;
  readonly #settings: PastPriceSettings;
  readonly #priced = new Map<OddsSnapshot, Priced>();

  constructor(history: EventHistory, settings: PastPriceSettings) {
    this.history = history;
    this.#settings = settings;
  }

  /** Start of the event as last announced, Unix ms. */
  get start(): number {
    return this.history.event.start;
  }

  /** The newest price that was fetched before `t`, Unix ms, and not before `from`. */
  before(bet: PastBet, t: number, from = Number.NEGATIVE_INFINITY): PastPrice | undefined {
    const { snapshots } = this.history;
    for (let index = snapshots.length - 1; index >= 0; index--) {
      const snapshot = elementAt(snapshots, index);
      if (snapshot.fetchedAt >= t) continue;
      if (snapshot.fetchedAt < from) return undefined;
      const price = this.#priceIn(snapshot, bet);
      if (price !== undefined) return price;
    }
    return undefined;
  }

  #priceIn(snapshot: OddsSnapshot, bet: PastBet): PastPrice | undefined {
    const priced = this.#pricedOf(snapshot);
    const key = `${bet.type} ${bet.period} ${bet.line ?? ''} ${bet.side}`;
    if (!priced.prices.has(key)) priced.prices.set(key, this.#priceOf(snapshot, priced, bet));
    return priced.prices.get(key);
  }

  #pricedOf(snapshot: OddsSnapshot): Priced {
    let priced = this.#priced.get(snapshot);
    if (priced === undefined) {
      const { event, fetchedAt } = snapshot;
      const { quotes } = quotesOf(event, { ...this.#settings, ttlMs: Number.POSITIVE_INFINITY }, fetchedAt, fetchedAt);
      this.#priced.set(snapshot, (priced = { quotes, prices: new Map(), fitted: undefined }));
    }
    return priced;
  }

  #priceOf({ fetchedAt }: OddsSnapshot, priced: Priced, bet: PastBet): PastPrice | undefined {
    const isOfLine = ({ type, period, line }: BookQuote): boolean =>
      type === bet.type && period === bet.period && line === bet.line;
    const parts = priced.quotes.filter(isOfLine).flatMap((quote) => {
      const p = this.#sideOf(quote, bet.side);
      return p === undefined ? [] : [{ ...quote, p }];
    });
    const agreed = agreedPrice(parts);
    if (agreed !== undefined) return { p: agreed, fetchedAt, from: 'line' };
    if (fetchedAt >= this.start) return undefined;
    if (priced.fitted === undefined) priced.fitted = this.#fit(priced.quotes, fetchedAt) ?? null;
    const p = priced.fitted === null ? undefined : modelPriceOf(priced.fitted, bet);
    return p === undefined ? undefined : { p, fetchedAt, from: 'model' };
  }

  /** The fair probability of a side by one quote. Undefined: the quote is of other outcomes. */
  #sideOf({ type, period, fair }: BookQuote, side: Side): number | undefined {
    const [first = 0, second = 0, level] = fair;
    const index = sideIndex(side);
    if (type !== 'moneyline') return index === 0 ? first : 1 - first;
    const sport = vendorSport(this.history.event.sport);
    const draw = sport === undefined ? undefined : levelScores(sport, period);
    if (level === undefined && draw !== 'both-lose') return index === 0 ? first : second;
    if (level === undefined || draw === 'impossible') return undefined;
    // where a draw returns the stakes it is left out
    if (draw === 'push') return (index === 0 ? first : second) / (first + second);
    return index === 0 ? first : second;
  }

  #fit(quotes: readonly BookQuote[], now: number): FittedGame | undefined {
    const model = sportModelOf({ vendor: this.history.event.sport }, this.#settings.deviations);
    if (typeof model === 'string') return undefined;
    return fitQuotes(quotes, {
      ...model,
      state: undefined,
      before: undefined,
      near: undefined,
      // a history of one book is priced by that book
      trusted: new Set(quotes.map(({ book }) => book.toLowerCase())),
      worthOf: () => 1,
      halfLifeMs: HALF_LIFE_MS,
      now,
    }).fit?.fitted;
  }
}

/** Undefined: the sport has no model of this period. */
function modelPriceOf(fitted: FittedGame, { type, period, line, side }: PastBet): number | undefined {
  try {
    const { fair } = fitted.priceOf({ type, side, period, line }, levelScores(fitted.sport, period));
    return fair > 0 && fair < 1 ? fair : undefined;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
