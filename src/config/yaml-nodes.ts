// Where the keys of a YAML file stand, and what is there.
import type { Alias, Document } from 'yaml';
import { isMap, isNode, isPair, isScalar, isSeq, visit } from 'yaml';

export type ConfigPath = readonly PropertyKey[];

/** The anchors that some alias stands for. */
export function aliasesIn(document: Document): ReadonlySet<string> {
  const sources = new Set<string>();
  visit(document, {
    Alias(_key, { source }) {
      sources.add(source);
    },
  });
  return sources;
}

/** The first alias, within this part of the file, that stands for nothing. */
export function aliasOfNothing(document: Document, within?: readonly [number, number]): Alias | undefined {
  let found: Alias | undefined;
  visit(document, {
    Alias(_key, alias) {
      const at = alias.range?.[0] ?? 0;
      const isInside = within === undefined || (at >= within[0] && at < within[1]);
      if (!isInside || alias.resolve(document) !== undefined) return undefined;
      found = alias;
      return visit.BREAK;
    },
  });
  return found;
}

/** Of a node, or of what it is in, the anchor that is one of these. */
export function anchorOn(
  document: Document,
  path: ConfigPath,
  aliases: ReadonlySet<string>,
): string | undefined {
  if (aliases.size === 0) return undefined;
  for (let length = 1; length <= path.length; length++) {
    const node = nodeOf(document, path.slice(0, length));
    const anchor = isNode(node) && 'anchor' in node ? node.anchor : undefined;
    if (anchor !== undefined && aliases.has(anchor)) return anchor;
  }
  return undefined;
}

function nodeOf(document: Document, path: ConfigPath): unknown {
  return path.length === 0 ? document.contents : document.getIn(path, true);
}

function isMapOrMissing(document: Document, path: ConfigPath): boolean {
  const node = nodeOf(document, path);
  return node === undefined || node === null || isMap(node);
}

const IS_INDEX = /^(0|[1-9]\d*)$/;

/** Whether a key can be set in what is there, or is not there yet. */
export function canHold(document: Document, path: ConfigPath, key: PropertyKey): boolean {
  const node = nodeOf(document, path);
  return (
    isMapOrMissing(document, path) ||
    (isSeq(node) && IS_INDEX.test(String(key)) && node.items[Number(key)] !== undefined)
  );
}

/** The node at a path; undefined when some parent is no mapping. */
export function nodeAt(document: Document, path: readonly string[]): unknown {
  return isMap(document.contents) &&
    path.every((_key, index) => isMapOrMissing(document, path.slice(0, index)))
    ? document.getIn(path, true)
    : undefined;
}

/** Where a section of the file begins and ends. */
export function rangeOf(
  document: Document,
  section: readonly string[],
): readonly [number, number] | undefined {
  const node = nodeAt(document, section);
  return isNode(node) && node.range ? [node.range[0], node.range[2]] : undefined;
}

/** The keys that lead to a node, from what `visit` says stands above it. */
export function keysOf(ancestors: readonly unknown[], node: unknown): ConfigPath {
  const chain = [...ancestors, node];
  return chain.flatMap((one, index): PropertyKey[] => {
    if (isPair(one)) return [isScalar(one.key) ? String(one.key.value) : ''];
    if (isSeq(one)) return [one.items.indexOf(chain[index + 1])];
    return [];
  });
}

/** Where a key itself stands. */
export function keyOffsetOf(document: Document, path: ConfigPath): number | undefined {
  const parent: unknown = path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true);
  const pair = isMap(parent)
    ? parent.items.find((item) => isScalar(item.key) && item.key.value === path.at(-1))
    : undefined;
  return isScalar(pair?.key) ? pair.key.range?.[0] : offsetOf(document, path);
}

/** Where a path stands in the file; the nearest parent when the key is missing. */
export function offsetOf(document: Document, path: ConfigPath): number | undefined {
  for (let length = path.length; length >= 0; length--) {
    const prefix = path.slice(0, length);
    const last = prefix.at(-1);
    const parent: unknown = length === 0 ? document.contents : document.getIn(prefix.slice(0, -1), true);
    if (isMap(parent)) {
      const pair = parent.items.find((item) => isScalar(item.key) && item.key.value === last);
      if (pair !== undefined && isNode(pair.value) && pair.value.range)
        return isScalar(pair.key) && length === path.length && !isScalar(pair.value)
          ? pair.key.range?.[0]
          : pair.value.range[0];
      if (pair !== undefined && isScalar(pair.key)) return pair.key.range?.[0];
    }
    const node: unknown = length === 0 ? document.contents : document.getIn(prefix, true);
    if (isNode(node) && node.range) return node.range[0];
  }
  return undefined;
}
