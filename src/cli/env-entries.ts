// Reads an env file in the same way as Node's parseEnv, with line numbers, to name lines whose value differs
// from what they seem to say. A test compares the values with parseEnv.

export type EnvEntry = {
  readonly line: number;
  readonly name: string;
  readonly value: string;
  /**
   * Which part of the line is lost, and what to write instead. Undefined when nothing is lost. Contains no
   * part of the value, which may be a secret.
   */
  readonly problem: string | undefined;
};

const BLANKS = /^[ \t\n]+|[ \t\n]+$/g;
const trimmed = (text: string): string => text.replace(BLANKS, '');
const QUOTES = ['"', "'", '`'];

const CUT_AT_HASH = 'the value ends before the #: put the value in quotes; before a comment, put a blank before the #';
const CUT_AT_QUOTE =
  'the value ends at its second quote, and what follows is lost: put it in quotes of another kind (", \' or `)';
const NEXT_LINE = 'the = has only blanks after it, so the value is the next line: remove the blanks for an empty value';

/** All entries of the file, in order. */
export function entriesOf(content: string): readonly EnvEntry[] {
  const text = content.replaceAll('\r', '').replace(/[ \t\n]+$/, '');
  const entries: EnvEntry[] = [];
  const blanksAt = (from: number): number => from + (/^[ \t\n]+/.exec(text.slice(from))?.[0].length ?? 0);
  const endOfLine = (from: number): number => {
    const end = text.indexOf('\n', from);
    return end < 0 ? text.length : end;
  };
  for (let index = blanksAt(0); index < text.length;) {
    const end = endOfLine(index);
    const equals = text.indexOf('=', index);
    if (text[index] === '\n' || text[index] === '#') index = end + 1;
    else if (equals < 0 || equals > end) index = blanksAt(end + 1);
    else {
      const read = valueAt(text, equals + 1, endOfLine);
      const name = trimmed(trimmed(text.slice(index, equals)).replace(/^export /, ''));
      if (name === '' && end > equals + 1) {
        index = blanksAt(equals + 1);
        continue;
      }
      const line = text.slice(0, equals).split('\n').length;
      entries.push({ line, name, value: read.value, problem: read.problem });
      index = text[equals + 1] === '\n' ? read.next : blanksAt(read.next);
    }
  }
  return entries;
}

type Value = { readonly value: string; readonly problem?: string | undefined; readonly next: number };

/** Reads the value at `start`, the index after the equals sign. */
function valueAt(text: string, start: number, endOfLine: (from: number) => number): Value {
  if (start === text.length || text[start] === '\n') return { value: '', next: start + 1 };
  const gap = /^[ \t\n]*/.exec(text.slice(start))?.[0] ?? '';
  const from = start + gap.length;
  const problem = gap.includes('\n') ? NEXT_LINE : undefined;
  const quote = text[from] ?? '';
  const closing = QUOTES.includes(quote) ? text.indexOf(quote, from + 1) : -1;
  if (closing >= 0) {
    const end = endOfLine(closing + 1);
    const rest = trimmed(text.slice(closing + 1, end));
    const inside = text.slice(from + 1, closing);
    return {
      value: quote === '"' ? inside.replaceAll('\\n', '\n') : inside,
      problem: problem ?? (rest === '' || rest.startsWith('#') ? undefined : CUT_AT_QUOTE),
      next: end + 1,
    };
  }
  const end = endOfLine(from);
  const whole = text.slice(from, end);
  // an opening quote without a closing one is part of the value, with the rest of the line
  if (QUOTES.includes(quote)) return { value: whole, problem, next: end + 1 };
  const hash = whole.indexOf('#');
  if (hash < 0) return { value: trimmed(whole), problem, next: end + 1 };
  const isComment = /[ \t\n]/.test(text[from + hash - 1] ?? '');
  return {
    value: trimmed(whole.slice(0, hash)),
    problem: problem ?? (isComment ? undefined : CUT_AT_HASH),
    next: end + 1,
  };
}
