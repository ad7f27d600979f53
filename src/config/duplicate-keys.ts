// JSON files may say a key twice, and `JSON.parse` takes the last without a word.
import { isPair, isScalar, LineCounter, parseDocument, visit } from 'yaml';

/** The line in which a key stands that was told before, in a text that is JSON; undefined when there is none. */
export function lineOfDuplicateKey(json: string): number | undefined {
  const lines = new LineCounter();
  // a check of its own: that of the parser looks through all keys for each
  const document = parseDocument(json, { lineCounter: lines, prettyErrors: false, uniqueKeys: false });
  let at: number | undefined;
  visit(document, {
    Map: (_key, map) => {
      const told = new Set<unknown>();
      for (const pair of map.items) {
        const key = isPair(pair) && isScalar(pair.key) ? pair.key : undefined;
        if (key === undefined) continue;
        if (told.has(key.value)) {
          at = key.range?.[0];
          return visit.BREAK;
        }
        told.add(key.value);
      }
      return undefined;
    },
  });
  return at === undefined ? undefined : lines.linePos(at).line;
}
