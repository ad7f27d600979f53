// Finds jumps of a price: moves within a short time that are large for this price.

/** What counts as a jump. */
export type JumpSettings = {
  /** In standard deviations of the moves of such a time, as measured so far. */
  readonly sigmas: number;
  /** The time in which a jump happens, ms. */
  readonly window: number;
  /** A smaller move is never one, in units of the price. */
  readonly least?: number;
};

/**
 * Takes the next value of a price.
 * @param value the price
 * @param t its time, ms; times must not fall
 * @returns the move, when it is a jump
 */
export type JumpDetector = (value: number, t: number) => number | undefined;

/** The variance is that of at least this much time: the first moves say little. */
const LEAST_TIME_MS = 60_000;

/**
 * Makes a detector for one price. The variance is the sum of squared moves over all time seen.
 * @param settings what counts as a jump
 * @returns the detector
 * @example const jumpOf = jumpDetector({ sigmas: 3, window: 5000, least: 0.01 })
 */
export function jumpDetector({ sigmas, window, least = 0 }: JumpSettings): JumpDetector {
  let samples: { readonly value: number; readonly t: number }[] = [];
  let [squares, timeMs] = [0, 0];
  return (value, t) => {
    const last = samples.at(-1);
    const usual = Math.sqrt((squares / Math.max(timeMs, LEAST_TIME_MS)) * window);
    samples = [...samples.filter((sample) => t - sample.t <= window), { value, t }];
    const moved = value - (samples[0]?.value ?? value);
    if (last !== undefined) {
      squares += (value - last.value) ** 2;
      timeMs += t - last.t;
    }
    if (Math.abs(moved) <= Math.max(least, sigmas * usual)) return undefined;
    // what follows is measured from here
    samples = [{ value, t }];
    return moved;
  };
}
