// One market of a strategy under test: the offers of others, the quotes of the strategy and its fills.
import type {
  Fill,
  Ladder,
  Market,
  Micros,
  Offer,
  OrderId,
  Position,
  Quote,
  QuoteIntent,
  Rung,
  Side,
  StrategyId,
  TxId,
} from '../../domain/index.ts';
import {
  applyFill,
  consensusOf,
  crosses,
  dollarsOfCents,
  dollarsOfMicros,
  FLAT,
  microsOfCents,
  microsOfDollars,
  minus,
  NO_OFFERS,
  oddsOf,
  rungOfQuote,
  sideIndex,
  toRung,
  winOf,
  ZERO,
} from '../../domain/index.ts';
import type { Freshness } from '../../mirror/index.ts';
import { RecordedHistory } from '../host/market-history.ts';
import type { MarketView, OwnOffer } from '../view.ts';

/**
 * An offer of someone else: American odds, and the size that can still be taken, in dollars of its owner's
 * stake.
 */
export type Row = readonly [odds: number, dollars: number];

/** A quote that the strategy wants resting: American odds as they would be sent, and the stake in dollars. */
export type RestingQuote = {
  /** The side that the quote backs. */
  readonly side: Side;
  /** American odds, as they would be sent. */
  readonly odds: number;
  /** The stake, dollars. */
  readonly risk: number;
  /** The key of the quote. */
  readonly key?: string;
};

/** Id of the strategy under test. */
export const STRATEGY = 'test' as StrategyId;
/** Start of the test, Unix ms. */
export const NOON = Date.UTC(2030, 0, 1, 12);
/** Points of odds between two own prices: the default of the wire profile. */
export const ODDS_STEP = 1;

type Ports = {
  readonly context: () => Pick<MarketView, 'time' | 'game' | 'signals' | 'account' | 'score'>;
  readonly show: (view: MarketView) => void;
  readonly close: () => void;
};

/** One market of a test: the offers of others, the quotes of the strategy and its fills. */
export class MarketTest {
  /** The market as the strategy sees it. */
  readonly market: Market;
  /** Every intent so far, in the order of emission. */
  readonly intents: QuoteIntent[] = [];
  /** The strategy's fills, oldest first. */
  readonly fills: Fill[] = [];
  /** The account's position in this market, micro-dollars per outcome. */
  position: Position = FLAT;
  /** Earlier prices and takes, as the strategy sees them. */
  readonly history: RecordedHistory;
  /** Whether the strategy has seen the market, and it is not closed. */
  isShown = false;
  readonly #ports: Ports;
  #others: [Ladder, Ladder] = [NO_OFFERS, NO_OFFERS];
  readonly #freshness: [Freshness, Freshness] = ['fresh', 'fresh'];
  /** The offers of the newest intent, as if each quote were accepted at once. Best for a taker first. */
  #own: readonly OwnOffer[] = [];

  constructor(market: Market, ports: Ports) {
    this.market = market;
    this.history = new RecordedHistory(market);
    this.#ports = ports;
  }

  /**
   * Sets the offers of others and shows the market to the strategy.
   * @param ladders rows by side, in any order; a side that is left out keeps its offers
   * @throws Error when a row is not a valid offer, when the two sides cross, or when the strategy fails
   */
  book(ladders: Partial<Record<Side, readonly Row[]>>): this {
    const others = [...this.#others] as [Ladder, Ladder];
    for (const [side, rows] of Object.entries(ladders) as [Side, readonly Row[]][])
      others[this.#indexOf(side)] = ladderOf(side, rows);
    refuseCrossed(this.market, others);
    this.history.note(this.#others, others, consensusOf(...others)?.p, this.#ports.context().time);
    this.#others = others;
    return this.show();
  }

  /**
   * Sets the freshness of a side and shows the market to the strategy.
   * @param side a side of the market
   * @param freshness whether the book of the side is up to date
   * @throws Error when the market does not have the side, or when the strategy fails
   */
  freshness(side: Side, freshness: Freshness): this {
    this.#freshness[this.#indexOf(side)] = freshness;
    return this.show();
  }

  /**
   * Sets the position and shows the market to the strategy.
   * @param first dollars won when home or over wins; below 0: lost
   * @param second dollars won when away or under wins; below 0: lost
   * @throws Error when an amount is not finite, or when the strategy fails
   */
  hold(first: number, second: number): this {
    dollarsIn('hold', first, second);
    const staked = microsOfDollars(Math.max(0, -first, -second));
    this.position = { first: microsOfDollars(first), second: microsOfDollars(second), staked };
    return this.show();
  }

  /**
   * Shows the market to the strategy once more, unchanged.
   * @throws Error when the strategy fails
   */
  show(): this {
    this.isShown = true;
    this.#ports.show(this.view);
    return this;
  }

  /** @internal The market as the strategy sees it now. */
  get view(): MarketView {
    const sides = this.market.sides.map((side, index) => ({
      side,
      offers: this.#others[index as 0 | 1],
      freshness: this.#freshness[index as 0 | 1],
      own: this.#own.filter((offer) => offer.side === side),
    })) as unknown as MarketView['sides'];
    const { market: shown, position, history } = this;
    return { ...this.#ports.context(), market: shown, sides, position, fills: [...this.fills], history };
  }

  /**
   * Fills the strategy's quotes on a side, the best for the taker first, and shows the market to the
   * strategy.
   * @param side a side of the market
   * @param dollars own stake that is filled
   * @throws Error when less than this rests on the side, or when the strategy fails
   */
  fill(side: Side, dollars: number): this {
    this.#indexOf(side);
    dollarsIn('fill', dollars);
    if (dollars <= 0) throw new Error(`fill('${side}', ${dollars}): the amount must be above 0`);
    let left = microsOfDollars(dollars);
    const own = this.#own.map((offer) => {
      const risk = offer.side === side ? (Math.min(left, offer.remaining) as Micros) : ZERO;
      if (risk === 0) return offer;
      left = minus(left, risk);
      this.#book(offer, risk);
      return { ...offer, remaining: minus(offer.remaining, risk) };
    });
    if (left > 0)
      throw new Error(
        `on ${side} rests less than $${dollars}: $${dollarsOfMicros(minus(microsOfDollars(dollars), left))}`,
      );
    this.#own = own.filter(({ remaining }) => remaining > 0);
    return this.show();
  }

  #book({ side, rung }: OwnOffer, risk: Micros): void {
    const win = winOf(risk, oddsOf(rung));
    this.position = applyFill(this.position, side, risk, win);
    this.fills.push({
      txId: `fill-${this.fills.length + 1}` as TxId,
      orderId: undefined,
      ref: undefined,
      strategy: STRATEGY,
      market: this.market,
      side,
      rung,
      risk,
      win,
    });
  }

  /** Closes the market. `views$` completes once the instance's last market has closed. */
  close(): void {
    this.isShown = false;
    this.#ports.close();
  }

  /**
   * The fair probability of the first side (home, over) in the others' book. Undefined when the book is too
   * wide or too thin.
   */
  get consensus(): number | undefined {
    return consensusOf(...this.#others)?.p;
  }

  /**
   * Sums the strategy's resting size on a side.
   * @param side a side of the market
   * @returns own stake that can still be taken, dollars
   * @throws Error when the market does not have the side
   */
  resting(side: Side): number {
    this.#indexOf(side);
    const own = this.#own.filter((offer) => offer.side === side);
    return own.reduce((sum, { remaining }) => sum + dollarsOfMicros(remaining), 0);
  }

  /**
   * The quotes of the newest intent, each price rounded and kept behind the others' best offer as in a run.
   */
  get quotes(): readonly RestingQuote[] {
    return this.#priced().map(({ quote: { side, risk, key }, rung }) => ({
      side,
      odds: oddsOf(rung),
      risk: dollarsOfCents(risk),
      ...(key === undefined ? {} : { key }),
    }));
  }

  /**
   * Quotes of the newest intent that have no odds: their probability is 0 or 1, or beyond. A run holds them
   * back.
   */
  get withoutOdds(): readonly Quote[] {
    const priced = new Set(this.#priced().map(({ quote }) => quote));
    return (this.intents.at(-1)?.quotes ?? []).filter((quote) => !priced.has(quote));
  }

  /** The reason of the newest intent. Undefined when it has none. */
  get reason(): string | undefined {
    return this.intents.at(-1)?.reason;
  }

  /** @internal Applies a new intent. An offer that it leaves unchanged keeps its remaining size. */
  take(intent: QuoteIntent): void {
    this.intents.push(intent);
    const before = this.#own;
    const own = this.#priced().map(({ quote: { side, risk, key }, rung }, index): OwnOffer => {
      const named = key ?? String(index + 1);
      const same = before.find(
        (offer) => offer.side === side && offer.key === named && offer.rung === rung && offer.risk === risk,
      );
      const sentAt = this.#ports.context().time;
      return same ?? { side, rung, risk, remaining: microsOfCents(risk), key: named, status: 'open', sentAt };
    });
    this.#own = own.sort((a, b) => a.rung - b.rung);
  }

  #priced(): readonly { readonly quote: Quote; readonly rung: Rung }[] {
    return (this.intents.at(-1)?.quotes ?? []).flatMap((quote) => {
      const across = this.#others[1 - this.#indexOf(quote.side)]?.[0]?.rung;
      const rung = rungOfQuote(quote, across, ODDS_STEP);
      return rung === undefined ? [] : [{ quote, rung }];
    });
  }

  #indexOf(side: Side): 0 | 1 {
    if (!this.market.sides.includes(side))
      throw new Error(`${this.market.id} has ${this.market.sides.join(' and ')}, not ${side}`);
    return sideIndex(side);
  }
}

function dollarsIn(where: string, ...amounts: readonly number[]): void {
  for (const amount of amounts)
    if (!Number.isFinite(amount)) throw new Error(`${where}: ${amount} is not an amount of dollars`);
}

/** Throws when the two sides cross: the exchange would match such offers, so no book shows them. */
function refuseCrossed({ sides }: Market, [first, second]: readonly [Ladder, Ladder]): void {
  const [a, b] = [first[0], second[0]];
  if (a === undefined || b === undefined || !crosses(a.rung, b.rung)) return;
  throw new Error(
    `book: ${sides[0]} at ${oddsOf(a.rung)} and ${sides[1]} at ${oddsOf(b.rung)} cross, so the exchange would have matched them: ` +
      'what the two odds imply must sum to less than 1; give both sides at once where both change',
  );
}

function ladderOf(side: Side, rows: readonly Row[]): Ladder {
  const offers = rows.map(([odds, dollars], index): Offer => {
    const rung = toRung(odds);
    if (rung === undefined)
      throw new Error(`${odds} are not American odds: write 100 or more, or -100 or less, with one decimal at most`);
    dollarsIn(`book: ${odds}`, dollars);
    if (dollars <= 0) throw new Error(`book: an offer at ${odds} needs more than $${dollars}`);
    return Object.freeze({
      id: `${side}-${odds}-${index}` as OrderId,
      rung,
      risk: microsOfDollars(dollars),
      untaken: microsOfDollars(dollars),
      createdAt: new Date(NOON - 3_600_000 + index).toISOString(),
      own: false,
    });
  });
  return Object.freeze(offers.sort((a, b) => a.rung - b.rung));
}
