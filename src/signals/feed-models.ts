// The model prices of the odds feed: one fit a game, from which every market of the game at the exchange gets a
// price and a standard error. It keeps the last fit before the start, from which a game in play goes on.
import type { DrawRule, Game, GameId, Market } from '../domain/index.ts';
import { hasThirdOutcome, MODEL_PREFIX } from '../domain/index.ts';
import type { FittedGame, GameScore } from '../pricing/index.ts';
import { gameState, swappedParameters } from '../pricing/index.ts';
import type { BookQuote, BookQuotes } from './book-quotes.ts';
import { BookWeights } from './book-weights.ts';
import type { GameFit } from './game-fit.ts';
import { EXCHANGE_BOOK, fitQuotes, quoteText } from './game-fit.ts';
import { modelPrice } from './model-price.ts';
import type { Deviations } from './model-sport.ts';
import { sportModelOf } from './model-sport.ts';
import { lasting } from './odds-fair.ts';
import type { FairSettings } from './odds-fair.ts';
import { eventText } from './odds-event.ts';
import type { MatchedEvent } from './team-match.ts';

export type ModelSettings = FairSettings & {
  /** Weight of the exchange's own book beside the bookmakers. 0: none. */
  readonly exchangeWeight: number;
  readonly deviations: Deviations;
};

export type ModelPorts = {
  /** The sport of a game by the exchange's table. Undefined when it is not known. */
  readonly sportOf: (game: Game) => string | undefined;
  readonly drawOf: (game: Game) => DrawRule;
  /** Every known market of a game and its parts. */
  readonly marketsOf: (id: GameId) => Iterable<{ readonly market: Market; readonly game: Game }>;
  /** Current prices of the exchange's own book, without own offers. */
  readonly consensusIn: (id: GameId) => Iterable<{ readonly market: Market; readonly p: number }>;
  /** The score of a game in play. Undefined when it is not known or too old. */
  readonly scoreOf: (id: GameId) => GameScore | undefined;
};

export type SignalPrice = {
  readonly p: number;
  /** Unix ms. */
  readonly ts: number;
};

export type ModelPrices = {
  readonly signals: ReadonlyMap<string, SignalPrice>;
  readonly left: readonly string[];
  readonly gaps: readonly PriceGap[];
};

/** A quote far from all others of its game. */
export type PriceGap = {
  /** Its event, book and type of market: the same while the gap lasts. */
  readonly key: string;
  readonly text: string;
};

const NO_PRICES = { signals: new Map<string, SignalPrice>(), gaps: [] } as const;

export class FeedModels {
  readonly #settings: ModelSettings;
  readonly #ports: ModelPorts;
  readonly #trusted: ReadonlySet<string>;
  readonly #weights = new BookWeights();
  /** The last fit of each game before its start, in the orientation of the exchange's feed event. */
  readonly #closing = new Map<GameId, FittedGame>();
  /** The last fit of each game, before the start or in play. */
  readonly #last = new Map<GameId, FittedGame>();
  /** The lead of each game in play, and since when. */
  readonly #leads = new Map<GameId, { readonly lead: number; readonly since: number }>();

  constructor(settings: ModelSettings, ports: ModelPorts) {
    this.#settings = settings;
    this.#ports = ports;
    this.#trusted = new Set(Object.keys(settings.weights).map((name) => name.toLowerCase()));
  }

  /** The weights of the bookmakers by league, as learned so far. */
  get weights(): BookWeights['weights'] {
    return this.#weights.weights;
  }

  /** Forgets all games but these, and all events but those matched with them. */
  keepOnly(matched: readonly MatchedEvent[]): void {
    const games = new Set(matched.map(({ game }) => game.id));
    for (const kept of [this.#closing, this.#last, this.#leads])
      for (const id of kept.keys()) if (!games.has(id)) kept.delete(id);
    this.#weights.keepOnly(new Set(matched.map(({ event }) => event.id)));
  }

  /**
   * Prices a game.
   * @param quoted the quotes of its event
   * @param now Unix ms
   */
  price(match: MatchedEvent, quoted: BookQuotes, now: number): ModelPrices {
    const { event, game, isTurned } = match;
    const model = sportModelOf(
      { sport: this.#ports.sportOf(game), league: game.league, vendor: event.sport },
      this.#settings.deviations,
    );
    if (typeof model === 'string') return { ...NO_PRICES, left: [model] };
    const isLive = game.live || game.start <= now;
    const score = isLive ? this.#ports.scoreOf(game.id) : undefined;
    if (isLive && score === undefined)
      return {
        ...NO_PRICES,
        left: [`it is in play, and there is no fresh score: signals lead:${game.id} and clock:${game.id}`],
      };
    const turned = score !== undefined && isTurned ? { ...score, lead: 0 - score.lead } : score;
    const since = score === undefined ? 0 : this.#leadSince(game.id, score.lead, now);
    const { left, fit } = fitQuotes(this.#current(match, quoted, since, now), {
      ...model,
      state: turned === undefined ? undefined : gameState(model.sport, turned),
      before: isLive ? this.#closing.get(game.id) : undefined,
      near: this.#last.get(game.id),
      trusted: this.#trusted,
      worthOf: (book) => this.#weights.worthOf(event.sport, book),
      halfLifeMs: this.#settings.ttlMs / 2,
      now,
    });
    if (fit === undefined) return { ...NO_PRICES, left };
    this.#last.set(game.id, fit.fitted);
    if (!isLive) {
      this.#closing.set(game.id, fit.fitted);
      this.#weights.note(event.sport, event.id, fit.fitted, now);
    }
    const { signals, without } = this.#signalsOf(match, fit);
    const gaps = fit.gaps.map((gap) => ({
      key: `${event.id} ${gap.book} ${gap.type}`,
      text: `${eventText(event)}: ${quoteText(gap)}, where all quotes say ${gap.fair.toFixed(3)}`,
    }));
    return { signals, left: [...left, ...without], gaps };
  }

  /** The quotes that count: not about to expire, and of the current lead in play; with the exchange's own book. */
  #current({ game, isTurned }: MatchedEvent, { quotes }: BookQuotes, since: number, now: number): readonly BookQuote[] {
    const current = lasting(
      quotes.filter(({ ts }) => ts >= since),
      this.#settings,
      now,
    );
    const { exchangeWeight } = this.#settings;
    if (exchangeWeight === 0) return current;
    const own = [...this.#ports.consensusIn(game.id)].flatMap(({ market, p }) => {
      // a draw that loses both bets is no part of the two prices
      if (hasThirdOutcome(market.type, this.#ports.drawOf(game))) return [];
      const isOther = isTurned && market.type !== 'total';
      return [
        {
          book: EXCHANGE_BOOK,
          key: market.type,
          type: market.type,
          period: 'full',
          isAlternate: false,
          line: market.line !== undefined && isOther ? 0 - market.line : market.line,
          fair: isOther ? [1 - p, p] : [p, 1 - p],
          ts: now,
          weight: exchangeWeight,
        } satisfies BookQuote,
      ];
    });
    return [...current, ...own];
  }

  /** When the current lead began, Unix ms: older quotes are of another score. */
  #leadSince(id: GameId, lead: number, now: number): number {
    const known = this.#leads.get(id);
    if (known?.lead === lead) return known.since;
    // of the first lead that is seen it is not known when it began
    const since = known === undefined ? 0 : now;
    this.#leads.set(id, { lead, since });
    return since;
  }

  #signalsOf({ game, isTurned }: MatchedEvent, { fitted, ts }: GameFit) {
    const signals = new Map<string, SignalPrice>();
    const without = new Set<string>();
    const known = fitted.parameters as Readonly<Record<string, number>>;
    for (const [name, value] of Object.entries(isTurned ? swappedParameters(known) : known))
      signals.set(`${MODEL_PREFIX}${game.id}:${name}`, { p: rounded(value), ts });
    for (const { market, game: part } of this.#ports.marketsOf(game.id)) {
      const { period, kind } = part;
      if (period === undefined || kind === 'prop' || kind === 'future') continue;
      const draw = this.#ports.drawOf(part);
      if (hasThirdOutcome(market.type, draw)) {
        without.add('moneyline: a draw loses both bets, so that its two sides have no price in common');
        continue;
      }
      try {
        const price = modelPrice(fitted, market, { period, draw, isTurned });
        if (price === undefined) continue;
        signals.set(`${MODEL_PREFIX}${market.id}`, { p: rounded(price.p), ts });
        signals.set(`${MODEL_PREFIX}${market.id}:error`, { p: rounded(price.error), ts });
      } catch (error) {
        // the sport has no model of this period
        if (!(error instanceof RangeError)) throw error;
        without.add(`${period}: ${error.message}`);
      }
    }
    return { signals, without };
  }
}

/** Smaller changes are no news. */
const rounded = (value: number): number => Math.round(value * 1e5) / 1e5;
