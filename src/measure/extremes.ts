// How bad a run has been so far.

export class Extremes {
  #peak = 0;
  /** The largest fall of the result from a peak, micro-dollars. */
  maxDrawdown = 0;
  /** The most that all that rested and was held could have lost, micro-dollars, 0 or below. */
  worst = 0;

  /** The result, and the most that all that rests and is held may lose, micro-dollars. */
  see(marked: number, worst: number): void {
    this.#peak = Math.max(this.#peak, marked);
    this.maxDrawdown = Math.max(this.maxDrawdown, this.#peak - marked);
    this.worst = Math.min(this.worst, worst);
  }
}
