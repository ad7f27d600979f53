// The label of a game among others: the same teams meet dozens of times a season, and twice on some days.

/**
 * The name and start of a game, UTC, to the minute; the name alone when the start is unknown. `start`: Unix
 * ms.
 */
export function namedGame(name: string, start: number | undefined): string {
  if (start === undefined || !(Math.abs(start) <= LATEST_MS)) return name;
  return `${name}, ${new Date(start).toISOString().slice(0, 16).replace('T', ' ')}`;
}

/** The last time that a Date can hold, ms. */
const LATEST_MS = 8.64e15;
