// Decides whether the bot may place: only within half of guard.deadline after its last completed loop, and
// while no fence stands. The guard acts after the whole deadline, so a bot that was stopped and wakes has
// lost its permission before it could place after the guard's cancel. Time is monotonic: on Linux it also
// runs while the process is stopped.
//
// After a SIGCONT, sockets may be read before any timer runs. That does no harm: a place is a command of a
// step, and the step that ends a too long gap sends none, whatever woke it; the next step sees the fence, if
// there is one.

export type LoopWatchSettings = {
  readonly deadlineMs: number;
  /** Checks the fence file. True: there is a fence, or was one that was not lifted. */
  readonly fenced: () => boolean;
  readonly now: () => number;
};

export class LoopWatch {
  loops = 0;
  readonly #settings: LoopWatchSettings;
  #last: number;
  #gapBefore = 0;
  /** Why placing is forbidden while the bot does not see its files, or another process holds the lease. */
  forbidden: string | undefined;

  constructor(settings: LoopWatchSettings) {
    this.#settings = settings;
    this.#last = settings.now();
  }

  /**
   * Called when the core has completed a step. Its commands follow, and are judged by the gap before the
   * step.
   */
  completed(): void {
    const now = this.#settings.now();
    this.#gapBefore = now - this.#last;
    this.#last = now;
    this.loops += 1;
  }

  get sinceLoopMs(): number {
    return this.#settings.now() - this.#last;
  }

  /** Why no place may be sent now. Undefined: it may. */
  mayPlace(): string | undefined {
    if (this.#settings.fenced()) return 'a fence stands: `oddsmaker ctl <config> resume` lifts it';
    const gap = Math.max(this.#gapBefore, this.sinceLoopMs);
    const limit = this.#settings.deadlineMs / 2;
    if (gap > limit)
      return `the loop stood still for ${Math.round(gap)} ms, more than half of guard.deadline (${limit} ms)`;
    return this.forbidden;
  }
}

/** Measures how long the event loop was blocked, by the delay of a timer. */
export class StallMeter {
  readonly #timer: NodeJS.Timeout;
  #dueAt: number;
  #longest = 0;
  /** Longest stall ever, ms. */
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
