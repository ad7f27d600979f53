// Remembers a number over the last seconds, to answer what it was a moment ago.

/** Passed values that are kept before the lists are shortened. */
const MOST_PASSED = 64;

/**
 * Keeps values for `keptMs`, and the one that was valid at that time. Times never decrease. Times and values
 * are lists of plain numbers (NaN: none), and the newest of each is a field: most calls read nothing else.
 */
export class RecentValues {
  readonly #keptMs: number;
  #times: number[] = [];
  #values: number[] = [];
  /** The index of the oldest value that is kept. */
  #first = 0;
  #newest = Number.NaN;
  #newestT = Number.NaN;

  constructor(keptMs: number) {
    this.#keptMs = keptMs;
  }

  /** Records the value from `t` on; undefined when there is none. */
  note(value: number | undefined, t: number): void {
    const noted = value ?? Number.NaN;
    const isFirst = Number.isNaN(this.#newestT);
    if (!isFirst && Object.is(noted, this.#newest)) return;
    // only the last value of each moment is queried
    if (t === this.#newestT) {
      this.#values[this.#values.length - 1] = noted;
      this.#newest = noted;
      return;
    }
    this.#times.push(t);
    this.#values.push(noted);
    this.#newest = noted;
    this.#newestT = t;
    this.#forget(t - this.#keptMs);
  }

  /** Forgets the values that another one replaced before `since`. */
  #forget(since: number): void {
    const { length } = this.#times;
    while (this.#first + 1 < length && (this.#times[this.#first + 1] ?? 0) <= since) this.#first += 1;
    if (this.#first <= MOST_PASSED) return;
    this.#times = this.#times.slice(this.#first);
    this.#values = this.#values.slice(this.#first);
    this.#first = 0;
  }

  /** A copy with each value mapped to another. */
  map(mapping: (value: number) => number): RecentValues {
    const mapped = new RecentValues(this.#keptMs);
    for (let index = this.#first; index < this.#times.length; index++) {
      const value = known(this.#values[index]);
      mapped.note(value === undefined ? undefined : mapping(value), this.#times[index] ?? 0);
    }
    return mapped;
  }

  get newest(): number | undefined {
    return known(this.#newest);
  }

  /** The value just before `t`. Undefined when there was none, or it is older than the kept time. */
  before(t: number): number | undefined {
    for (let index = this.#times.length - 1; index >= this.#first; index--)
      if ((this.#times[index] ?? 0) < t) return known(this.#values[index]);
    return undefined;
  }
}

const known = (value: number | undefined): number | undefined =>
  value === undefined || Number.isNaN(value) ? undefined : value;
