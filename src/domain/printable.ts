// Text of others, as it may be shown on a terminal: control characters in it move no cursor, set no title, turn no line around.

/** Text within one line, such as a name: without control characters and their like. */
export const printable = (text: string): string => text.replace(/\p{C}/gu, '\u{fffd}');

/** What our own lines that refresh in place begin with: it takes away the line on which the cursor is. */
export const ERASE_LINE = '\r\u001b[2K';

/** Joiners of letters and emoji apart: they move nothing. */
const UNPRINTABLE = /(?![\n\t\u200c\u200d]|\r\n)[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/** Text of many lines, or JSON: as JSON writes such characters, so that JSON still has the same values. */
export function printableLines(text: string): string {
  if (text.startsWith(ERASE_LINE)) return `${ERASE_LINE}${printableLines(text.slice(ERASE_LINE.length))}`;
  return text.replace(UNPRINTABLE, (character) =>
    Array.from({ length: character.length }, (_, at) => escaped(character.charCodeAt(at))).join(''),
  );
}

const escaped = (unit: number): string => `\\u${unit.toString(16).padStart(4, '0')}`;
