// The second guard of cancels (spec, Limits 3): ids wait in a pipeline that drains at a fixed rate; a request that does not
// fit is refused whole. A leaky bucket: `level` is what still waits at `atMs`.
export class CancelQueue {
  readonly #size: number;
  readonly #perSecond: number;
  #level = 0;
  #atMs = 0;

  constructor(size: number, perSecond: number) {
    this.#size = size;
    this.#perSecond = perSecond;
  }

  /** Takes this many cancels in. Undefined when they fit, otherwise the milliseconds until they would. */
  enter(cancels: number, nowMs: number): number | undefined {
    this.#level = Math.max(0, this.#level - (Math.max(0, nowMs - this.#atMs) * this.#perSecond) / 1000);
    this.#atMs = nowMs;
    // one request alone always fits an empty pipeline
    const over = this.#level + Math.min(cancels, this.#size) - this.#size;
    if (over > 0) return (over * 1000) / this.#perSecond;
    this.#level += cancels;
    return undefined;
  }
}
