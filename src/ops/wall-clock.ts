// The wall clock that a run goes by (rules.md, 1). The system's clock may be set while the bot runs; game starts are wall time,
// so a bot an hour behind would quote into play. The monotonic clock cannot be set: wall time here is an anchor plus
// monotonic time. The anchor follows the system's clock while that runs evenly, slewed or set by less than a second at a time.
// A step beyond that is not followed: the wall time is uncertain by its size until the exchange has told its own time.
//
// An answer's `Date` header has whole seconds. With the monotonic clock at `sent` and `received`, the exchange's clock
// minus the monotonic one is at least date − received and less than date + 1 s − sent: the header was made between
// the two, within the second it names. Each answer is such a pair of bounds and the tightest of all of them hold, so that a slow
// answer says little and does no harm. After a minute of requests they are some milliseconds apart, after one answer a second
// and a round trip. Clocks drift apart, so bounds widen as they age; bounds that contradict a new answer are dropped.

/** Less may be a leap second or a coarse daemon for time: it is followed. */
const STEP_MS = 1000;
const HEADER_STEP_MS = 1000;
/** How far two clocks drift apart, at most, in ms of one per ms. */
const DRIFT = 0.0005;

export type ClockNews = {
  /** `stepped`: the system's clock was set. `differs`: it never was, but is not the exchange's. `anchored`: certain again. */
  readonly news: 'stepped' | 'differs' | 'anchored';
  /** How far the system's clock was set, or how far it is ahead of the wall time that holds now; ms. */
  readonly byMs: number;
  /** How far the wall time may be off from now on, ms. */
  readonly uncertainMs: number;
};

export type Clocks = { readonly wall: () => number; readonly mono: () => number };

export const SYSTEM_CLOCKS: Clocks = { wall: Date.now, mono: () => performance.now() };

type Bounds = { readonly low: number; readonly high: number; readonly at: number };

export class WallClock {
  readonly #clocks: Clocks;
  readonly #report: (news: ClockNews) => void;
  /** Wall minus monotonic time: what holds, and as the system's clocks were read last. */
  #anchor: number;
  #system: number;
  #follows = true;
  #uncertainMs = 0;
  /** Monotonic time of the last step: a request that was sent before it says nothing of what holds now. */
  #steppedAt = Number.NEGATIVE_INFINITY;
  /** Of the exchange's clock minus the monotonic one. */
  #bounds: Bounds | undefined;

  constructor(clocks: Clocks, report: (news: ClockNews) => void) {
    this.#clocks = clocks;
    this.#report = report;
    this.#anchor = this.#system = clocks.wall() - clocks.mono();
  }

  /** Unix ms, whole ones: what keeps them has no place for parts. */
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

  /** The `Date` header of an answer of the exchange. `sentAt`, `receivedAt`: monotonic ms. */
  applyDate(dateMs: number, sentAt: number, receivedAt: number): void {
    this.now();
    if (sentAt < this.#steppedAt) return;
    const said: Bounds = { low: dateMs - receivedAt, high: dateMs + HEADER_STEP_MS - sentAt, at: receivedAt };
    this.#bounds = this.#bounds === undefined ? said : tightest(this.#bounds, said);
    const { low, high } = this.#bounds;
    const agrees = this.#system >= low - STEP_MS && this.#system <= high + STEP_MS;
    if (this.#uncertainMs > 0) {
      this.#anchorOn(agrees, (low + high) / 2);
      this.#uncertainMs = 0;
      this.#tell('anchored', this.#system - this.#anchor);
    } else if (this.#follows && !agrees) {
      this.#anchorOn(false, (low + high) / 2);
      this.#tell('differs', this.#system - this.#anchor);
    } else if (!this.#follows) this.#anchorOn(agrees, Math.min(high, Math.max(low, this.#anchor)));
  }

  #anchorOn(system: boolean, exchange: number): void {
    this.#follows = system;
    this.#anchor = system ? this.#system : exchange;
  }

  /** It may have been set wrong, set right, or the machine slept, in which the monotonic clock stands still. */
  #applyStep(moved: number, mono: number): void {
    this.#follows = false;
    this.#steppedAt = mono;
    this.#bounds = undefined;
    const off = Math.abs(this.#system - this.#anchor);
    // it was wrong before, and was set to what held all along
    const agrees = off <= STEP_MS;
    if (agrees) this.#anchorOn(true, this.#anchor);
    this.#uncertainMs = agrees ? 0 : Math.max(this.#uncertainMs, off, Math.abs(moved));
    this.#tell('stepped', moved);
  }

  #tell(news: ClockNews['news'], byMs: number): void {
    this.#report({ news, byMs: Math.round(byMs), uncertainMs: Math.ceil(this.#uncertainMs) });
  }
}

function tightest(known: Bounds, said: Bounds): Bounds {
  const drift = Math.max(0, said.at - known.at) * DRIFT;
  const low = Math.max(known.low - drift, said.low);
  const high = Math.min(known.high + drift, said.high);
  return low <= high ? { low, high, at: said.at } : said;
}
