import { relative } from 'node:path';

/** Returns the path for display: relative to the current folder if it lies below it, else unchanged. */
export function shownPath(path: string): string {
  const from = relative('', path);
  return from === '' || from.startsWith('..') ? path : from;
}
