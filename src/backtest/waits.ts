// How long slots waited, in whole milliseconds: counted, so that no run is too long to be remembered.
export class Waits {
  readonly #counts = new Map<number, number>();
  #total = 0;

  add(ms: number): void {
    this.#counts.set(ms, (this.#counts.get(ms) ?? 0) + 1);
    this.#total += 1;
  }

  /** Of nothing, 0. */
  quantiles(): { readonly p50: number; readonly p95: number } {
    const sorted = [...this.#counts].sort(([a], [b]) => a - b);
    const at = (share: number): number => {
      let left = Math.ceil(share * this.#total);
      for (const [ms, count] of sorted) if ((left -= count) <= 0) return ms;
      return 0;
    };
    return { p50: at(0.5), p95: at(0.95) };
  }
}
