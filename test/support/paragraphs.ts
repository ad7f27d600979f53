// Lists for generated pages, with lines wrapped at 100 characters.
const WIDTH = 100;
/** Words that would be markup at the beginning of a line. */
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
