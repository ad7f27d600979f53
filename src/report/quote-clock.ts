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

class Path {
  points: QuotePath['points'][number][] = [];
  #stepMs = 100;
  #nextMs = Number.NEGATIVE_INFINITY;

  /** The market is quoted and looks like this; most looks come too soon to be a point. */
  see(resting: readonly Offered[], nowMs: number, look: Look): void {
    const t = Math.round(nowMs);
    if (t < this.#nextMs) return;
    this.#nextMs = t + this.#stepMs;
    this.points.push(pointOf(resting, t, look));
    if (this.points.length <= MOST_POINTS) return;
    this.points = this.points.filter((_point, index) => index % 2 === 0);
    this.#stepMs *= 2;
  }
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
    const market = this.#markets.get(id);
    if (market !== undefined) market.path.points = [];
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

function pointOf(resting: readonly Offered[], t: number, { fair, best }: Look): QuotePath['points'][number] {
  const own: [number | undefined, number | undefined] = [undefined, undefined];
  for (const { side, price } of resting) {
    const index = sideIndex(side);
    own[index] = Math.max(own[index] ?? 0, price);
  }
  const shown = ([first, second]: Look['best']): readonly [number | null, number | null] => [
    first ?? null,
    second === undefined ? null : 1 - second,
  ];
  return { t, fair: fair ?? null, others: shown(best), own: shown(own) };
}
