// The single parameters of a strategy, by their paths, as its schema tells of them: what may be varied, and from where to where.
import { z } from 'zod';
import type { Strategy } from '../define.ts';

export type ParamLeaf = {
  /** Keys inside `params`. */
  readonly path: readonly string[];
  readonly isWhole: boolean;
  /** As `.meta({ sweep: [from, to] })` or `[from, to, step]` says; undefined: nothing is said. */
  readonly sweep: unknown;
  /** It holds keys that the schema does not name. */
  readonly isOpen: boolean;
};

type Schema = {
  readonly type?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: unknown;
  readonly sweep?: unknown;
};

/** In the order of the schema; of one that cannot be told as JSON schema, none. */
export function paramLeaves({ params }: Strategy): readonly ParamLeaf[] {
  const schema = z.toJSONSchema(params, { io: 'input', unrepresentable: 'any' }) as Schema;
  return leavesOf(schema, []);
}

function leavesOf(schema: Schema, path: readonly string[]): readonly ParamLeaf[] {
  const { properties } = schema;
  if (properties !== undefined && Object.keys(properties).length > 0)
    return Object.entries(properties).flatMap(([key, inner]) => leavesOf(inner, [...path, key]));
  const isOpen = typeof schema.additionalProperties === 'object' || (path.length === 0 && properties === undefined);
  if (path.length === 0 && !isOpen) return [];
  return [{ path, isWhole: schema.type === 'integer', sweep: schema.sweep, isOpen }];
}
