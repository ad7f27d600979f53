// Raises the fills of a backtest as the venue sees them, not as the bot learns of them: with the queue ahead
// of the order, the fair price before the fill, after fixed times and at the close, and the settlement by the
// games' results. They are the events of a live run (docs/reference/events.md), so one fold computes the
// figures of both.
import { ownerOf } from '../account/index.ts';
import type {
  CommissionRule,
  EventOf,
  GameId,
  MarketEnd,
  MarketId,
  Micros,
  OrderRef,
  Position,
  PricesBySource,
  RunEvent,
  Side,
  StrategyId,
  TxId,
} from '../domain/index.ts';
import {
  applyFill,
  Commission,
  consensusOf,
  FAIR_BOOK,
  fairByStrategy,
  FLAT,
  gameTitle,
  knownPrices,
  elementAt,
  MARKOUT_SECONDS,
  PAST_MS,
  profitAt,
  swapKept,
  swappedMarket,
  swappedPosition,
  swappedSide,
} from '../domain/index.ts';
import type { OutsidePrices } from '../measure/index.ts';
import type { InProcessExchange } from '../paper/index.ts';
import type { MarketBook, MatchedPlay, VenueAccount, VenueGame } from '../venue/index.ts';
import type { FairPrices } from './fair-prices.ts';
import { shownOf } from './price-feed.ts';
import type { GameResults } from './results-file.ts';
import { aheadOf } from './venue-orders.ts';
import type { Raise, VenueOrders } from './venue-orders.ts';

export type VenueFillsOptions = {
  readonly exchange: InProcessExchange;
  readonly account: VenueAccount;
  /** The instance name in the bot's order references. */
  readonly instance: string;
  readonly fairs: FairPrices;
  readonly outside: OutsidePrices;
  readonly orders: VenueOrders;
  /** The commission of the exchange on winnings. */
  readonly commission: CommissionRule;
  /** The newest price of a market that the bot knows, as a probability of the first side. */
  readonly priceOf: (market: MarketId) => number | undefined;
  /**
   * The newest fair price that a strategy gave for a market before this time (Unix ms), as a probability of
   * the first side.
   */
  readonly ownFairOf: (strategy: StrategyId, market: MarketId, beforeMs: number) => number | undefined;
  readonly raise: Raise;
};

/** A fill whose markouts are still to be raised. */
type Filled = {
  readonly txId: TxId;
  readonly risk: Micros;
  readonly win: Micros;
  readonly strategy: StrategyId | undefined;
  readonly isInPlay: boolean;
  side: Side;
  /** Whether the markout with the mark of its market, a minute after the fill, has been raised. */
  isMarked: boolean;
};

type FilledMarket = { book: MarketBook; position: Position; readonly fills: Filled[] };

/** Seconds after a fill at which its market is marked again. */
const MARK_SECONDS = 60;

export class VenueFills {
  readonly #options: VenueFillsOptions;
  readonly #markets = new Map<MarketId, FilledMarket>();
  /** Games with fills that have not begun. */
  readonly #early = new Set<GameId>();
  readonly #commission: Commission;
  #collected = 0;

  constructor(options: VenueFillsOptions) {
    this.#options = options;
    this.#commission = new Commission(options.commission);
  }

  /** The number of fills in a market. */
  countIn(id: MarketId): number {
    return this.#markets.get(id)?.fills.length ?? 0;
  }

  /** Raises the fills since the last call. Call it after anything that may have filled an own offer. */
  collect(): void {
    const { fills, plays } = this.#options.account;
    if (fills === this.#collected) return;
    for (const play of plays.newest(fills - this.#collected)) this.#add(play);
    this.#collected = fills;
  }

  /**
   * Closes the markets of a game that has begun, at the prices from before the start. Call it after an event
   * of the game, when its fills have been collected.
   */
  note({ header }: VenueGame): void {
    const { id, live, start } = header;
    if (this.#early.has(id) && (live || start <= this.#options.exchange.nowMs)) this.#closeGame(id);
  }

  /** Moves each fill to the side where its team is now, after home and away of a game changed places. */
  swapTeams(books: ReadonlySet<MarketBook>): void {
    const before = [...books].map(({ market }) => swappedMarket(market));
    swapKept(this.#markets, before, (kept, market) =>
      Object.assign(kept, { position: swappedPosition(market, kept.position) }),
    );
    for (const id of new Set([...books].map(({ market }) => market.id)))
      for (const fill of this.#markets.get(id)?.fills ?? []) {
        fill.side = swappedSide(fill.side);
        this.#raise({ type: 'FillMoved', txId: fill.txId, market: id, side: fill.side });
      }
  }

  /**
   * Ends the run: raises markouts that are not due yet, the close of markets with fills in play, and
   * settlements by the results.
   */
  endRun(results: GameResults | undefined): void {
    for (const market of this.#markets.values()) {
      if (market.fills.some(({ isInPlay }) => isInPlay)) this.#close(market, true);
      const end = results?.endOf(market.book.market);
      for (const fill of market.fills) {
        if (!fill.isMarked) this.#raiseMarkout(fill, market, MARK_SECONDS, undefined);
        if (end !== undefined) this.#settle(fill, market.book.market.id, end);
      }
    }
  }

  #add({ txId, order, odds, risk, win, atMs, role }: MatchedPlay): void {
    const { exchange, instance, fairs, orders, raise } = this.#options;
    const { book, side, reference } = order;
    const { market, game } = book;
    const { header } = game;
    fairs.follow(book, exchange.nowMs);
    const kept = this.#marketOf(book);
    kept.position = applyFill(kept.position, side, risk, win);
    const t = Math.round(atMs);
    const strategy = reference === undefined ? undefined : ownerOf(reference, instance)?.strategy;
    // by the time of the event, as the fold decides it
    const isInPlay = header.live || header.start <= t;
    const { ahead, reason } = orders.restingAs(order);
    const { first, second } = kept.position;
    raise(t, {
      type: 'Fill',
      txId,
      gameId: market.gameId,
      market: market.id,
      side,
      odds,
      risk,
      win,
      isOwn: true,
      ref: reference as OrderRef | undefined,
      strategy,
      source: 'feed',
      game: {
        league: header.league,
        sport: header.sport,
        name: gameTitle(header),
        start: header.start,
        live: isInPlay,
        ...(header.period === undefined ? {} : { period: header.period }),
      },
      fair: this.#markOf(book),
      position: { first, second },
      ...this.#pricesOf(book, strategy, atMs),
      ageMs: Math.max(0, t - order.createdAtMs),
      ...(ahead === undefined ? {} : { ahead }),
      ...(reason === undefined ? {} : { reason }),
      ...(role === 'offer' ? { aheadAtFill: aheadOf(order) } : { role: 'taker' }),
    });
    if (role === 'wager') {
      orders.endTaken(order);
      // what an own order took is gone from the book, before another event changes it
      fairs.note(book, atMs);
    }
    const fill: Filled = { txId, risk, win, strategy, isInPlay, side, isMarked: false };
    kept.fills.push(fill);
    this.#raiseMarkouts(fill, kept, atMs, 0);
    if (isInPlay || this.#early.has(market.gameId)) return;
    this.#early.add(market.gameId);
    this.#closeAt(header.start, market.gameId);
  }

  /** Raises the markouts from this one on, each at its time. */
  #raiseMarkouts(fill: Filled, kept: FilledMarket, atMs: number, from: number): void {
    const { exchange, fairs } = this.#options;
    for (let index = from; index < MARKOUT_SECONDS.length; index++) {
      const seconds = elementAt(MARKOUT_SECONDS, index);
      const laterMs = atMs + seconds * 1000;
      // one timer for each fill: the next one is set when this one has rung
      if (laterMs > exchange.nowMs) {
        exchange.at(laterMs, () => this.#raiseMarkouts(fill, kept, atMs, index));
        return;
      }
      this.#raiseMarkout(fill, kept, seconds, fairs.newest(kept.book));
    }
  }

  #marketOf(book: MarketBook): FilledMarket {
    const { id } = book.market;
    let kept = this.#markets.get(id);
    if (kept === undefined) this.#markets.set(id, (kept = { book, position: FLAT, fills: [] }));
    kept.book = book;
    return kept;
  }

  #pricesOf(
    book: MarketBook,
    strategy: StrategyId | undefined,
    atMs: number,
  ): { readonly before: PricesBySource; readonly past: PricesBySource } {
    const { fairs, outside, ownFairOf } = this.#options;
    const { id } = book.market;
    const own = (beforeMs: number): number | undefined =>
      strategy === undefined ? undefined : ownFairOf(strategy, id, beforeMs);
    return {
      before: knownPrices({ consensus: fairs.newest(book), own: own(atMs), ...outside.pricesOf(id) }),
      past: knownPrices({ consensus: fairs.past(book, atMs), own: own(atMs - PAST_MS) }),
    };
  }

  #raiseMarkout(
    fill: Filled,
    { book }: FilledMarket,
    seconds: EventOf<'Markout'>['seconds'],
    fair: number | undefined,
  ): void {
    const mark = seconds === MARK_SECONDS ? this.#markOf(book) : undefined;
    if (mark !== undefined || fair !== undefined) fill.isMarked ||= seconds === MARK_SECONDS;
    this.#raise({
      type: 'Markout',
      txId: fill.txId,
      seconds,
      ...(fair === undefined ? {} : { fair }),
      ...(mark === undefined ? {} : { mark }),
    });
  }

  /** Closes a game at its start. The start may be moved meanwhile. */
  #closeAt(startMs: number, gameId: GameId): void {
    const { exchange } = this.#options;
    exchange.at(startMs, () => {
      const start = exchange.world.venue.games.get(gameId)?.header.start;
      if (start !== undefined && start > startMs) this.#closeAt(start, gameId);
      else this.#closeGame(gameId);
    });
  }

  /** Closes the markets of a game that begins. */
  #closeGame(gameId: GameId): void {
    if (!this.#early.delete(gameId)) return;
    for (const market of this.#markets.values())
      if (market.book.market.gameId === gameId && market.fills.some((fill) => !fill.isInPlay))
        this.#close(market, false);
  }

  #close({ book, fills }: FilledMarket, isInPlay: boolean): void {
    const { exchange, fairs, outside, ownFairOf } = this.#options;
    const { id } = book.market;
    this.#raise({
      type: 'CloseTaken',
      market: id,
      isInPlay,
      prices: knownPrices({ consensus: fairs.newest(book), ...outside.pricesOf(id) }),
      own: fairByStrategy(
        fills.map(({ strategy }) => strategy),
        (strategy) => ownFairOf(strategy, id, exchange.nowMs),
      ),
    });
  }

  #settle({ txId, side, risk, win }: Filled, market: MarketId, end: MarketEnd): void {
    const profit = profitAt({ side, risk, win }, end);
    this.#raise({
      type: 'Settled',
      txId,
      profit,
      commission: this.#commission.charge(market, profit),
      isReported: true,
      source: 'graded',
      result: undefined,
    });
  }

  /**
   * The mark of a market: its consensus now. When the book is wide, thin or one-sided, as right after a take
   * through several prices that filled an offer, the newest price that the bot knows.
   */
  #markOf({ sides, market }: MarketBook): number | undefined {
    return consensusOf(shownOf(sides[0]), shownOf(sides[1]), FAIR_BOOK)?.p ?? this.#options.priceOf(market.id);
  }

  #raise(event: RunEvent): void {
    this.#options.raise(this.#options.exchange.nowMs, event);
  }
}
