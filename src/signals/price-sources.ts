// Prices games outside a run: from the events of an odds document, or from books of the exchange.
import type { DrawRule, Game, KnownSport, Market } from '../domain/index.ts';
import { hasThirdOutcome } from '../domain/index.ts';
import type { DevigMethod, ModelSport } from '../pricing/index.ts';
import type { BookQuote } from './book-quotes.ts';
import { quotesOf } from './book-quotes.ts';
import { EXCHANGE_BOOK, fitQuotes } from './game-fit.ts';
import type { Deviations, SportModel } from './model-sport.ts';
import { sportModelOf } from './model-sport.ts';
import type { OddsFile } from './odds-documents.ts';
import { eventText } from './odds-event.ts';
import type { PricedGame } from './price-table.ts';
import { pricedGame } from './price-table.ts';

export type PriceSettings = {
  readonly method: DevigMethod;
  /** As in `QuoteSettings`. */
  readonly weights: Readonly<Record<string, number>>;
  readonly deviations: Deviations;
  /** Undefined: the sport of the event or game. */
  readonly sport?: ModelSport | undefined;
  /** Games whose names do not contain this text, in any case, are left out. */
  readonly game?: string | undefined;
};

export type Priced = {
  readonly games: readonly PricedGame[];
  /** What has no price, by game or event, book and outcome, and why. */
  readonly faults: readonly string[];
  /** Names of all games, also of those left out. */
  readonly names: readonly string[];
};

/** Prices of one document are of about one time. One that is older than another by this much weighs half. */
const HALF_LIFE_MS = 10 * 60_000;

/** Prices the events of an odds file. */
export function priceEvents({ events, faults: before }: OddsFile, settings: PriceSettings): Priced {
  const faults = [...before];
  const games = events.flatMap(({ event, readAt, isLive }): readonly PricedGame[] => {
    const name = eventText(event);
    if (!isWanted(name, settings)) return [];
    if (isLive) {
      faults.push(`${name}: all of its prices are of the time in play, when a price needs the score`);
      return [];
    }
    const model = modelOf({ vendor: event.sport }, settings);
    if (typeof model === 'string') {
      faults.push(`${name}: ${model}`);
      return [];
    }
    const { quotes, left } = quotesOf(event, { ...settings, ttlMs: Number.POSITIVE_INFINITY }, readAt, readAt);
    const priced = priceQuotes(name, quotes, model, settings, readAt);
    faults.push(...[...left, ...priced.left].map((why) => `${name}: ${why}`));
    return priced.games;
  });
  return { games, faults, names: events.map(({ event }) => eventText(event)) };
}

/** The prices of the books of a game at the exchange, as probabilities of the first side. */
export type BookPrices = {
  readonly game: Game;
  readonly prices: readonly { readonly market: Market; readonly p: number }[];
};

/** Prices games from their own books at the exchange, with those of their parts. */
export function priceBooks(
  books: readonly BookPrices[],
  sportOf: (game: Game) => KnownSport,
  settings: PriceSettings,
): Priced {
  const whole = books.filter(({ game: { kind } }) => kind === 'game');
  const faults: string[] = [];
  const games = whole.flatMap((book): readonly PricedGame[] => {
    const { id, eventName: name, league, live } = book.game;
    if (!isWanted(name, settings)) return [];
    const { sport } = sportOf(book.game);
    const model = modelOf({ sport, league }, settings);
    if (typeof model === 'string' || live) {
      faults.push(`${name}: ${typeof model === 'string' ? model : 'it is in play, when a price needs the score'}`);
      return [];
    }
    const parts = books.filter(({ game }) => game.kind === 'child' && game.parentGameId === id);
    const quotes = [book, ...parts].flatMap((part) => quotesIn(part, sportOf(part.game).rule.draw));
    const priced = priceQuotes(name, quotes, model, settings, 0);
    faults.push(...priced.left.map((why) => `${name}: ${why}`));
    return priced.games;
  });
  return { games, faults, names: whole.map(({ game }) => game.eventName) };
}

const isWanted = (name: string, { game = '' }: PriceSettings): boolean =>
  name.toLowerCase().includes(game.toLowerCase());

const modelOf = (
  names: Parameters<typeof sportModelOf>[0],
  { sport, deviations }: PriceSettings,
): SportModel | string => sportModelOf(sport === undefined ? names : { sport, vendor: names.vendor ?? '' }, deviations);

function priceQuotes(
  name: string,
  quotes: readonly BookQuote[],
  model: SportModel,
  { weights }: PriceSettings,
  now: number,
): { readonly games: readonly PricedGame[]; readonly left: readonly string[] } {
  const { fit, left } = fitQuotes(quotes, {
    ...model,
    state: undefined,
    before: undefined,
    near: undefined,
    trusted: new Set(Object.keys(weights).map((book) => book.toLowerCase())),
    worthOf: () => 1,
    halfLifeMs: HALF_LIFE_MS,
    now,
  });
  return { games: fit === undefined ? [] : [pricedGame(name, fit.fitted)], left };
}

function quotesIn({ game: { period }, prices }: BookPrices, draw: DrawRule): readonly BookQuote[] {
  if (period === undefined) return [];
  return prices.flatMap(({ market: { type, line }, p }): readonly BookQuote[] => {
    // where a draw loses both bets, the two prices are not all that may happen
    if (hasThirdOutcome(type, draw)) return [];
    return [
      { book: EXCHANGE_BOOK, key: type, type, period, isAlternate: false, line, fair: [p, 1 - p], ts: 0, weight: 1 },
    ];
  });
}
