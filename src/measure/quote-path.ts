// The quote path of a market: own prices, others' prices and fair price over time, for a plot.
import { sideIndex } from '../domain/index.ts';
import type { MarketPrices, OwnQuote } from './market-prices.ts';

/** Prices at one time, as probabilities of the market's first side; null when there is none. `t`: Unix ms. */
export type QuotePoint = {
  readonly t: number;
  readonly fair: number | null;
  /** The others' best price of the first side, and the complement of their best price of the second side. */
  readonly others: readonly [number | null, number | null];
  readonly own: readonly [number | null, number | null];
};

/** The most points of a path. When there are more, every other point is dropped and the interval doubles. */
const MOST_POINTS = 1500;

/**
 * The numbers of one point: time, fair price, others and own by side; NaN for none. They are stored in one
 * flat list, since there may be many points.
 */
const WIDE = 6;

/** Collects the points of a market. It is updated whenever the state of the market changes. */
export class QuotePoints {
  #numbers: number[] = [];
  #stepMs = 100;
  #nextMs = Number.NEGATIVE_INFINITY;

  /** Adds the state of the quoted market as a point, unless the last point is too recent, as it mostly is. */
  see(
    resting: readonly Pick<OwnQuote, 'side' | 'price'>[],
    nowMs: number,
    { fair, best }: Pick<MarketPrices, 'fair' | 'best'>,
  ): void {
    const t = Math.round(nowMs);
    if (t < this.#nextMs) return;
    this.#nextMs = t + this.#stepMs;
    const [first, second] = best;
    const across = second === undefined ? Number.NaN : 1 - second;
    this.#numbers.push(t, fair ?? Number.NaN, first ?? Number.NaN, across);
    this.#numbers.push(bestOf(resting, 0), 1 - bestOf(resting, 1));
    if (this.#numbers.length <= WIDE * MOST_POINTS) return;
    this.#numbers = this.#numbers.filter((_number, index) => Math.floor(index / WIDE) % 2 === 0);
    this.#stepMs *= 2;
  }

  drop(): void {
    this.#numbers = [];
  }

  get list(): readonly QuotePoint[] {
    const valueAt = (index: number): number | null => {
      const value = this.#numbers[index] ?? Number.NaN;
      return Number.isNaN(value) ? null : value;
    };
    return Array.from({ length: this.#numbers.length / WIDE }, (_, point) => {
      const from = point * WIDE;
      return {
        t: this.#numbers[from] ?? 0,
        fair: valueAt(from + 1),
        others: [valueAt(from + 2), valueAt(from + 3)],
        own: [valueAt(from + 4), valueAt(from + 5)],
      };
    });
  }
}

/** The best own price on one side; NaN when there is none. */
function bestOf(resting: readonly Pick<OwnQuote, 'side' | 'price'>[], index: 0 | 1): number {
  let best = Number.NaN;
  for (const { side, price } of resting) if (sideIndex(side) === index && !(price <= best)) best = price;
  return best;
}
