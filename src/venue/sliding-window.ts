// An exact rate limit, "at most N in any W": an arrival is accepted when the N-th accepted arrival before it
// is at least W old. A refused arrival uses no capacity, but counts in `most`, the largest number of arrivals
// seen in any window.
export class SlidingWindow {
  readonly limit: number;
  readonly windowMs: number;
  readonly #accepted: Float64Array;
  #next = 0;
  #arrivals: number[] = [];
  #oldest = 0;
  #most = 0;

  constructor(limit: number, windowMs: number) {
    this.limit = limit;
    this.windowMs = windowMs;
    this.#accepted = new Float64Array(limit).fill(Number.NEGATIVE_INFINITY);
  }

  /** A window with a new limit, in which the arrivals accepted so far still count. */
  resized(limit: number, windowMs: number): SlidingWindow {
    const next = new SlidingWindow(limit, windowMs);
    const accepted = [...this.#accepted].filter(Number.isFinite).sort((a, b) => a - b);
    for (const atMs of accepted.slice(-limit)) next.#accept(atMs);
    next.#arrivals = this.#arrivals.slice(this.#oldest);
    next.#most = this.#most;
    return next;
  }

  #accept(nowMs: number): void {
    this.#accepted[this.#next] = nowMs;
    this.#next = (this.#next + 1) % this.limit;
  }

  get most(): number {
    return this.#most;
  }

  /**
   * Records an arrival. Returns undefined when it is accepted, otherwise the milliseconds until one would be.
   */
  arrive(nowMs: number): number | undefined {
    this.#count(nowMs);
    const free = (this.#accepted[this.#next] ?? Number.NEGATIVE_INFINITY) + this.windowMs;
    if (free > nowMs) return free - nowMs;
    this.#accept(nowMs);
    return undefined;
  }

  #count(nowMs: number): void {
    this.#arrivals.push(nowMs);
    while ((this.#arrivals[this.#oldest] ?? nowMs) <= nowMs - this.windowMs) this.#oldest++;
    this.#most = Math.max(this.#most, this.#arrivals.length - this.#oldest);
    if (this.#oldest > 1024) {
      this.#arrivals = this.#arrivals.slice(this.#oldest);
      this.#oldest = 0;
    }
  }
}
