// Measures how long offers rested and how far from the fair price, by phase and league, and keeps the quote
// path of each market. It is updated whenever the state of a market changes; until then the former state
// counts.
import type { Market, Phase, QuoteTimes } from '../domain/index.ts';
import { QuotePoints } from './quote-path.ts';
import type { MarketPrices, OwnQuote } from './market-prices.ts';
import type { QuotePoint } from './quote-path.ts';
import { distanceBucket, eachPhase, noTimes, noTimesByDistance, sideIndex } from '../domain/index.ts';

type Watched<Offer> = {
  readonly market: Market;
  /** The resting offers. There are few, in an array, because each change of the book walks them. */
  readonly resting: Offer[];
  readonly path: QuotePoints;
  atMs: number;
  prices: MarketPrices;
};

type Times = ReturnType<typeof noTimes>;

export class QuoteClock<Offer extends OwnQuote> {
  readonly #markets = new Map<Market['id'], Watched<Offer>>();
  readonly #times = eachPhase(() => new Map<string, Times>());
  readonly #keepsPaths: boolean;

  /** `keepsPaths`: when false, only the sums are kept of markets that are no longer quoted. */
  constructor(keepsPaths = true) {
    this.#keepsPaths = keepsPaths;
  }

  /** Counts the time up to now, in all markets. */
  pass(nowMs: number): void {
    for (const market of this.#markets.values()) this.#pass(market, nowMs);
  }

  /** Counts the time up to now in one market, before the remaining stake of an offer there changes. */
  passIn(id: Market['id'], nowMs: number): void {
    const market = this.#markets.get(id);
    if (market !== undefined) this.#pass(market, nowMs);
  }

  /** The sums of a phase by league. */
  timesIn(phase: Phase): Readonly<Record<string, QuoteTimes>> {
    return Object.fromEntries(this.#times[phase]);
  }

  /** Whether an offer rests in a market. */
  isQuoted(id: Market['id']): boolean {
    return (this.#markets.get(id)?.resting.length ?? 0) > 0;
  }

  /** The markets in which an offer rests. */
  *quoted(): Iterable<Market> {
    for (const { market, resting } of this.#markets.values()) if (resting.length > 0) yield market;
  }

  /** The market of an id. Undefined when it was never quoted, or nothing is kept of it. */
  marketOf(id: Market['id']): Market | undefined {
    return this.#markets.get(id)?.market;
  }

  /** Adds an offer that came to rest. `state`: the state of its market now. */
  addQuote(offer: Offer, nowMs: number, state: MarketPrices): void {
    const { id } = offer.market;
    let market = this.#markets.get(id);
    if (market === undefined)
      this.#markets.set(
        id,
        (market = { market: offer.market, resting: [], path: new QuotePoints(), atMs: nowMs, prices: state }),
      );
    this.#pass(market, nowMs);
    market.prices = state;
    market.resting.push(offer);
  }

  /** Removes an offer that no longer rests. */
  remove(offer: Offer, nowMs: number): void {
    const market = this.#markets.get(offer.market.id);
    if (market === undefined) return;
    this.#pass(market, nowMs);
    const index = market.resting.indexOf(offer);
    if (index >= 0) market.resting.splice(index, 1);
    if (!this.#keepsPaths && market.resting.length === 0) this.#markets.delete(offer.market.id);
  }

  /** Updates the state of a quoted market from now on. */
  see(id: Market['id'], nowMs: number, state: MarketPrices): void {
    const market = this.#markets.get(id);
    if (market === undefined) return;
    this.#pass(market, nowMs);
    market.prices = state;
    if (this.#keepsPaths) market.path.see(market.resting, nowMs, state);
  }

  /** Ends the run: counts the time up to now and returns the offers that still rested. */
  closeSample(nowMs: number): readonly Offer[] {
    const left: Offer[] = [];
    for (const market of this.#markets.values()) {
      this.#pass(market, nowMs);
      left.push(...market.resting.splice(0));
    }
    return left;
  }

  /** Drops the quote path of a market, which is not needed any more. */
  dropPath(id: Market['id']): void {
    this.#markets.get(id)?.path.drop();
  }

  /** The ids of the markets that were quoted. */
  get markets(): Iterable<Market['id']> {
    return this.#markets.keys();
  }

  pathOf(id: Market['id']): readonly QuotePoint[] {
    return this.#markets.get(id)?.path.list ?? [];
  }

  #pass(market: Watched<Offer>, nowMs: number): void {
    const ms = nowMs - market.atMs;
    market.atMs = nowMs;
    if (ms <= 0 || market.resting.length === 0) return;
    const { fair, best, phase, league } = market.prices;
    const byLeague = this.#times[phase];
    let sums = byLeague.get(league);
    if (sums === undefined) byLeague.set(league, (sums = noTimes()));
    const ofType = (sums.byType[market.market.type] ??= noTimesByDistance());
    let isFirst = false;
    let isSecond = false;
    for (const offer of market.resting) {
      const { side, price } = offer;
      const index = sideIndex(side);
      if (index === 0) isFirst = true;
      else isSecond = true;
      sums.ms += ms;
      if (price >= (best[index] ?? 0)) sums.bestMs += ms;
      if (fair === undefined) continue;
      const distance = (index === 0 ? fair : 1 - fair) - price;
      const bucket = distanceBucket(distance);
      sums.pricedMs += ms;
      sums.distanceMs += ms * distance;
      sums.byDistance[bucket] = (sums.byDistance[bucket] ?? 0) + ms;
      ofType.ms[bucket] = (ofType.ms[bucket] ?? 0) + ms;
      ofType.distanceMs[bucket] = (ofType.distanceMs[bucket] ?? 0) + ms * distance;
      const { weighted } = sums;
      const weight = ms * offer.payoutLeft();
      weighted.pricedMs += weight;
      weighted.distanceMs += weight * distance;
      weighted.byDistance[bucket] = (weighted.byDistance[bucket] ?? 0) + weight;
    }
    sums.marketMs += ms;
    if (isFirst && isSecond) sums.twoSidedMs += ms;
  }
}
