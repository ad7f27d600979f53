// Finds duplicate keys in JSON files, since `JSON.parse` silently keeps the last one.
import { isPair, isScalar, LineCounter, parseDocument, visit } from 'yaml';

/**
 * Returns the line of the first duplicate key, or undefined when there is none.
 * @param json a text that is valid JSON
 */
export function lineOfDuplicateKey(json: string): number | undefined {
  const lines = new LineCounter();
  // the parser's own check would compare each key with all others
  const document = parseDocument(json, { lineCounter: lines, prettyErrors: false, uniqueKeys: false });
  let offset: number | undefined;
  visit(document, {
    Map: (_key, map) => {
      const seen = new Set<unknown>();
      for (const pair of map.items) {
        const key = isPair(pair) && isScalar(pair.key) ? pair.key : undefined;
        if (key === undefined) continue;
        if (seen.has(key.value)) {
          offset = key.range?.[0];
          return visit.BREAK;
        }
        seen.add(key.value);
      }
      return undefined;
    },
  });
  return offset === undefined ? undefined : lines.linePos(offset).line;
}
