// How the marked result of a scenario went: its curve, the largest fall from its peak, and the worst that all that rested
// and was held could have come to.
import { cents } from './result.ts';

export type EquityPoint = { readonly t: number; readonly marked: number };

/** Between two points of the curve, however long the tapes are. */
const MOST_POINTS = 2000;

export class Curve {
  #points: EquityPoint[] = [];
  #everyNth = 1;
  #samples = 0;
  #peak = 0;
  /** Dollars. */
  maxDrawdown = 0;
  /** Dollars, 0 or below. */
  worst = 0;

  /** Money in dollars. */
  look({ marked, worst }: { readonly marked: number; readonly worst: number }): void {
    this.#peak = Math.max(this.#peak, marked);
    this.maxDrawdown = Math.max(this.maxDrawdown, this.#peak - marked);
    this.worst = Math.min(this.worst, worst);
  }

  /** A point, unless so many are there that only every so manyth is kept; the last always is. */
  add(atMs: number, marked: number, isLast: boolean): void {
    if (isLast || this.#samples++ % this.#everyNth === 0)
      this.#points.push({ t: Math.round(atMs), marked: cents(marked) });
    if (this.#points.length <= MOST_POINTS) return;
    this.#points = this.#points.filter((_point, index) => index % 2 === 0);
    this.#everyNth *= 2;
  }

  get points(): readonly EquityPoint[] {
    return this.#points;
  }
}
