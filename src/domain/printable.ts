// Makes foreign text safe for a terminal: its control characters must not move the cursor, set a title or
// reverse a line.

/** Text within one line, such as a name: control characters and the like are replaced. */
export const printable = (text: string): string => text.replace(/\p{C}/gu, '\u{fffd}');

/** The start of own lines that refresh in place: it erases the cursor's line. */
export const ERASE_LINE = '\r\u001b[2K';

/** Unprintable characters; joiners of letters and emoji are allowed, since they move nothing. */
const UNPRINTABLE = /(?![\n\t\u200c\u200d]|\r\n)[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/** Text of many lines, or JSON: such characters are escaped as in JSON, so that JSON keeps its values. */
export function printableLines(text: string): string {
  if (text.startsWith(ERASE_LINE)) return `${ERASE_LINE}${printableLines(text.slice(ERASE_LINE.length))}`;
  return text.replace(UNPRINTABLE, (character) =>
    Array.from({ length: character.length }, (_, index) => escaped(character.charCodeAt(index))).join(''),
  );
}

const escaped = (unit: number): string => `\\u${unit.toString(16).padStart(4, '0')}`;
