// A number as it was in the last seconds, to be asked what it was a moment ago.

type At = { readonly t: number; readonly value: number | undefined };

/** `keptMs`: what is older goes, but for the one that stood then. Times never go back. */
export class RecentValues {
  readonly #keptMs: number;
  #path: At[] = [];

  constructor(keptMs: number) {
    this.#keptMs = keptMs;
  }

  /** It is this from now on; undefined: there is none. */
  note(value: number | undefined, t: number): void {
    const path = this.#path;
    const last = path.at(-1);
    if (last?.value === value && last !== undefined) return;
    // only what stood when a moment was over is asked for
    if (last?.t === t) path.pop();
    path.push({ t, value });
    let old = 0;
    while ((path[old + 1]?.t ?? Number.POSITIVE_INFINITY) <= t - this.#keptMs) old += 1;
    if (old > 0) path.splice(0, old);
  }

  /** The same seconds, each value turned into another. */
  map(of: (value: number) => number): RecentValues {
    const mapped = new RecentValues(this.#keptMs);
    mapped.#path = this.#path.map(({ t, value }) => ({
      t,
      value: value === undefined ? undefined : of(value),
    }));
    return mapped;
  }

  get newest(): number | undefined {
    return this.#path.at(-1)?.value;
  }

  /** The one that stood strictly before `t`; undefined: there was none, or it is longer ago than is kept. */
  before(t: number): number | undefined {
    for (let at = this.#path.length - 1; at >= 0; at--) {
      const one = this.#path[at];
      if (one !== undefined && one.t < t) return one.value;
    }
    return undefined;
  }
}
