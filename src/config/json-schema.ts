// Makes a JSON schema (draft 7) of the YAML file for editors: each key with its type, range, default and
// description.
import { z } from 'zod';
import { TEXT_KIND } from './schema-values.ts';
import { configSchema } from './schema.ts';

/** A strategy file, as the configuration names it, and the schema of its parameters. */
export type StrategyParams = { readonly use: string; readonly params: z.ZodType };

type JsonSchema = Record<string, unknown>;

const TEXTS: Readonly<Record<string, string>> = {
  duration: String.raw`^\s*\d+(\.\d+)?(ms|s|m|h)\s*$`,
  age: String.raw`^\s*\d+(\.\d+)?(ms|s|m|h|d)\s*$`,
  size: String.raw`^\s*\d+(\.\d+)?\s*([KMGTkmgt]?[Bb])\s*$`,
};
/** Matches `${NAME}`, which may stand for any value or a part of it. */
const VARIABLE = String.raw`\$\{\w+\}`;

/** Returns the schema of the configuration, with the parameters of these strategies. */
export function configJsonSchema(strategies: readonly StrategyParams[] = []): JsonSchema {
  const schema = jsonSchemaOf(configSchema);
  const { strategies: list } = schema['properties'] as Readonly<Record<string, { readonly items: JsonSchema }>>;
  if (list === undefined) throw new Error('a schema without strategies');
  if (strategies.length > 0)
    list.items['allOf'] = strategies.map(({ use, params }) => ({
      if: { properties: { use: { const: use } }, required: ['use'] },
      then: { properties: { params: paramsSchema(params) } },
    }));
  return {
    $schema: schema['$schema'],
    title: 'oddsmaker: configuration of a bot',
    ...schema,
  };
}

/**
 * Returns the schema of a strategy's parameters. An unknown parameter is an error, as it is for `loadConfig`.
 */
function paramsSchema(params: z.ZodType): JsonSchema {
  const { $schema: _draft, ...schema } = jsonSchemaOf(params instanceof z.ZodObject ? params.strict() : params);
  return schema;
}

/** Returns the keys that the mapping at a path may have. Empty where any key may stand. */
export function keysAt(schema: z.ZodType, path: readonly PropertyKey[]): readonly string[] {
  let node: JsonSchema | undefined = jsonSchemaOf(schema);
  for (const key of path) {
    const { properties, items } = mappingOf(node) as { readonly [part in 'properties' | 'items']?: JsonSchema };
    node = (typeof key === 'number' ? items : properties?.[String(key)]) as JsonSchema | undefined;
    if (node === undefined) return [];
  }
  return Object.keys((mappingOf(node)['properties'] as JsonSchema | undefined) ?? {});
}

/** Returns the mapping of a schema that also allows null. */
const mappingOf = (schema: JsonSchema): JsonSchema =>
  (schema['anyOf'] as readonly JsonSchema[] | undefined)?.find((variant) => variant['properties'] !== undefined) ??
  schema;

const SCALARS: ReadonlySet<unknown> = new Set(['number', 'integer', 'boolean']);
/** Keys that describe a value without restricting it. */
const ABOUT: ReadonlySet<string> = new Set(['$schema', 'title', 'description', 'default']);

const jsonSchemaOf = (schema: z.ZodType): JsonSchema =>
  z.toJSONSchema(schema, {
    target: 'draft-7',
    io: 'input',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      const shown = editorSchema({ ...jsonSchema });
      for (const key of Object.keys(jsonSchema)) Reflect.deleteProperty(jsonSchema, key);
      Object.assign(jsonSchema, shown);
    },
  });

/**
 * Allows `${NAME}` in place of any value, and drops formats that a variable would violate or that no standard
 * defines.
 */
function editorSchema({ format: _format, [TEXT_KIND]: kind, ...rest }: JsonSchema): JsonSchema {
  const pattern = typeof kind === 'string' ? TEXTS[kind] : rest['pattern'];
  if (typeof pattern === 'string') return { ...rest, pattern: `${pattern}|${VARIABLE}` };
  if (rest['enum'] === undefined && !SCALARS.has(rest['type'])) return rest;
  const parts = Object.entries(rest);
  return {
    ...Object.fromEntries(parts.filter(([key]) => ABOUT.has(key))),
    anyOf: [Object.fromEntries(parts.filter(([key]) => !ABOUT.has(key))), { type: 'string', pattern: VARIABLE }],
  };
}
