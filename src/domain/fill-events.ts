// What happens to fills (event.ts).
import type { Place } from './order-events.ts';
import type { MarkoutSeconds } from './fill-times.ts';
import type { Source } from './price-sources.ts';
import type { GameId, OrderRef, StrategyId, TxId } from './brand.ts';
import type { GameResult } from './game-result.ts';
import type { MarketId, Side } from './market.ts';
import type { Micros } from './money.ts';
import type { AmericanOdds } from './odds.ts';

/** A game as it is known when something happens in it. */
export type EventGame = {
  readonly league: string;
  readonly sport: string;
  readonly name: string;
  /** Unix ms. */
  readonly start: number;
  readonly live: boolean;
};

/**
 * What a market was worth, by who says so, as probability of its first side; absent: unknown. `consensus`: of the others' book;
 * `own`: the strategy of the order; `fair` and `odds`: signals of these names.
 */
export type PricesBySource = Readonly<Partial<Record<'consensus' | Source, number>>>;

/** Those that are known. */
export const knownPrices = <Name extends string>(
  prices: Readonly<Partial<Record<Name, number | undefined>>>,
): Readonly<Partial<Record<Name, number>>> =>
  Object.fromEntries(Object.entries(prices).filter(([, price]) => price !== undefined)) as Partial<
    Record<Name, number>
  >;

/** A fill is booked, once for each txID; once more when its market becomes known. */
export type Fill = {
  readonly type: 'Fill';
  readonly txId: TxId;
  readonly gameId: GameId;
  /** Undefined until the game is known: then all of the stake may be lost. */
  readonly market: MarketId | undefined;
  readonly side: Side | undefined;
  readonly odds: AmericanOdds;
  readonly risk: Micros;
  /** What it brings beyond its stake if it wins. */
  readonly win: Micros;
  /** An order of this bot, in whatever run. */
  readonly isOwn: boolean;
  readonly ref: OrderRef | undefined;
  readonly strategy: StrategyId | undefined;
  /** What reported it: the user feed, or an answer to a request. */
  readonly source: 'feed' | 'answer';
  readonly game: EventGame | undefined;
  /** What the market is marked at. */
  readonly fair: number | undefined;
  /** What the market pays by either side, with it. */
  readonly position: { readonly first: Micros; readonly second: Micros } | undefined;
  /** Right before what caused it, and PAST_MS earlier. */
  readonly before: PricesBySource;
  readonly past: PricesBySource;
  /** Of an order that this run sent and saw come to rest: for how long it had, ms, and others' stake ahead of it then. */
  readonly ageMs?: number;
  readonly ahead?: Micros;
  /** Of the intent. */
  readonly reason?: string;
  /** Others' stake ahead of it when it filled: only the venue of a backtest knows it. */
  readonly aheadAtFill?: Micros;
  /** Its order took others' offers. Absent: it waited to be taken, as orders of a bot do. */
  readonly role?: 'taker';
};

/**
 * So many seconds after a fill. `fair`: the consensus, probability of the market's first side; absent: there was none. `mark`: what
 * the market was marked at; the venue of a backtest says it a minute after a fill, or at the end of the run.
 */
export type Markout = {
  readonly type: 'Markout';
  readonly txId: TxId;
  readonly seconds: MarkoutSeconds;
  readonly fair?: number;
  readonly mark?: number;
};

/**
 * The close of a market with fills: its last prices before the start, of fills from before it; of fills in play the last ones
 * before it settled, or before the run ended.
 */
export type CloseTaken = {
  readonly type: 'CloseTaken';
  readonly market: MarketId;
  readonly isInPlay: boolean;
  readonly prices: Omit<PricesBySource, 'own'>;
  /** By each strategy with such a fill that says what a market is worth. */
  readonly own: Readonly<Record<StrategyId, number>>;
};

/** Home and away of its game changed places: a fill stays on its team. */
export type FillMoved = Place & { readonly type: 'FillMoved'; readonly txId: TxId };

/** The end of its game settled a fill. */
export type Settled = {
  readonly type: 'Settled';
  readonly txId: TxId;
  /** Before commission. */
  readonly profit: Micros;
  /** What the exchange keeps more for it; below 0: less, since it lost. */
  readonly commission: Micros;
  /** False: no result is known, and its stake counts as lost. */
  readonly isTold: boolean;
  readonly source: 'operator' | 'graded';
  /** As the operator gave it. */
  readonly result: GameResult | undefined;
};

/** An operator took back what settled a fill. */
export type Unsettled = { readonly type: 'Unsettled'; readonly txId: TxId };
