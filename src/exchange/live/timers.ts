// The timers of the process.
import type { Timers } from '../../domain/index.ts';

/** The longest delay of a timer of the process, ms. */
const LONGEST_MS = 2 ** 31 - 1;

export const LIVE_TIMERS: Timers = {
  now: () => performance.now(),
  after: (ms, action) => {
    const timer = setTimeout(action, Math.min(LONGEST_MS, Math.max(0, Math.ceil(ms))));
    return () => clearTimeout(timer);
  },
};
