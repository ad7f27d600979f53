// How a game is shown beside others: the same teams meet dozens of times a season, and twice on some days.

/** Its name and its start, UTC, to the minute. `start`: Unix ms; the name alone where it is not known. */
export function namedGame(name: string, start: number | undefined): string {
  if (start === undefined || !(Math.abs(start) <= LATEST_MS)) return name;
  return `${name}, ${new Date(start).toISOString().slice(0, 16).replace('T', ' ')}`;
}

/** The last time that a Date holds. */
const LATEST_MS = 8.64e15;
