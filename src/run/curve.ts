// How the marked result of a scenario went: its curve, the largest fall from its peak, and the worst that all that rested
// and was held could have come to.
import type { CurvePoint } from './run-facts.ts';
import { cents } from './rounding.ts';

/** Dollars; `worst` and `inventory` as the report has them (CurvePoint). */
export type EquityPoint = CurvePoint;

/** However long the tapes are: when there are more, every other one goes, and the next ones come half as often. */
const MOST_POINTS = 2000;

export class Curve {
  /** From one point to the next, ms of run time. */
  stepMs: number;
  #points: EquityPoint[] = [];
  #peak = 0;
  /** Dollars. */
  maxDrawdown = 0;
  /** Dollars, 0 or below. */
  worst = 0;

  constructor(stepMs = 1000) {
    this.stepMs = stepMs;
  }

  /** Money in dollars. */
  look({ marked, worst }: { readonly marked: number; readonly worst: number }): void {
    this.#peak = Math.max(this.#peak, marked);
    this.maxDrawdown = Math.max(this.maxDrawdown, this.#peak - marked);
    this.worst = Math.min(this.worst, worst);
  }

  add(atMs: number, { marked, worst, inventory, inPlay }: Omit<EquityPoint, 't'>): void {
    this.#points.push({
      t: Math.round(atMs),
      marked: cents(marked),
      worst: cents(worst),
      inventory: cents(inventory),
      inPlay: cents(inPlay),
    });
    if (this.#points.length <= MOST_POINTS) return;
    // the newest is one of those that stay
    this.#points = this.#points.filter((_point, index) => index % 2 === 0);
    this.stepMs *= 2;
  }

  get points(): readonly EquityPoint[] {
    return this.#points;
  }
}
