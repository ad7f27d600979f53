// Lists the single parameters of a strategy by path, from its schema: which may be varied in a search, and in
// which range.
import { z } from 'zod';
import type { Strategy } from '../define.ts';

export type ParamLeaf = {
  /** Keys inside `params`. */
  readonly path: readonly string[];
  readonly isWhole: boolean;
  /**
   * The `sweep` of the schema's `.meta({ sweep: [from, to] })`, `[from, to, step]` or `[from, to, 'log']`,
   * unchecked. Undefined when it has none.
   */
  readonly sweep: unknown;
  /** Whether it is an object that takes keys the schema does not name. */
  readonly isOpen: boolean;
};

type Schema = {
  readonly type?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: unknown;
  readonly sweep?: unknown;
};

/**
 * The single parameters of a strategy, in the order of the schema. Parts that JSON Schema cannot express have
 * no type.
 */
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
