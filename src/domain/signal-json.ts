// Parses JSON of outside programs. Python's json.dumps writes NaN and Infinity, which JSON does not have:
// they are read as those numbers, so that one bad number does not hide the others. Any other error is
// reported with its place.

const MARK = '\u0000';
const TOKENS = /"(?:[^"\\]|\\.)*"|-?Infinity|NaN/g;
/** Characters shown on each side of the error. */
const SHOWN = 30;

export type ReadJson =
  { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly problem: string };

export function readJson(text: string): ReadJson {
  try {
    return { ok: true, value: JSON.parse(text) as unknown };
  } catch (error) {
    if (!/NaN|Infinity/.test(text)) return { ok: false, problem: problemOf(text, error) };
  }
  const marked = text.replaceAll(TOKENS, (token) => (token.startsWith('"') ? token : JSON.stringify(MARK + token)));
  try {
    const numbers = (_key: string, value: unknown): unknown =>
      typeof value === 'string' && value.startsWith(MARK) ? Number(value.slice(1)) : value;
    return { ok: true, value: JSON.parse(marked, numbers) as unknown };
  } catch (error) {
    return { ok: false, problem: problemOf(marked.replaceAll(JSON.stringify(MARK).slice(1, -1), ''), error) };
  }
}

function problemOf(text: string, error: unknown): string {
  const index = Number(/at position (\d+)/.exec(String(error))?.[1] ?? text.length);
  const shown = text.slice(Math.max(0, index - SHOWN), index + SHOWN);
  return `no JSON at character ${index + 1}: …${shown}…`;
}
