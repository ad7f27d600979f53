/** Monotonic time, and what is to happen when some of it has passed; the action that is returned calls it off. */
export type Timers = {
  /** Milliseconds. */
  readonly now: () => number;
  readonly after: (ms: number, action: () => void) => () => void;
};
