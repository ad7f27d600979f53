import { relative } from 'node:path';

/** For people: from the current folder where the path lies below it, else as it is. */
export function shownPath(path: string): string {
  const from = relative('', path);
  return from === '' || from.startsWith('..') ? path : from;
}
