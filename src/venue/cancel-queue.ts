// The second limit on cancels (spec, Limits 3): ids wait in a pipeline that drains at a fixed rate. A request
// that does not fit is refused as a whole. It is a leaky bucket: `level` is the number of ids that still wait
// at `atMs`.
export class CancelQueue {
  readonly #size: number;
  readonly #perSecond: number;
  #level = 0;
  #atMs = 0;

  constructor(size: number, perSecond: number) {
    this.#size = size;
    this.#perSecond = perSecond;
  }

  /** Adds this many cancels. Returns undefined when they fit, otherwise the milliseconds until they would. */
  enter(cancels: number, nowMs: number): number | undefined {
    this.#level = Math.max(0, this.#level - (Math.max(0, nowMs - this.#atMs) * this.#perSecond) / 1000);
    this.#atMs = nowMs;
    // a request larger than the pipeline still fits an empty one
    const over = this.#level + Math.min(cancels, this.#size) - this.#size;
    if (over > 0) return (over * 1000) / this.#perSecond;
    this.#level += cancels;
    return undefined;
  }
}
