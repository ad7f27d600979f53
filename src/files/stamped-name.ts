// Names the tapes and journals of a run by their start time and the run, so that a folder lists them in
// order.

const STAMPED = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z-/;

/** Returns a file name. @param ts start time, Unix ms @param name the run and the rest of the name */
export const stampedName = (ts: number, name: string): string =>
  `${new Date(ts).toISOString().replace(/[:.]/g, '-')}-${name}`;

/** True for a file that a run wrote, complete or not. */
export const isStamped = (file: string): boolean => STAMPED.test(file);
