// JSON files may say a key twice, and `JSON.parse` takes the last without a word.
import { LineCounter, parseDocument } from 'yaml';

/** The line in which a key stands that was told before, in a text that is JSON; undefined when there is none. */
export function keyToldTwice(json: string): number | undefined {
  const lines = new LineCounter();
  const { errors } = parseDocument(json, { lineCounter: lines, prettyErrors: false });
  const error = errors.find(({ code }) => code === 'DUPLICATE_KEY');
  return error === undefined ? undefined : lines.linePos(error.pos[0]).line;
}
