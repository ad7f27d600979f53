// Remembers a number over the last seconds, to answer what it was a moment ago.

type TimedValue = { readonly t: number; readonly value: number | undefined };

/** Keeps values for `keptMs`, and the one that was valid at that time. Times never decrease. */
export class RecentValues {
  readonly #keptMs: number;
  #path: TimedValue[] = [];

  constructor(keptMs: number) {
    this.#keptMs = keptMs;
  }

  /** Records the value from `t` on; undefined when there is none. */
  note(value: number | undefined, t: number): void {
    const path = this.#path;
    const last = path.at(-1);
    if (last?.value === value && last !== undefined) return;
    // only the last value of each moment is queried
    if (last?.t === t) path.pop();
    path.push({ t, value });
    let old = 0;
    while ((path[old + 1]?.t ?? Number.POSITIVE_INFINITY) <= t - this.#keptMs) old += 1;
    if (old > 0) path.splice(0, old);
  }

  /** A copy with each value mapped to another. */
  map(mapping: (value: number) => number): RecentValues {
    const mapped = new RecentValues(this.#keptMs);
    mapped.#path = this.#path.map(({ t, value }) => ({
      t,
      value: value === undefined ? undefined : mapping(value),
    }));
    return mapped;
  }

  get newest(): number | undefined {
    return this.#path.at(-1)?.value;
  }

  /** The value just before `t`. Undefined when there was none, or it is older than the kept time. */
  before(t: number): number | undefined {
    for (let index = this.#path.length - 1; index >= 0; index--) {
      const entry = this.#path[index];
      if (entry !== undefined && entry.t < t) return entry.value;
    }
    return undefined;
  }
}
