// The fills of one scenario, each with what it was worth by the others' book right then and a minute later: whether the
// edge of a quote is kept, or eaten by those who know more.
import type { AmericanOdds, GameId, Market, MarketId, Micros, Side, StrategyId } from '../domain/index.ts';
import { consensusOf, FAIR_BOOK, sideIndex } from '../domain/index.ts';
import { ownerOf } from '../account/index.ts';
import type { Account, InProcessExchange, MarketBook, MatchedPlay } from '../paper/index.ts';
import { shownOf } from './price-feed.ts';
import { cents } from './result.ts';

/** How long after a fill the book is asked again. */
const LATER_MS = 60_000;

export type FillRow = {
  /** Unix ms, when it happened at the venue. */
  readonly t: number;
  readonly txId: string;
  /** Of the order. */
  readonly ref: string;
  readonly strategy: StrategyId | undefined;
  readonly gameId: GameId;
  readonly eventName: string;
  readonly market: Market;
  readonly side: Side;
  readonly odds: AmericanOdds;
  readonly risk: Micros;
  readonly win: Micros;
  /**
   * Fair probability of the side by the others' book; while that is wide, thin or one-sided, as in the sweep that filled it,
   * by the newest price that the bot knows; undefined: there was none.
   */
  readonly fair: number | undefined;
  fairLater: number | undefined;
};

export class FillList {
  readonly rows: FillRow[] = [];
  readonly #exchange: InProcessExchange;
  readonly #account: Account;
  readonly #instance: string;
  readonly #priceOf: (market: MarketId) => number | undefined;
  readonly #open = new Map<FillRow, MarketBook>();
  #seen = 0;

  /**
   * `instance`: of the bot, in its references; `priceOf`: the newest price of a market that it knows, as probability of its
   * first side.
   */
  constructor(
    exchange: InProcessExchange,
    account: Account,
    instance: string,
    priceOf: (market: MarketId) => number | undefined,
  ) {
    this.#exchange = exchange;
    this.#account = account;
    this.#instance = instance;
    this.#priceOf = priceOf;
  }

  /** Call it after whatever may have filled an offer of the account. */
  collect(): void {
    const { fills, plays } = this.#account;
    if (fills === this.#seen) return;
    for (const play of plays.newest(fills - this.#seen)) this.#add(play);
    this.#seen = fills;
  }

  /** The tape is over: what a minute has not passed for is asked for now. */
  end(): void {
    for (const row of this.#open.keys()) this.#settle(row);
  }

  #add({ txId, order, odds, risk, win, atMs }: MatchedPlay): void {
    const { book, side, reference = '' } = order;
    const { market, game } = book;
    const row: FillRow = {
      t: Math.round(atMs),
      txId,
      ref: reference,
      strategy: ownerOf(reference, this.#instance)?.strategy,
      gameId: market.gameId,
      eventName: game.header.eventName,
      market,
      side,
      odds,
      risk,
      win,
      fair: this.#fairIn(book, side),
      fairLater: undefined,
    };
    this.rows.push(row);
    this.#open.set(row, book);
    const laterMs = atMs + LATER_MS;
    // nothing was told meanwhile, or it would have been seen then
    if (laterMs <= this.#exchange.nowMs) this.#settle(row);
    else this.#exchange.at(laterMs, () => this.#settle(row));
  }

  #settle(row: FillRow): void {
    const book = this.#open.get(row);
    if (book === undefined) return;
    this.#open.delete(row);
    row.fairLater = this.#fairIn(book, row.side);
  }

  #fairIn({ sides, market }: MarketBook, side: Side): number | undefined {
    const p = consensusOf(shownOf(sides[0]), shownOf(sides[1]), FAIR_BOOK)?.p ?? this.#priceOf(market.id);
    return p === undefined ? undefined : sideIndex(side) === 0 ? p : 1 - p;
  }
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
