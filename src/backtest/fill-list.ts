// The fills of one scenario, each with what is known of it: the order it filled and what stood before that in the queue, the
// fair price right before, so many seconds later and at the close, and what it brought.
import type {
  AmericanOdds,
  CommissionRule,
  DrawRule,
  FinalScore,
  GameId,
  MarketId,
  Micros,
  OrderRef,
  Position,
  Side,
} from '../domain/index.ts';
import { applyFill, commissionsOf, consensusOf, FAIR_BOOK, FLAT, ofSide } from '../domain/index.ts';
import { ownerOf, profitOf } from '../account/index.ts';
import type {
  Account,
  InProcessExchange,
  MarketBook,
  MatchedPlay,
  SideBook,
  VenueOrder,
} from '../paper/index.ts';
import { compareRank, ghostAvailable, sideOf } from '../paper/index.ts';
import type { MarkoutSeconds, ReportFill } from '../report/index.ts';
import { MARKOUT_SECONDS } from '../report/index.ts';
import { FairPrices } from './fair-prices.ts';
import { OrderList } from './order-list.ts';
import { shownOf } from './price-feed.ts';
import { cents } from './result.ts';

export type FillRow = ReportFill & {
  readonly txId: string;
  /** Of the order. */
  readonly ref: string;
  readonly eventName: string;
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

type Row = { -readonly [K in keyof FillRow]: FillRow[K] } & {
  later: Partial<Record<MarkoutSeconds, number>>;
};

/** What is known of the games at the end. */
type Scored = {
  readonly scores: ReadonlyMap<GameId, FinalScore> | undefined;
  /** How a level score settles the moneyline of a game. */
  readonly drawOf: (game: GameId) => DrawRule;
};

export type FillListOptions = {
  readonly exchange: InProcessExchange;
  readonly account: Account;
  /** Of the bot, in its references. */
  readonly instance: string;
  /** What the exchange keeps of winnings. */
  readonly commission: CommissionRule;
  /** How markets looked is told of all of them. */
  readonly keepsQuotes: boolean | undefined;
  /** The newest price of a market that the bot knows, as probability of its first side. */
  readonly priceOf: (market: MarketId) => number | undefined;
};

export class FillList {
  readonly orders: OrderList;
  readonly #rows: Row[] = [];
  readonly #fairs = new FairPrices();
  readonly #options: FillListOptions;
  /** Those that wait for the close of their market. */
  readonly #open = new Map<GameId, Map<Row, MarketBook>>();
  readonly #positions = new Map<MarketId, Position>();
  readonly #books = new Map<MarketId, MarketBook>();
  /** Others' stake that stood before an order when it came to rest. */
  readonly #queued = new WeakMap<VenueOrder, Micros>();
  /** Why the bot sent it, by the reference. */
  readonly #said = new Map<string, string>();
  readonly #counts = new Map<MarketId, number>();
  /** Of a market whose game is over. */
  #mostFills = 0;
  #seen = 0;

  constructor(options: FillListOptions) {
    this.#options = options;
    const { exchange, account, instance } = options;
    this.orders = new OrderList({
      strategyOf: (ref) => ownerOf(ref, instance)?.strategy,
      reasonOf: (ref) => this.#said.get(ref),
      fairOf: (book) => this.#fairs.newest(book),
    });
    const { venue } = exchange.world;
    const { sink } = venue;
    venue.sink = {
      ...{ sideChanged: (side) => sink.sideChanged(side) },
      gameChanged: (game, type) => sink.gameChanged(game, type),
      position: (of, record) => {
        const { order, play, rests } = record;
        if (of === account && rests) this.#applyRecord(order, play !== undefined);
        sink.position(of, record);
      },
    };
  }

  /** In the order in which they happened. */
  get rows(): readonly FillRow[] {
    return this.#rows;
  }

  /** The bot sent an order, or moved one, for this reason. */
  said(ref: OrderRef, reason: string | undefined): void {
    if (reason !== undefined) this.#said.set(ref, reason);
  }

  /** Call it after whatever may have filled an offer of the account. */
  collect(): void {
    const { fills, plays } = this.#options.account;
    if (fills === this.#seen) return;
    for (const play of plays.newest(fills - this.#seen)) this.#add(play);
    this.#seen = fills;
  }

  /** What happened in a game is over, and its fills were collected. `side`: of it alone something was told. */
  note(gameId: GameId, side: SideBook | undefined): void {
    const { exchange } = this.#options;
    const game = exchange.world.venue.games.get(gameId);
    if (game === undefined) return;
    const { header } = game;
    if (this.#open.has(gameId) && (header.live || header.start <= exchange.nowMs)) this.#close(gameId, false);
    if (header.ended && this.#options.keepsQuotes !== true) this.#dropPaths(game.books.keys());
    if (side !== undefined) this.#noteBook(side.book);
    else for (const book of game.books.values()) this.#noteBook(book);
  }

  /** Of games that are over the one market is drawn that filled most: however many games there are, few are kept. */
  #dropPaths(ids: Iterable<MarketId>): void {
    for (const id of ids) {
      const fills = this.#counts.get(id) ?? 0;
      if (fills > 0 && fills >= this.#mostFills) this.#mostFills = fills;
      else this.orders.dropPath(id);
    }
  }

  #noteBook(book: MarketBook): void {
    const { nowMs } = this.#options.exchange;
    this.#fairs.note(book, nowMs);
    this.orders.note(book, nowMs);
  }

  /** The tape is over: what a minute has not passed for is asked for now. */
  end({ scores, drawOf }: Scored): void {
    this.orders.close(this.#options.exchange.nowMs);
    for (const gameId of this.#open.keys()) this.#close(gameId, true);
    for (const row of this.#rows) {
      const score = scores?.get(row.gameId);
      if (score !== undefined) row.profit = profitOf(row, score, drawOf(row.gameId));
      if (row.fairLater === undefined && row.later[60] === undefined) this.#lookLater(row);
    }
    for (const rows of Map.groupBy(this.#rows, ({ market }) => market.id).values()) {
      const kept = commissionsOf(
        this.#options.commission,
        rows.map(({ profit = 0 }) => profit),
      );
      for (const [index, row] of rows.entries()) row.commission = kept[index] ?? 0;
    }
  }

  /** An own order came to rest, filled, or ended. */
  #applyRecord(order: VenueOrder, isFill: boolean): void {
    const { nowMs } = this.#options.exchange;
    if (order.status !== 'open') this.orders.end(order, nowMs);
    else if (!isFill && !this.#queued.has(order)) {
      const { book } = order;
      this.#fairs.follow(book, nowMs);
      this.#books.set(book.market.id, book);
      const ahead = aheadOf(order);
      this.#queued.set(order, ahead);
      this.orders.add(order, ahead, nowMs);
    }
  }

  #add({ txId, order, odds, risk, win, atMs, role }: MatchedPlay): void {
    const { exchange, instance } = this.#options;
    const { book, side, reference = '' } = order;
    const { market, game } = book;
    this.#fairs.follow(book, exchange.nowMs);
    this.#books.set(market.id, book);
    const position = applyFill(this.#positions.get(market.id) ?? FLAT, side, risk, win);
    this.#positions.set(market.id, position);
    const t = Math.round(atMs);
    const row: Row = {
      t,
      txId,
      ref: reference,
      strategy: ownerOf(reference, instance)?.strategy,
      gameId: market.gameId,
      league: game.header.league,
      start: game.header.start,
      eventName: game.header.eventName,
      market,
      side,
      odds,
      risk,
      win,
      payout: risk + win,
      role: role === 'offer' ? 'maker' : 'taker',
      ageMs: Math.max(0, t - order.createdAtMs),
      queuePlaced: this.#queued.get(order),
      queueFilled: role === 'offer' ? aheadOf(order) : undefined,
      reason: this.#said.get(reference),
      position: { first: position.first, second: position.second },
      isInPlay: game.header.live || game.header.start <= atMs,
      f0: ofSide(side, this.#fairs.newest(book)),
      past: ofSide(side, this.#fairs.past(book, atMs)),
      fc: undefined,
      later: {},
      profit: undefined,
      commission: 0,
      fair: this.#fairIn(book, side),
      fairLater: undefined,
    };
    this.#rows.push(row);
    this.#counts.set(market.id, (this.#counts.get(market.id) ?? 0) + 1);
    for (const seconds of MARKOUT_SECONDS) {
      const laterMs = atMs + seconds * 1000;
      // nothing was told meanwhile, or it would have been seen then
      if (laterMs <= exchange.nowMs) this.#look(row, seconds);
      else exchange.at(laterMs, () => this.#look(row, seconds));
    }
    let open = this.#open.get(market.gameId);
    if (open === undefined) this.#open.set(market.gameId, (open = new Map<Row, MarketBook>()));
    open.set(row, book);
    if (!row.isInPlay) this.#closeAt(game.header.start, market.gameId);
  }

  #look(row: Row, seconds: MarkoutSeconds): void {
    const book = this.#books.get(row.market.id);
    if (book === undefined) return;
    const p = ofSide(row.side, this.#fairs.newest(book));
    if (p !== undefined) row.later[seconds] = p;
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
      else this.#close(gameId, false);
    });
  }

  /** The market closes: for fills before the start, or for those in play as well. */
  #close(gameId: GameId, withLive: boolean): void {
    for (const [row, book] of this.#open.get(gameId) ?? []) {
      if (row.isInPlay !== withLive) continue;
      row.fc = ofSide(row.side, this.#fairs.newest(book));
      this.#open.get(gameId)?.delete(row);
    }
  }

  #fairIn({ sides, market }: MarketBook, side: Side): number | undefined {
    const p =
      consensusOf(shownOf(sides[0]), shownOf(sides[1]), FAIR_BOOK)?.p ?? this.#options.priceOf(market.id);
    return ofSide(side, p);
  }
}

/** How long after a fill the edge is asked for again. */
const LATER_SECONDS = 60;

/** What of the others' stakes is served before an order. */
function aheadOf(order: VenueOrder): Micros {
  let ahead = 0;
  for (const ghost of sideOf(order.book, order.side).ghosts) {
    if (compareRank(ghost, order) > 0) break;
    ahead += ghostAvailable(ghost);
  }
  return ahead as Micros;
}

/** What the fills with both fair prices, so many, were worth beyond their stakes, dollars. */
export type Edge = { readonly fills: number; readonly atFill: number; readonly after60s: number };

export function edgeOf(rows: readonly FillRow[]): Edge {
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
  return { fills, atFill: cents(atFill / 1e6), after60s: cents(after60s / 1e6) };
}

/** Profit at a fair probability, micro-dollars. */
const expected = ({ risk, win }: FillRow, fair: number): number => fair * win - (1 - fair) * risk;
