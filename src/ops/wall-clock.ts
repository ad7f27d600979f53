// The wall clock of a run (rules.md, 1). The system's clock may be set while the bot runs; game starts are
// wall time, so a bot that is an hour late would quote into play. The monotonic clock cannot be set: wall
// time here is an anchor plus monotonic time. The anchor follows the system's clock while that runs evenly,
// slewed or set by less than a second at a time. A larger step is not followed: the wall time is uncertain by
// its size until the exchange has sent its own time.
//
// An answer's `Date` header has whole seconds. With the monotonic clock at `sent` and `received`, the
// exchange's clock minus the monotonic one is at least date − received and less than date + 1 s − sent: the
// header was made between the two, within the second it names. Each answer gives such a pair of bounds, and
// the tightest bounds hold, so a slow answer adds little and does no harm. After a minute of requests the
// bounds are some milliseconds apart, after one answer a second and a round trip. Clocks drift apart, so
// bounds widen as they age; bounds that contradict a new answer are dropped.

/** A smaller step may come from a leap second or a coarse time daemon, and is followed, ms. */
const STEP_MS = 1000;
const HEADER_STEP_MS = 1000;
/** Largest drift between two clocks, ms per ms. */
const DRIFT = 0.0005;

export type ClockNews = {
  /**
   * `stepped`: the system's clock was set. `differs`: it never was, but is not the exchange's. `anchored`:
   * certain again.
   */
  readonly news: 'stepped' | 'differs' | 'anchored';
  /** How far the system's clock was set, or how far it is ahead of the current wall time, ms. */
  readonly byMs: number;
  /** Largest error of the wall time from now on, ms. */
  readonly uncertainMs: number;
};

export type Clocks = { readonly wall: () => number; readonly mono: () => number };

export const SYSTEM_CLOCKS: Clocks = { wall: Date.now, mono: () => performance.now() };

type Bounds = { readonly low: number; readonly high: number; readonly at: number };

export class WallClock {
  readonly #clocks: Clocks;
  readonly #report: (news: ClockNews) => void;
  /**
   * Wall minus monotonic time: the one in use (`#anchor`), and that of the system's clocks at the last read.
   */
  #anchor: number;
  #system: number;
  #follows = true;
  #uncertainMs = 0;
  /** Monotonic time of the last step. A request sent before it gives no valid bounds. */
  #steppedAt = Number.NEGATIVE_INFINITY;
  /** Bounds of the exchange's clock minus the monotonic one. */
  #bounds: Bounds | undefined;

  constructor(clocks: Clocks, report: (news: ClockNews) => void) {
    this.#clocks = clocks;
    this.#report = report;
    this.#anchor = this.#system = clocks.wall() - clocks.mono();
  }

  /** Unix ms, rounded: records keep whole milliseconds. */
  readonly now = (): number => {
    const mono = this.#clocks.mono();
    const former = this.#system;
    this.#system = this.#clocks.wall() - mono;
    const moved = this.#system - former;
    const off = Math.abs(this.#system - this.#anchor);
    if (this.#follows && off <= STEP_MS) this.#anchor = this.#system;
    else if (this.#follows || Math.abs(moved) > STEP_MS) this.#applyStep(moved, mono);
    return Math.round(this.#anchor + mono);
  };

  /** Applies the `Date` header of an answer of the exchange. `sentAt`, `receivedAt`: monotonic ms. */
  applyDate(dateMs: number, sentAt: number, receivedAt: number): void {
    this.now();
    if (sentAt < this.#steppedAt) return;
    const answered: Bounds = { low: dateMs - receivedAt, high: dateMs + HEADER_STEP_MS - sentAt, at: receivedAt };
    this.#bounds = this.#bounds === undefined ? answered : tightest(this.#bounds, answered);
    const { low, high } = this.#bounds;
    const agrees = this.#system >= low - STEP_MS && this.#system <= high + STEP_MS;
    if (this.#uncertainMs > 0) {
      this.#anchorOn(agrees, (low + high) / 2);
      this.#uncertainMs = 0;
      this.#notify('anchored', this.#system - this.#anchor);
    } else if (this.#follows && !agrees) {
      this.#anchorOn(false, (low + high) / 2);
      this.#notify('differs', this.#system - this.#anchor);
    } else if (!this.#follows) this.#anchorOn(agrees, Math.min(high, Math.max(low, this.#anchor)));
  }

  #anchorOn(system: boolean, exchange: number): void {
    this.#follows = system;
    this.#anchor = system ? this.#system : exchange;
  }

  /**
   * Handles a step: the clock was set wrong, set right, or the machine slept, which stops the monotonic
   * clock.
   */
  #applyStep(moved: number, mono: number): void {
    this.#follows = false;
    this.#steppedAt = mono;
    this.#bounds = undefined;
    const off = Math.abs(this.#system - this.#anchor);
    // it was wrong before, and was set back to the time in use
    const agrees = off <= STEP_MS;
    if (agrees) this.#anchorOn(true, this.#anchor);
    this.#uncertainMs = agrees ? 0 : Math.max(this.#uncertainMs, off, Math.abs(moved));
    this.#notify('stepped', moved);
  }

  #notify(news: ClockNews['news'], byMs: number): void {
    this.#report({ news, byMs: Math.round(byMs), uncertainMs: Math.ceil(this.#uncertainMs) });
  }
}

function tightest(known: Bounds, latest: Bounds): Bounds {
  const drift = Math.max(0, latest.at - known.at) * DRIFT;
  const low = Math.max(known.low - drift, latest.low);
  const high = Math.min(known.high + drift, latest.high);
  return low <= high ? { low, high, at: latest.at } : latest;
}
