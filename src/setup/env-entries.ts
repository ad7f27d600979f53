// The lines of a file of variables, as Node's parseEnv reads them: to name the line whose value is another than it seems. The
// values themselves are those of parseEnv; a test holds both equal.

export type EnvEntry = {
  readonly line: number;
  readonly name: string;
  readonly value: string;
  /** What of the line is lost, and what to write instead; it has no part of the value. */
  readonly problem: string | undefined;
};

const BLANKS = /^[ \t\n]+|[ \t\n]+$/g;
const trimmed = (text: string): string => text.replace(BLANKS, '');
const QUOTES = ['"', "'", '`'];

const CUT_AT_HASH = 'the value ends before the #: put the value in quotes; before a comment, put a blank before the #';
const CUT_AT_QUOTE =
  'the value ends at its second quote, and what follows is lost: put it in quotes of another kind (", \' or `)';
const NEXT_LINE = 'the = has only blanks after it, so the value is the next line: remove the blanks for an empty value';

export function entriesOf(told: string): readonly EnvEntry[] {
  const text = told.replaceAll('\r', '').replace(/[ \t\n]+$/, '');
  const entries: EnvEntry[] = [];
  const blanksAt = (from: number): number => from + (/^[ \t\n]+/.exec(text.slice(from))?.[0].length ?? 0);
  const endOfLine = (from: number): number => {
    const end = text.indexOf('\n', from);
    return end < 0 ? text.length : end;
  };
  for (let at = blanksAt(0); at < text.length;) {
    const end = endOfLine(at);
    const equals = text.indexOf('=', at);
    if (text[at] === '\n' || text[at] === '#') at = end + 1;
    else if (equals < 0 || equals > end) at = blanksAt(end + 1);
    else {
      const read = valueAt(text, equals + 1, endOfLine);
      const name = trimmed(trimmed(text.slice(at, equals)).replace(/^export /, ''));
      if (name === '' && end > equals + 1) {
        at = blanksAt(equals + 1);
        continue;
      }
      const line = text.slice(0, equals).split('\n').length;
      entries.push({ line, name, value: read.value, problem: read.problem });
      at = text[equals + 1] === '\n' ? read.next : blanksAt(read.next);
    }
  }
  return entries;
}

type Value = { readonly value: string; readonly problem?: string | undefined; readonly next: number };

/** `at`: behind the equals sign. */
function valueAt(text: string, at: number, endOfLine: (from: number) => number): Value {
  if (at === text.length || text[at] === '\n') return { value: '', next: at + 1 };
  const gap = /^[ \t\n]*/.exec(text.slice(at))?.[0] ?? '';
  const from = at + gap.length;
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
  // a quote without a second one is a part of the value, and so is all behind it
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
