// The largest drawdown and worst case of a run so far.

export class Extremes {
  /** The highest and the lowest marked result, micro-dollars. A run begins at 0. */
  highest = 0;
  lowest = 0;
  /** The largest fall of the marked result from a peak, micro-dollars. */
  maxDrawdown = 0;
  /**
   * The largest possible loss of all resting orders and positions so far, micro-dollars, as a value of 0 or
   * below.
   */
  worst = 0;

  /**
   * Updates both extremes. `marked`: the marked result; `worst`: the worst case of resting orders and
   * positions, micro-dollars.
   */
  see(marked: number, worst: number): void {
    this.highest = Math.max(this.highest, marked);
    this.lowest = Math.min(this.lowest, marked);
    this.maxDrawdown = Math.max(this.maxDrawdown, this.highest - marked);
    this.worst = Math.min(this.worst, worst);
  }
}
