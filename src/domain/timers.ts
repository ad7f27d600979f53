/** Monotonic time and timers: `after` runs an action once; the function that it returns cancels it. */
export type Timers = {
  /** Monotonic time, ms. */
  readonly now: () => number;
  readonly after: (ms: number, action: () => void) => () => void;
};
