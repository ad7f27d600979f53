// The fills of one scenario, each with what is known of it: the order it filled and what stood before that in the queue, the
// fair price right before, so many seconds later and at the close, and what it brought.
import type { OutsidePrices } from '../measure/index.ts';
import type {
  AmericanOdds,
  CommissionRule,
  GameId,
  Market,
  MarketId,
  MarkoutSeconds,
  Micros,
  OrderRef,
  Position,
  Side,
  StrategyId,
} from '../domain/index.ts';
import {
  applyFill,
  commissionsOf,
  consensusOf,
  FAIR_BOOK,
  FLAT,
  gameTitle,
  MARKOUT_SECONDS,
  ofSide,
  PAST_MS,
  profitAt,
  swapKept,
  swappedMarket,
  swappedPlace,
  swappedPosition,
} from '../domain/index.ts';
import { ownerOf } from '../account/index.ts';
import type { VenueAccount, MarketBook, MatchedPlay, VenueGame } from '../venue/index.ts';
import type { InProcessExchange } from '../paper/index.ts';
import type { RunFill } from '../run/index.ts';
import { closedOutside, markoutOf, openOutside, cents } from '../run/index.ts';
import type { FairPrices } from './fair-prices.ts';
import type { OrderList } from './order-list.ts';
import { aheadOf } from './order-list.ts';
import { shownOf } from './price-feed.ts';
import type { GameResults } from './results-file.ts';

export type ListedFill = RunFill & {
  readonly odds: AmericanOdds;
  readonly win: Micros;
  readonly risk: Micros;
  /**
   * Fair probability of the side by the others' book right after; while that is wide, thin or one-sided, as in the sweep that
   * filled it, by the newest price that the bot knows; undefined: there was none.
   */
  readonly fair: number | undefined;
  fairLater: number | undefined;
};

type Row = { -readonly [K in keyof ListedFill]: ListedFill[K] } & {
  readonly later: (number | undefined)[];
};

export type FillListOptions = {
  readonly exchange: InProcessExchange;
  readonly account: VenueAccount;
  /** Of the bot, in its references. */
  readonly instance: string;
  /** What the exchange keeps of winnings. */
  readonly commission: CommissionRule;
  readonly fairs: FairPrices;
  readonly outside: OutsidePrices;
  readonly orders: OrderList;
  /** The newest price of a market that the bot knows, as probability of its first side. */
  readonly priceOf: (market: MarketId) => number | undefined;
  /** What a strategy said last before this Unix ms that a market is worth, as probability of its first side. */
  readonly ownFairOf: (strategy: StrategyId, market: MarketId, beforeMs: number) => number | undefined;
};

export class FillList {
  readonly #rows: Row[] = [];
  readonly #options: FillListOptions;
  /** Those from before the start of their game, which closes their market; and those in play, which the end of the tapes closes. */
  readonly #early = new Map<GameId, Row[]>();
  readonly #inPlay: Row[] = [];
  readonly #positions = new Map<MarketId, Position>();
  readonly #books = new Map<MarketId, MarketBook>();
  readonly #counts = new Map<MarketId, number>();
  #seen = 0;

  constructor(options: FillListOptions) {
    this.#options = options;
  }

  /** In the order in which they happened. */
  get rows(): readonly ListedFill[] {
    return this.#rows;
  }

  /** Of a market. */
  countOf(id: MarketId): number {
    return this.#counts.get(id) ?? 0;
  }

  /** Call it after whatever may have filled an offer of the account. */
  collect(): void {
    const { fills, plays } = this.#options.account;
    if (fills === this.#seen) return;
    for (const play of plays.newest(fills - this.#seen)) this.#add(play);
    this.#seen = fills;
  }

  /** What happened in a game is over, and its fills were collected: if it began, its markets closed with the prices of before. */
  note({ header }: VenueGame): void {
    const { id, live, start } = header;
    if (this.#early.has(id) && (live || start <= this.#options.exchange.nowMs)) this.#close(id);
  }

  /** Home and away of a game changed places: each fill stays on its team. */
  swapTeams(books: ReadonlySet<MarketBook>): void {
    const markets = [...books].map(({ market }) => swappedMarket(market));
    const before = new Set(markets.map(({ id }) => id));
    for (const row of this.#rows) {
      if (!before.has(row.market.id)) continue;
      const { first, second } = row.position;
      Object.assign(row, swappedPlace(row), { position: { first: second, second: first } });
    }
    swapKept(this.#positions, markets, (position, market) => swappedPosition(market, position));
    swapKept(this.#counts, markets);
    swapKept(this.#books, markets);
  }

  /** The tape is over: what a minute has not passed for is asked for now. */
  end({ results }: { readonly results: GameResults | undefined }): void {
    for (const row of this.#inPlay) this.#closeRow(row);
    for (const row of this.#rows) {
      const end = results?.endOf(row.market);
      if (end !== undefined) row.profit = profitAt(row, end);
      if (row.fairLater === undefined && markoutOf(row, 60) === undefined) this.#lookLater(row);
    }
    for (const rows of Map.groupBy(this.#rows, ({ market }) => market.id).values()) {
      const kept = commissionsOf(
        this.#options.commission,
        rows.map(({ profit = 0 }) => profit),
      );
      for (const [index, row] of rows.entries()) row.commission = kept[index] ?? 0;
    }
  }

  #add({ txId, order, odds, risk, win, atMs, role }: MatchedPlay): void {
    const { exchange, instance, fairs, orders } = this.#options;
    const { book, side, reference = '' } = order;
    const { market, game } = book;
    fairs.follow(book, exchange.nowMs);
    this.#books.set(market.id, book);
    const { ahead, reason } = orders.stood(order);
    const position = applyFill(this.#positions.get(market.id) ?? FLAT, side, risk, win);
    this.#positions.set(market.id, position);
    const t = Math.round(atMs);
    const strategy = ownerOf(reference, instance)?.strategy;
    const row: Row = {
      t,
      txId,
      ref: reference as OrderRef,
      strategy,
      gameId: market.gameId,
      league: game.header.league,
      start: game.header.start,
      eventName: gameTitle(game.header),
      market,
      side,
      odds,
      risk,
      win,
      payout: risk + win,
      role: role === 'offer' ? 'maker' : 'taker',
      ageMs: Math.max(0, t - order.createdAtMs),
      queuePlaced: ahead,
      queueFilled: role === 'offer' ? aheadOf(order) : undefined,
      reason,
      position: { first: position.first, second: position.second },
      isInPlay: game.header.live || game.header.start <= atMs,
      f0: ofSide(side, fairs.newest(book)),
      past: ofSide(side, fairs.past(book, atMs)),
      own: strategy === undefined ? undefined : this.#ownOf(strategy, market, side, atMs),
      outside: this.#outsideOf(market.id, side),
      fc: undefined,
      later: [],
      profit: undefined,
      commission: 0,
      fair: this.#fairIn(book, side),
      fairLater: undefined,
    };
    this.#rows.push(row);
    this.#counts.set(market.id, this.countOf(market.id) + 1);
    for (const seconds of MARKOUT_SECONDS) {
      const laterMs = atMs + seconds * 1000;
      // nothing was told meanwhile, or it would have been seen then
      if (laterMs <= exchange.nowMs) this.#look(row, seconds);
      else exchange.at(laterMs, () => this.#look(row, seconds));
    }
    if (row.isInPlay) {
      this.#inPlay.push(row);
      return;
    }
    const early = this.#early.get(market.gameId);
    if (early !== undefined) early.push(row);
    else {
      this.#early.set(market.gameId, [row]);
      this.#closeAt(game.header.start, market.gameId);
    }
  }

  #ownOf(strategy: StrategyId, { id }: Market, side: Side, atMs: number): ListedFill['own'] {
    const { ownFairOf } = this.#options;
    const f0 = ofSide(side, ownFairOf(strategy, id, atMs));
    return f0 === undefined
      ? undefined
      : { f0, past: ofSide(side, ownFairOf(strategy, id, atMs - PAST_MS)), fc: undefined };
  }

  #outsideOf(id: MarketId, side: Side): ListedFill['outside'] {
    return openOutside((source) => ofSide(side, this.#options.outside.newest(source, id)));
  }

  #look(row: Row, seconds: MarkoutSeconds): void {
    const book = this.#books.get(row.market.id);
    if (book === undefined) return;
    const p = ofSide(row.side, this.#options.fairs.newest(book));
    row.later[MARKOUT_SECONDS.indexOf(seconds)] = p;
    if (seconds === LATER_SECONDS) row.fairLater = this.#fairIn(book, row.side);
  }

  #lookLater(row: Row): void {
    const book = this.#books.get(row.market.id);
    if (book !== undefined) row.fairLater = this.#fairIn(book, row.side);
  }

  /** The start may be moved meanwhile. */
  #closeAt(startMs: number, gameId: GameId): void {
    const { exchange } = this.#options;
    exchange.at(startMs, () => {
      const start = exchange.world.venue.games.get(gameId)?.header.start;
      if (start !== undefined && start > startMs) this.#closeAt(start, gameId);
      else this.#close(gameId);
    });
  }

  /** The game begins. */
  #close(gameId: GameId): void {
    for (const row of this.#early.get(gameId) ?? []) this.#closeRow(row);
    this.#early.delete(gameId);
  }

  #closeRow(row: Row): void {
    const book = this.#books.get(row.market.id);
    if (book !== undefined) row.fc = ofSide(row.side, this.#options.fairs.newest(book));
    const { outside, ownFairOf, exchange } = this.#options;
    row.outside = closedOutside(row.outside, (source) => ofSide(row.side, outside.newest(source, row.market.id)));
    if (row.own === undefined || row.strategy === undefined) return;
    row.own = { ...row.own, fc: ofSide(row.side, ownFairOf(row.strategy, row.market.id, exchange.nowMs)) };
  }

  #fairIn({ sides, market }: MarketBook, side: Side): number | undefined {
    const p = consensusOf(shownOf(sides[0]), shownOf(sides[1]), FAIR_BOOK)?.p ?? this.#options.priceOf(market.id);
    return ofSide(side, p);
  }
}

/** How long after a fill the edge is asked for again. */
const LATER_SECONDS = 60;

/** What the fills with both fair prices, so many, were worth beyond their stakes, dollars. */
export type Edge = {
  readonly fills: number;
  /** Null: there are fills, and none has both prices. */
  readonly atFill: number | null;
  readonly after60s: number | null;
};

export function edgeOf(rows: readonly ListedFill[]): Edge {
  let fills = 0;
  let atFill = 0;
  let after60s = 0;
  for (const row of rows) {
    const { fair, fairLater } = row;
    // a sum over others would tell of other fills, not of what became of these
    if (fair === undefined || fairLater === undefined) continue;
    fills += 1;
    atFill += expected(row, fair);
    after60s += expected(row, fairLater);
  }
  if (fills === 0 && rows.length > 0) return { fills, atFill: null, after60s: null };
  return { fills, atFill: cents(atFill / 1e6), after60s: cents(after60s / 1e6) };
}

/** Profit at a fair probability, micro-dollars. */
const expected = ({ risk, win }: ListedFill, fair: number): number => fair * win - (1 - fair) * risk;
