// Text of the pages: prose in lines of a page, tables, numbers.

const WIDTH = 98;

/** Paragraphs in lines that are short enough. Blank lines separate them; a paragraph may be an item of a list. */
export const prose = (text: string): string =>
  text
    .trim()
    .split(/\n\s*\n/)
    // a number and its sign stay together
    .map((paragraph) => wrapped(paragraph.trim().split(/\s+(?!%)/)))
    .join('\n\n');

function wrapped(words: readonly string[]): string {
  const indent = words[0] === '-' ? '  ' : '';
  const lines: string[] = [];
  let line = '';
  for (const word of words)
    if (line === '') line = word;
    else if (`${line} ${word}`.length > WIDTH) {
      lines.push(line);
      line = indent + word;
    } else line += ` ${word}`;
  return [...lines, line].join('\n');
}

/** A list with an item for each text. */
export const list = (items: readonly string[]): string => items.map((item) => prose(`- ${item}`)).join('\n');

export const table = (head: readonly string[], rows: readonly (readonly (string | number)[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');

/** A number with so many digits behind the point, and a true minus sign. */
export function fixed(value: number, digits: number): string {
  const text = value.toFixed(digits);
  return Number(text) === 0 ? text.replace('-', '') : text.replace('-', '−');
}

export const percent = (share: number, digits = 1): string => `${fixed(100 * share, digits)} %`;

/** A whole number with commas. */
export const whole = (value: number): string => String(value).replace(/\B(?=(\d{3})+$)/g, ',');
