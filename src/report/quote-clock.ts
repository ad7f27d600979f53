// For how long which offers rested, how far from the fair price, and how the market that is quoted most looked meanwhile. It is told
// what a market looks like whenever that changes; up to there it looked as it did before.
import type { Market, Side } from '../domain/index.ts';
import { sideIndex } from '../domain/index.ts';
import type { QuotePath, QuoteTimes } from './run-facts.ts';
import { distanceBucket, DISTANCES } from './run-facts.ts';

/** What of an offer counts here. `price`: probability of its side. */
export type Offered = { readonly market: Market; readonly side: Side; readonly price: number };

/** Fair price of the first side, and the best prices of the others by side; undefined: none. */
export type Look = {
  readonly fair: number | undefined;
  readonly best: readonly [number | undefined, number | undefined];
};

type Watched<Offer> = {
  /** Few: by index, since each change of the book walks them. */
  readonly resting: Offer[];
  readonly path: Path;
  atMs: number;
  look: Look;
};

const UNSEEN: Look = { fair: undefined, best: [undefined, undefined] };

/** However long a market is quoted: when there are more points, every other one goes, and the next ones come half as often. */
const MOST_POINTS = 1500;

/** Numbers of one point: its time, fair, others and own by side; NaN: none. One flat list, since there may be many points. */
const WIDE = 6;

class Path {
  #numbers: number[] = [];
  #stepMs = 100;
  #nextMs = Number.NEGATIVE_INFINITY;

  /** The market is quoted and looks like this; most looks come too soon to be a point. */
  see(resting: readonly Offered[], nowMs: number, { fair, best }: Look): void {
    const t = Math.round(nowMs);
    if (t < this.#nextMs) return;
    this.#nextMs = t + this.#stepMs;
    const [first, second] = best;
    const across = second === undefined ? Number.NaN : 1 - second;
    this.#numbers.push(t, fair ?? Number.NaN, first ?? Number.NaN, across);
    this.#numbers.push(bestOf(resting, 0), 1 - bestOf(resting, 1));
    if (this.#numbers.length <= WIDE * MOST_POINTS) return;
    this.#numbers = this.#numbers.filter((_number, at) => Math.floor(at / WIDE) % 2 === 0);
    this.#stepMs *= 2;
  }

  drop(): void {
    this.#numbers = [];
  }

  get points(): QuotePath['points'] {
    const at = (index: number): number | null => {
      const value = this.#numbers[index] ?? Number.NaN;
      return Number.isNaN(value) ? null : value;
    };
    return Array.from({ length: this.#numbers.length / WIDE }, (_, point) => {
      const from = point * WIDE;
      return {
        t: this.#numbers[from] ?? 0,
        fair: at(from + 1),
        others: [at(from + 2), at(from + 3)],
        own: [at(from + 4), at(from + 5)],
      };
    });
  }
}

/** Of own offers on one side: NaN where there is none. */
function bestOf(resting: readonly Offered[], index: 0 | 1): number {
  let best = Number.NaN;
  for (const { side, price } of resting) if (sideIndex(side) === index && !(price <= best)) best = price;
  return best;
}

export class QuoteClock<Offer extends Offered> {
  readonly #markets = new Map<Market['id'], Watched<Offer>>();
  readonly #sums = { ms: 0, marketMs: 0, twoSidedMs: 0, bestMs: 0, pricedMs: 0, distanceMs: 0 };
  readonly #byDistance = new Array<number>(DISTANCES.length + 1).fill(0);
  readonly #keepsPaths: boolean;

  /** `keepsPaths` false: of markets that are quoted no more nothing is kept but the sums. */
  constructor(keepsPaths = true) {
    this.#keepsPaths = keepsPaths;
  }

  /** Up to now. */
  pass(nowMs: number): void {
    for (const market of this.#markets.values()) this.#pass(market, nowMs);
  }

  get times(): QuoteTimes {
    return { ...this.#sums, byDistance: this.#byDistance };
  }

  /** Something rests there. */
  isQuoted(id: Market['id']): boolean {
    return (this.#markets.get(id)?.resting.length ?? 0) > 0;
  }

  /** It came to rest, in a market that looks like this now. */
  add(offer: Offer, nowMs: number, look: Look): void {
    const { id } = offer.market;
    let market = this.#markets.get(id);
    if (market === undefined)
      this.#markets.set(id, (market = { resting: [], path: new Path(), atMs: nowMs, look: UNSEEN }));
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
  see(id: Market['id'], nowMs: number, look: Look): void {
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

  pathOf(id: Market['id']): QuotePath['points'] {
    return this.#markets.get(id)?.path.points ?? [];
  }

  #pass(market: Watched<Offer>, nowMs: number): void {
    const ms = nowMs - market.atMs;
    market.atMs = nowMs;
    if (ms <= 0 || market.resting.length === 0) return;
    const sums = this.#sums;
    const { fair, best } = market.look;
    let isFirst = false;
    let isSecond = false;
    for (const { side, price } of market.resting) {
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
      this.#byDistance[bucket] = (this.#byDistance[bucket] ?? 0) + ms;
    }
    sums.marketMs += ms;
    if (isFirst && isSecond) sums.twoSidedMs += ms;
  }
}
