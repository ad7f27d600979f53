// How the files of a run are named, tapes and journals: by the time they began, then the run. A folder has them in order.

const STAMPED = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z-/;

/** `ts`: Unix ms; `name`: the run, and what comes behind it. */
export const stampedName = (ts: number, name: string): string =>
  `${new Date(ts).toISOString().replace(/[:.]/g, '-')}-${name}`;

/** A run wrote it, and may have been killed at that. */
export const isStamped = (file: string): boolean => STAMPED.test(file);
