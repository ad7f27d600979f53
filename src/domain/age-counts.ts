// Counts ages in ranges: every count is exact, and a queried age is at most 5 % too high. Memory does not
// grow with a run.

/** Upper ends of the counted ranges, ms: 0, 1, then each 5 % above the previous one, to over a week. */
const ENDS: readonly number[] = (() => {
  const ends = [0, 1];
  for (let end = 1; end < 8 * 24 * 3_600_000;) ends.push((end = Math.ceil(end * 1.05)));
  return ends;
})();

export class AgeCounts {
  readonly #counts = new Map<number, number>();
  #all = 0;
  #last = 0;

  /** Adds an age, ms, 0 or more. */
  countAge(ageMs: number): void {
    let [from, to] = [0, ENDS.length - 1];
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((ENDS[middle] as number) >= ageMs) to = middle;
      else from = middle + 1;
    }
    this.#counts.set(from, (this.#counts.get(from) ?? 0) + 1);
    this.#all += 1;
    this.#last = ageMs;
  }

  /** The number of added ages. */
  get count(): number {
    return this.#all;
  }

  /** The age added last, ms. */
  get last(): number {
    return this.#last;
  }

  /** The age that this share of the ages does not exceed, ms, at most 5 % too high; 0 when there are none. */
  quantile(share: number): number {
    let left = share * this.#all;
    for (const range of [...this.#counts.keys()].sort((a, b) => a - b)) {
      left -= this.#counts.get(range) ?? 0;
      if (left <= 1e-9) return ENDS[range] ?? 0;
    }
    return 0;
  }

  /** Adds all counts of `others`. */
  addAll(others: AgeCounts): void {
    for (const [range, count] of others.#counts) this.#counts.set(range, (this.#counts.get(range) ?? 0) + count);
    this.#all += others.#all;
    this.#last = others.#last;
  }

  /** The figures for reports; undefined when there are no ages. */
  get figures(): AgeFigures | undefined {
    if (this.#all === 0) return undefined;
    return { reads: this.#all, p50Ms: this.quantile(0.5), p95Ms: this.quantile(0.95), lastMs: Math.round(this.#last) };
  }

  /** The sum of several counts. */
  static sum(counts: Iterable<AgeCounts>): AgeCounts {
    const all = new AgeCounts();
    for (const part of counts) all.addAll(part);
    return all;
  }
}

export type AgeFigures = {
  /** The number of ages. */
  readonly reads: number;
  /** The age that half, and 95 of 100, of the ages do not exceed, ms, at most 5 % too high. */
  readonly p50Ms: number;
  readonly p95Ms: number;
  /** The age added last, ms. */
  readonly lastMs: number;
};
