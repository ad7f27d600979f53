// Events of fills (event.ts).
import type { Place } from './order-events.ts';
import type { MarkoutSeconds } from './fill-times.ts';
import type { Source } from './price-sources.ts';
import type { GameId, OrderRef, StrategyId, TxId } from './brand.ts';
import type { GameResult } from './game-result.ts';
import type { MarketId, Side } from './market.ts';
import type { Micros } from './money.ts';
import type { AmericanOdds } from './odds.ts';
import type { Period } from './period.ts';

/** A game as the bot knows it at the moment of the event. */
export type EventGame = {
  readonly league: string;
  readonly sport: string;
  readonly name: string;
  /** Unix ms. */
  readonly start: number;
  readonly live: boolean;
  /** The period that decides it: `full` for a whole game. Absent when it is not known. */
  readonly period?: Period;
};

/**
 * The price of a market by source, as probability of its first side; absent when unknown. `consensus`: the
 * others' book; `own`: the strategy of the order; `fair` and `odds`: signals of these names.
 */
export type PricesBySource = Readonly<Partial<Record<'consensus' | Source, number>>>;

/** The prices without undefined entries. */
export const knownPrices = <Name extends string>(
  prices: Readonly<Partial<Record<Name, number | undefined>>>,
): Readonly<Partial<Record<Name, number>>> =>
  Object.fromEntries(Object.entries(prices).filter(([, price]) => price !== undefined)) as Partial<
    Record<Name, number>
  >;

/** Collects the fair price of each strategy that gives one. */
export function fairByStrategy(
  strategies: Iterable<StrategyId | undefined>,
  fairOf: (strategy: StrategyId) => number | undefined,
): CloseTaken['own'] {
  const fairs: Record<StrategyId, number> = {};
  for (const strategy of new Set(strategies)) {
    const fair = strategy === undefined ? undefined : fairOf(strategy);
    if (strategy !== undefined && fair !== undefined) fairs[strategy] = fair;
  }
  return fairs;
}

/** A fill is booked: once for each txID, and again when its market becomes known. */
export type Fill = {
  readonly type: 'Fill';
  readonly txId: TxId;
  readonly gameId: GameId;
  /** Undefined until the game is known; until then the whole stake counts as a possible loss. */
  readonly market: MarketId | undefined;
  readonly side: Side | undefined;
  readonly odds: AmericanOdds;
  readonly risk: Micros;
  /** The profit if it wins, without its stake. */
  readonly win: Micros;
  /** True for an order of this bot, from any run. */
  readonly isOwn: boolean;
  readonly ref: OrderRef | undefined;
  readonly strategy: StrategyId | undefined;
  /** The source of the report: the user feed, or an answer to a request. */
  readonly source: 'feed' | 'answer';
  readonly game: EventGame | undefined;
  /** The price that values positions in the market, as probability of its first side. */
  readonly fair: number | undefined;
  /** What the market pays if its first and if its second side wins, including this fill. */
  readonly position: { readonly first: Micros; readonly second: Micros } | undefined;
  /** Prices right before the cause of the fill. */
  readonly before: PricesBySource;
  /** Prices 5 s earlier than `before`. */
  readonly past: PricesBySource;
  /** How long the order had rested, ms; only of orders of this run. */
  readonly ageMs?: number;
  /** Others' stake ahead of the order when it began to rest; only of orders of this run. */
  readonly ahead?: Micros;
  /** The reason that the strategy gave with its intent. */
  readonly reason?: string;
  /** Others' stake ahead of the order when it filled; only a backtest knows it. */
  readonly aheadAtFill?: Micros;
  /** Set when the order took others' offers. Absent when it rested and was taken, as all quotes do. */
  readonly role?: 'taker';
};

/** The price `seconds` after a fill. */
export type Markout = {
  readonly type: 'Markout';
  readonly txId: TxId;
  readonly seconds: MarkoutSeconds;
  /** The consensus, as probability of the market's first side; absent when there was none. */
  readonly fair?: number;
  /** The price that valued the market a minute after the fill, or at the end; only in a backtest. */
  readonly mark?: number;
};

/**
 * The closing prices of a market with fills. Fills from before the start close with the last prices before
 * it; fills in play with the last ones before the market settled or the run ended.
 */
export type CloseTaken = {
  readonly type: 'CloseTaken';
  readonly market: MarketId;
  readonly isInPlay: boolean;
  readonly prices: Omit<PricesBySource, 'own'>;
  /** The closing price by each strategy that has such a fill and sends a fair price with its intents. */
  readonly own: Readonly<Record<StrategyId, number>>;
};

/** The exchange swapped home and away of a game: a fill stays on its team. */
export type FillMoved = Place & { readonly type: 'FillMoved'; readonly txId: TxId };

/** A fill is settled by the end of its game. */
export type Settled = {
  readonly type: 'Settled';
  readonly txId: TxId;
  /** The profit before commission. */
  readonly profit: Micros;
  /** The change of the commission that the exchange keeps; below 0 when a losing fill reduces it. */
  readonly commission: Micros;
  /** False when no result is known: the stake counts as lost. */
  readonly isReported: boolean;
  readonly source: 'operator' | 'graded';
  /** The result as the operator gave it. */
  readonly result: GameResult | undefined;
};

/** An operator withdrew the result that settled a fill. */
export type Unsettled = { readonly type: 'Unsettled'; readonly txId: TxId };
