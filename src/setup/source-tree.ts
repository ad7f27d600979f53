// The syntax tree of a strategy file, without its types.
import { stripTypeScriptTypes } from 'node:module';
import type { AnyNode, Node, Program } from 'acorn';
import { parse } from 'acorn';
import type { ScopeManager } from 'eslint-scope';
import { analyze } from 'eslint-scope';
import { messageOf } from '../domain/index.ts';

/** The tree of a file, or why it cannot be read. */
export function programOf(file: string, source: string): Program | string {
  try {
    return parse(/\.[cm]?ts$/.test(file) ? withoutTypes(source) : source, {
      ecmaVersion: 'latest',
      sourceType: 'module',
      locations: true,
      ranges: true,
      allowHashBang: true,
    });
  } catch (error) {
    return messageOf(error);
  }
}

/** Who declares and who uses each name of a tree. */
export const scopesOf = (program: Program): ScopeManager =>
  analyze(program as unknown as Parameters<typeof analyze>[0], { ecmaVersion: 2025, sourceType: 'module' });

export const lineOf = ({ loc }: Node): number => loc?.start.line ?? 1;

/** Strips types without Node's warning that the feature is experimental, on which users cannot act. */
function withoutTypes(source: string): string {
  const emitWarning = process.emitWarning.bind(process);
  process.emitWarning = () => undefined;
  try {
    return stripTypeScriptTypes(source);
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** Calls `onNode` for a node and all nodes below it. */
export function visit(
  node: Node,
  onNode: (node: AnyNode, parent: AnyNode | undefined) => void,
  parent?: AnyNode,
): void {
  onNode(node as AnyNode, parent);
  for (const value of Object.values(node as unknown as Record<string, unknown>))
    for (const child of Array.isArray(value) ? value : [value])
      if (isNode(child)) visit(child, onNode, node as AnyNode);
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string';
