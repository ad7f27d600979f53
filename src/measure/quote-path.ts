// How a market looked while it was quoted, point by point, for a plot.
import { sideIndex } from '../domain/index.ts';
import type { MarketLook, Offered } from './look.ts';

/** Probabilities of the market's first side; null: nobody, or nothing. `t`: Unix ms. */
export type QuotePoint = {
  readonly t: number;
  readonly fair: number | null;
  /** What the others offered on the first side, and across: the second side's as its complement. */
  readonly others: readonly [number | null, number | null];
  readonly own: readonly [number | null, number | null];
};

/** However long a market is quoted: when there are more points, every other one goes, and the next ones come half as often. */
const MOST_POINTS = 1500;

/** Numbers of one point: its time, fair, others and own by side; NaN: none. One flat list, since there may be many points. */
const WIDE = 6;

/** It is told what the market looks like whenever that changes. */
export class QuotePoints {
  #numbers: number[] = [];
  #stepMs = 100;
  #nextMs = Number.NEGATIVE_INFINITY;

  /** The market is quoted and looks like this; most looks come too soon to be a point. */
  see(
    resting: readonly Pick<Offered, 'side' | 'price'>[],
    nowMs: number,
    { fair, best }: Pick<MarketLook, 'fair' | 'best'>,
  ): void {
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

  get list(): readonly QuotePoint[] {
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
function bestOf(resting: readonly Pick<Offered, 'side' | 'price'>[], index: 0 | 1): number {
  let best = Number.NaN;
  for (const { side, price } of resting) if (sideIndex(side) === index && !(price <= best)) best = price;
  return best;
}
