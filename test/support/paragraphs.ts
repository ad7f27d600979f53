// Generated pages as people read them: lists whose lines end at 100 characters, not tables that run off the screen.
const WIDTH = 100;
/** At the beginning of a line these would mean something else. */
const NOT_FIRST = /^(?:[-+*]|#+|[-=]+|\d+[.)])$|^[>|]/;

export const item = (text: string): string => wrapped(`- ${text}`, '  ');

export function wrapped(text: string, indent = ''): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > WIDTH && !NOT_FIRST.test(word)) {
      lines.push(line);
      line = `${indent}${word}`;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line].join('\n');
}
