// Long work in short parts: between two parts the event loop may process frames and answers.

/** Work that stops after each part, and returns its result at the end. */
export type Parts<Result> = Generator<undefined, Result>;

/** How many rows a part makes or compares: some 50 µs. */
export const ROWS_IN_PART = 8;

/** Does all parts at once. */
export function wholeOf<Result>(parts: Parts<Result>): Result {
  for (;;) {
    const next = parts.next();
    if (next.done === true) return next.value;
  }
}
