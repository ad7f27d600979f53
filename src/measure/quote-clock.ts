// For how long which offers rested, how far from the fair price, before the start and in play, by league; and how the market that
// is quoted most looked meanwhile. It is told what a market looks like whenever that changes; up to there it looked as before.
import type { Market, Phase, QuoteTimes } from '../domain/index.ts';
import { QuotePoints } from './quote-path.ts';
import type { MarketLook, Offered } from './look.ts';
import type { QuotePoint } from './quote-path.ts';
import { distanceBucket, eachPhase, noTimes, sideIndex } from '../domain/index.ts';

type Watched<Offer> = {
  readonly market: Market;
  /** Few: by index, since each change of the book walks them. */
  readonly resting: Offer[];
  readonly path: QuotePoints;
  atMs: number;
  look: MarketLook;
};

type Times = ReturnType<typeof noTimes>;

export class QuoteClock<Offer extends Offered> {
  readonly #markets = new Map<Market['id'], Watched<Offer>>();
  readonly #times = eachPhase(() => new Map<string, Times>());
  readonly #keepsPaths: boolean;

  /** `keepsPaths` false: of markets that are quoted no more nothing is kept but the sums. */
  constructor(keepsPaths = true) {
    this.#keepsPaths = keepsPaths;
  }

  /** Up to now. */
  pass(nowMs: number): void {
    for (const market of this.#markets.values()) this.#pass(market, nowMs);
  }

  /** Of one market: what is left of an offer there changes now. */
  passIn(id: Market['id'], nowMs: number): void {
    const market = this.#markets.get(id);
    if (market !== undefined) this.#pass(market, nowMs);
  }

  /** By league. */
  timesIn(phase: Phase): Readonly<Record<string, QuoteTimes>> {
    return Object.fromEntries(this.#times[phase]);
  }

  /** Something rests there. */
  isQuoted(id: Market['id']): boolean {
    return (this.#markets.get(id)?.resting.length ?? 0) > 0;
  }

  /** Markets in which something rests. */
  *quoted(): Iterable<Market> {
    for (const { market, resting } of this.#markets.values()) if (resting.length > 0) yield market;
  }

  /** Undefined: it was never quoted, or nothing is kept of it. */
  marketOf(id: Market['id']): Market | undefined {
    return this.#markets.get(id)?.market;
  }

  /** It came to rest, in a market that looks like this now. */
  add(offer: Offer, nowMs: number, look: MarketLook): void {
    const { id } = offer.market;
    let market = this.#markets.get(id);
    if (market === undefined)
      this.#markets.set(
        id,
        (market = { market: offer.market, resting: [], path: new QuotePoints(), atMs: nowMs, look }),
      );
    this.#pass(market, nowMs);
    market.look = look;
    market.resting.push(offer);
  }

  /** It rests no more. */
  remove(offer: Offer, nowMs: number): void {
    const market = this.#markets.get(offer.market.id);
    if (market === undefined) return;
    this.#pass(market, nowMs);
    const at = market.resting.indexOf(offer);
    if (at >= 0) market.resting.splice(at, 1);
    if (!this.#keepsPaths && market.resting.length === 0) this.#markets.delete(offer.market.id);
  }

  /** A market that is quoted looks like this from now on. */
  see(id: Market['id'], nowMs: number, look: MarketLook): void {
    const market = this.#markets.get(id);
    if (market === undefined) return;
    this.#pass(market, nowMs);
    market.look = look;
    if (this.#keepsPaths) market.path.see(market.resting, nowMs, look);
  }

  /** The run is over; what rests yet, rested so long. */
  close(nowMs: number): readonly Offer[] {
    const left: Offer[] = [];
    for (const market of this.#markets.values()) {
      this.#pass(market, nowMs);
      left.push(...market.resting.splice(0));
    }
    return left;
  }

  /** How it looked is not asked for any more. */
  dropPath(id: Market['id']): void {
    this.#markets.get(id)?.path.drop();
  }

  /** Markets that were quoted. */
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
    const { fair, best, phase, league } = market.look;
    const byLeague = this.#times[phase];
    let sums = byLeague.get(league);
    if (sums === undefined) byLeague.set(league, (sums = noTimes()));
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
