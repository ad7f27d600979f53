// One market of a strategy under test: what the others offer there, what the strategy wants, and what it was filled.
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
import type { MarketView, OwnOffer } from '../view.ts';

/** Somebody else's offer: American odds, and what of it can be taken, dollars of its owner's stake. */
export type Row = readonly [odds: number, dollars: number];

/** What should rest: American odds as they would be sent, the stake in dollars. */
export type RestingQuote = {
  readonly side: Side;
  readonly odds: number;
  readonly risk: number;
  readonly key?: string;
};

/** Whose quotes they are, and when the test begins. */
export const STRATEGY = 'test' as StrategyId;
export const NOON = Date.UTC(2030, 0, 1, 12);
/** Points of odds between two own prices, as the wire profile has it by default. */
export const ODDS_STEP = 1;

type Ports = {
  readonly look: () => Pick<MarketView, 'time' | 'game' | 'signals'>;
  readonly show: (view: MarketView) => void;
  readonly close: () => void;
};

/** One market: what the others offer, what the strategy wants there, and what it was filled. */
export class MarketTest {
  readonly market: Market;
  /** Every intent so far, in the order of emission. */
  readonly intents: QuoteIntent[] = [];
  readonly fills: Fill[] = [];
  position: Position = FLAT;
  isShown = false;
  readonly #ports: Ports;
  #others: [Ladder, Ladder] = [NO_OFFERS, NO_OFFERS];
  readonly #freshness: [Freshness, Freshness] = ['fresh', 'fresh'];
  /** The newest quotes, as if each were accepted at once. */
  #own: readonly OwnOffer[] = [];

  constructor(of: Market, ports: Ports) {
    this.market = of;
    this.#ports = ports;
  }

  /** The others' offers, in any order; a side that is not told stays as it was. Shows the market. */
  book(ladders: Partial<Record<Side, readonly Row[]>>): this {
    const others = [...this.#others] as [Ladder, Ladder];
    for (const [side, rows] of Object.entries(ladders) as [Side, readonly Row[]][])
      others[this.#indexOf(side)] = ladderOf(side, rows);
    refuseCrossed(this.market, others);
    this.#others = others;
    return this.show();
  }

  /** A side that is not `fresh`. Shows the market. */
  freshness(side: Side, freshness: Freshness): this {
    this.#freshness[this.#indexOf(side)] = freshness;
    return this.show();
  }

  /** What is held, as dollars that either outcome pays: home or over, then away or under. Shows the market. */
  hold(first: number, second: number): this {
    dollarsIn('hold', first, second);
    const staked = microsOfDollars(Math.max(0, -first, -second));
    this.position = { first: microsOfDollars(first), second: microsOfDollars(second), staked };
    return this.show();
  }

  /** One more view of it as it stands. */
  show(): this {
    this.isShown = true;
    const sides = this.market.sides.map((side, index) => ({
      side,
      offers: this.#others[index as 0 | 1],
      freshness: this.#freshness[index as 0 | 1],
      own: this.#own.filter((offer) => offer.side === side),
    })) as unknown as MarketView['sides'];
    const { market: of, position } = this;
    this.#ports.show({ ...this.#ports.look(), market: of, sides, position, fills: [...this.fills] });
    return this;
  }

  /** Somebody takes so many dollars (of own stake) of the quotes on a side, the best for him first. Shows the market. */
  fill(side: Side, dollars: number): this {
    this.#indexOf(side);
    dollarsIn('fill', dollars);
    if (dollars <= 0) throw new Error(`fill('${side}', ${dollars}): somebody takes more than nothing`);
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

  /** The market is no longer quoted: `views$` completes once the last one of the instance has closed. */
  close(): void {
    this.isShown = false;
    this.#ports.close();
  }

  /** The fair probability of the first side (home, over) in the others' book; undefined: it is too wide or too thin to have one. */
  get consensus(): number | undefined {
    return consensusOf(...this.#others)?.p;
  }

  /** What rests of the strategy on a side, dollars that can still be taken. */
  resting(side: Side): number {
    this.#indexOf(side);
    const own = this.#own.filter((offer) => offer.side === side);
    return own.reduce((sum, { remaining }) => sum + dollarsOfMicros(remaining), 0);
  }

  /** What the strategy wants resting now, each price rounded and kept behind the others' best as in a run. */
  get quotes(): readonly RestingQuote[] {
    return this.#priced().map(({ quote: { side, risk, key }, rung }) => ({
      side,
      odds: oddsOf(rung),
      risk: dollarsOfCents(risk),
      ...(key === undefined ? {} : { key }),
    }));
  }

  /** Quotes of the newest intent for which there are no odds: a probability of 0 or 1, or beyond. In a run they are held back. */
  get withoutOdds(): readonly Quote[] {
    const priced = new Set(this.#priced().map(({ quote }) => quote));
    return (this.intents.at(-1)?.quotes ?? []).filter((quote) => !priced.has(quote));
  }

  /** The reason that came with the newest intent. */
  get reason(): string | undefined {
    return this.intents.at(-1)?.reason;
  }

  /** @internal A new intent: what it leaves as it is keeps what was taken of it. */
  take(intent: QuoteIntent): void {
    this.intents.push(intent);
    const before = this.#own;
    const own = this.#priced().map(({ quote: { side, risk, key }, rung }, index): OwnOffer => {
      const named = key ?? String(index + 1);
      const same = before.find(
        (one) => one.side === side && one.key === named && one.rung === rung && one.risk === risk,
      );
      return same ?? { side, rung, risk, remaining: microsOfCents(risk), key: named, status: 'open' };
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
    if (!Number.isFinite(amount)) throw new Error(`${where}: ${amount} is no amount of dollars`);
}

/** The exchange matches such offers with each other: no book shows them. */
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
    if (rung === undefined) throw new Error(`${odds} are no American odds: ±100 and beyond, one decimal`);
    dollarsIn(`book: ${odds}`, dollars);
    if (dollars <= 0) throw new Error(`book: an offer at ${odds} has more than $${dollars}`);
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
