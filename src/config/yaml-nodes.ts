// Finds keys of a YAML file and their positions.
import type { Alias, Document, Node } from 'yaml';
import { isDocument, isMap, isNode, isPair, isScalar, isSeq, visit } from 'yaml';
import { isUnsafeKey } from '../domain/index.ts';

export type ConfigPath = readonly PropertyKey[];

/**
 * Returns the aliases in a part of the file, each with the node it stands for. Undefined for an alias without
 * an anchor.
 */
export function aliasesIn(
  document: Document,
  within?: readonly [number, number],
): ReadonlyMap<Alias, Node | undefined> {
  const aliases = new Map<Alias, Node | undefined>();
  visit(document, {
    Alias(_key, alias) {
      const offset = alias.range?.[0] ?? 0;
      if (within === undefined || (offset >= within[0] && offset < within[1]))
        aliases.set(alias, alias.resolve(document));
    },
  });
  return aliases;
}

/** Returns the first alias that stands for another node than before. */
export const aliasOfAnother = (document: Document, before: ReturnType<typeof aliasesIn>): Alias | undefined =>
  [...aliasesIn(document)].find(([alias, node]) => before.has(alias) && before.get(alias) !== node)?.[0];

/** Returns the anchor of the node at a path, or of its nearest parent, if an alias stands for it. */
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

/** True when a key can be set in the node at a path, existing or not. */
export function canHold(document: Document, path: ConfigPath, key: PropertyKey): boolean {
  const node = nodeOf(document, path);
  return (
    isMapOrMissing(document, path) ||
    (isSeq(node) && IS_INDEX.test(String(key)) && node.items[Number(key)] !== undefined)
  );
}

/** Returns the node at a path, or undefined when a parent is not a mapping. */
export function nodeAt(document: Document, path: readonly string[]): unknown {
  return isMap(document.contents) && path.every((_key, index) => isMapOrMissing(document, path.slice(0, index)))
    ? document.getIn(path, true)
    : undefined;
}

/** Returns the offsets at which a section of the file begins and ends. */
export function rangeOf(document: Document, section: readonly string[]): readonly [number, number] | undefined {
  const node = nodeAt(document, section);
  return isNode(node) && node.range ? [node.range[0], node.range[2]] : undefined;
}

/** Returns the keys that lead to a node. @param ancestors as `visit` gives them */
export function keysOf(ancestors: readonly unknown[], node: unknown): ConfigPath {
  const chain = [...ancestors, node];
  return chain.flatMap((node, index): PropertyKey[] => {
    if (isPair(node)) return [isScalar(node.key) ? String(node.key.value) : ''];
    if (isSeq(node)) return [node.items.indexOf(chain[index + 1])];
    return [];
  });
}

/**
 * Returns the keys that would change the prototype of objects, with their offsets.
 * @param part a document, or the node at `under`
 */
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

/** Returns the offset of a key itself. */
export function keyOffsetOf(document: Document, path: ConfigPath): number | undefined {
  const parent: unknown = path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true);
  const pair = isMap(parent)
    ? parent.items.find((item) => isScalar(item.key) && item.key.value === path.at(-1))
    : undefined;
  return isScalar(pair?.key) ? pair.key.range?.[0] : offsetOf(document, path);
}

/** Returns the offset of the value at a path, or of its nearest parent when the key is missing. */
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
