// Whether the bot may place: only within half of guard.deadline after its last completed loop, and behind no fence. The
// guard acts after the whole deadline, so a bot that was stopped and wakes finds its right expired before the guard's
// cancel can be overtaken. Time is monotonic: on Linux it runs on while the process is stopped.
//
// After a SIGCONT, sockets may be read before any timer runs. That does not matter here: a place is a command of a step,
// and the step that ends too long a gap sends none, whatever woke it; the next one finds the fence, if there is one.

export type LoopWatchSettings = {
  readonly deadlineMs: number;
  /** Looks at the fence file; true when there is one, or was one that nobody lifted. */
  readonly fenced: () => boolean;
  readonly now: () => number;
};

export class LoopWatch {
  loops = 0;
  readonly #settings: LoopWatchSettings;
  #last: number;
  #gapBefore = 0;
  /** Set while the lease belongs to somebody else. */
  forbidden: string | undefined;

  constructor(settings: LoopWatchSettings) {
    this.#settings = settings;
    this.#last = settings.now();
  }

  /** The core completed a step; its commands are carried out next, and are judged by how long the loop stood before it. */
  completed(): void {
    const now = this.#settings.now();
    this.#gapBefore = now - this.#last;
    this.#last = now;
    this.loops += 1;
  }

  get sinceLoopMs(): number {
    return this.#settings.now() - this.#last;
  }

  /** Why no place may be sent now; undefined when it may. */
  mayPlace(): string | undefined {
    if (this.#settings.fenced()) return 'a fence stands: `oddsmaker ctl <config> resume` lifts it';
    const gap = Math.max(this.#gapBefore, this.sinceLoopMs);
    const limit = this.#settings.deadlineMs / 2;
    if (gap > limit)
      return `the loop stood still for ${Math.round(gap)} ms, more than half of guard.deadline (${limit} ms)`;
    return this.forbidden;
  }
}

/** Measures how long the event loop was blocked: a timer that comes late was kept waiting by something. */
export class StallMeter {
  readonly #timer: NodeJS.Timeout;
  #dueAt: number;
  #longest = 0;
  /** Longest ever, ms. */
  longestMs = 0;

  constructor(everyMs = 25) {
    this.#dueAt = performance.now() + everyMs;
    this.#timer = setInterval(() => {
      const now = performance.now();
      this.#longest = Math.max(this.#longest, now - this.#dueAt);
      this.longestMs = Math.max(this.longestMs, this.#longest);
      this.#dueAt = now + everyMs;
    }, everyMs).unref();
  }

  /** Longest stall since the last call, ms. */
  take(): number {
    const longest = Math.max(this.#longest, performance.now() - this.#dueAt);
    this.longestMs = Math.max(this.longestMs, longest);
    this.#longest = 0;
    return Math.max(0, longest);
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
