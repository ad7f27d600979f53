// The curve of the marked result of a run.
import type { CurvePoint } from './run-facts.ts';
import { cents } from './rounding.ts';

/** Most points. With more, every other point is dropped and the step doubles, so long runs stay bounded. */
const MOST_POINTS = 2000;

export class Curve {
  /** Time between points, ms of run time. */
  stepMs: number;
  #points: CurvePoint[] = [];

  constructor(stepMs: number) {
    this.stepMs = stepMs;
  }

  addPoint(atMs: number, { marked, worst, inventory, inPlay }: Omit<CurvePoint, 't'>): void {
    this.#points.push({
      t: Math.round(atMs),
      marked: cents(marked),
      worst: cents(worst),
      inventory: cents(inventory),
      inPlay: cents(inPlay),
    });
    if (this.#points.length <= MOST_POINTS) return;
    // the newest point is among the ones that stay
    this.#points = this.#points.filter((_point, index) => index % 2 === 0);
    this.stepMs *= 2;
  }

  get points(): readonly CurvePoint[] {
    return this.#points;
  }
}
