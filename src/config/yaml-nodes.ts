// Where the keys of a YAML file stand, and what is there.
import type { Alias, Document, Node } from 'yaml';
import { isDocument, isMap, isNode, isPair, isScalar, isSeq, visit } from 'yaml';
import { isUnsafeKey } from '../domain/index.ts';

export type ConfigPath = readonly PropertyKey[];

/** The aliases in this part of the file, each with what it stands for; undefined: for nothing. */
export function aliasesIn(
  document: Document,
  within?: readonly [number, number],
): ReadonlyMap<Alias, Node | undefined> {
  const aliases = new Map<Alias, Node | undefined>();
  visit(document, {
    Alias(_key, alias) {
      const at = alias.range?.[0] ?? 0;
      if (within === undefined || (at >= within[0] && at < within[1])) aliases.set(alias, alias.resolve(document));
    },
  });
  return aliases;
}

/** The first alias that does not stand for what it stood for before. */
export const aliasOfAnother = (document: Document, before: ReturnType<typeof aliasesIn>): Alias | undefined =>
  [...aliasesIn(document)].find(([alias, node]) => before.has(alias) && before.get(alias) !== node)?.[0];

/** Of a node, or of what it is in, the one that an alias stands for: its anchor. */
export function anchorOn(
  document: Document,
  path: ConfigPath,
  aliases: ReturnType<typeof aliasesIn>,
): string | undefined {
  if (aliases.size === 0) return undefined;
  const shared = new Set<unknown>(aliases.values());
  for (let length = 1; length <= path.length; length++) {
    const node = nodeOf(document, path.slice(0, length));
    if (isNode(node) && shared.has(node) && 'anchor' in node) return node.anchor;
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
  return isMap(document.contents) && path.every((_key, index) => isMapOrMissing(document, path.slice(0, index)))
    ? document.getIn(path, true)
    : undefined;
}

/** Where a section of the file begins and ends. */
export function rangeOf(document: Document, section: readonly string[]): readonly [number, number] | undefined {
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

/** Keys that change what every object is, with where they stand. `part`: a document, or what stands under a path of it. */
export function unsafeKeysIn(
  part: unknown,
  under: ConfigPath,
): readonly { readonly path: ConfigPath; readonly offset: number | undefined }[] {
  const found: { readonly path: ConfigPath; readonly offset: number | undefined }[] = [];
  if (!isNode(part) && !isDocument(part)) return found;
  visit(part, {
    Scalar(key, node, ancestors) {
      if (key === 'key' && typeof node.value === 'string' && isUnsafeKey(node.value))
        found.push({ path: [...under, ...keysOf(ancestors, node)], offset: node.range?.[0] });
    },
  });
  return found;
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
