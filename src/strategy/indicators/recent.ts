// The values of the last time, for indicators with a window.

/** A value and its time, ms. */
export type Sample = { readonly value: number; readonly t: number };

/** Values that are at most `window` ms old, oldest first. */
export class Recent {
  readonly #window: number;
  #samples: Sample[] = [];
  /** The number of samples at the beginning that are too old. They are dropped from time to time. */
  #past = 0;

  /** @throws RangeError when the window is not above 0 */
  constructor(window: number) {
    if (!(window > 0)) throw new RangeError(`expected a window above 0 ms: ${window}`);
    this.#window = window;
  }

  /** Adds a value, and returns those that became too old. */
  add(value: number, t: number): readonly Sample[] {
    this.#samples.push({ value, t });
    const from = this.#past;
    while (t - (this.#samples[this.#past]?.t ?? t) > this.#window) this.#past += 1;
    const gone = this.#samples.slice(from, this.#past);
    if (this.#past > 64 && 2 * this.#past > this.#samples.length) {
      this.#samples = this.#samples.slice(this.#past);
      this.#past = 0;
    }
    return gone;
  }

  get size(): number {
    return this.#samples.length - this.#past;
  }

  get oldest(): Sample | undefined {
    return this.#samples[this.#past];
  }

  get newest(): Sample | undefined {
    return this.#samples.at(-1);
  }
}
