// The YAML file as a JSON schema (draft 7), for editors: every key with its type, range, default and what it is for.
import { z } from 'zod';
import { TEXT_KIND } from './schema-values.ts';
import { configSchema } from './schema.ts';

/** A strategy as the file names it, and the schema of its parameters. */
export type StrategyParams = { readonly use: string; readonly params: z.ZodType };

type JsonSchema = Record<string, unknown>;

const TEXTS: Readonly<Record<string, string>> = {
  duration: String.raw`^\s*\d+(\.\d+)?(ms|s|m|h)\s*$`,
  age: String.raw`^\s*\d+(\.\d+)?(ms|s|m|h|d)\s*$`,
  size: String.raw`^\s*\d+(\.\d+)?\s*([KMGTkmgt]?[Bb])\s*$`,
};
/** Text of the environment, which may stand for any value or be a part of it. */
const VARIABLE = String.raw`\$\{\w+\}`;

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

/** A parameter that the strategy does not have is an error, as when the file is read. */
function paramsSchema(params: z.ZodType): JsonSchema {
  const { $schema: _of, ...schema } = jsonSchemaOf(params instanceof z.ZodObject ? params.strict() : params);
  return schema;
}

/** The keys that a mapping may have, by its path; none where any may stand there. */
export function keysAt(schema: z.ZodType, path: readonly PropertyKey[]): readonly string[] {
  let at: JsonSchema | undefined = jsonSchemaOf(schema);
  for (const key of path) {
    const { properties, items } = mappingOf(at) as { readonly [part in 'properties' | 'items']?: JsonSchema };
    at = (typeof key === 'number' ? items : properties?.[String(key)]) as JsonSchema | undefined;
    if (at === undefined) return [];
  }
  return Object.keys((mappingOf(at)['properties'] as JsonSchema | undefined) ?? {});
}

/** The one that may stand there where null may, too. */
const mappingOf = (at: JsonSchema): JsonSchema =>
  (at['anyOf'] as readonly JsonSchema[] | undefined)?.find((one) => one['properties'] !== undefined) ?? at;

const SCALARS: ReadonlySet<unknown> = new Set(['number', 'integer', 'boolean']);
/** What is said of a value, and not asked of it. */
const ABOUT: ReadonlySet<string> = new Set(['$schema', 'title', 'description', 'default']);

const jsonSchemaOf = (schema: z.ZodType): JsonSchema =>
  z.toJSONSchema(schema, {
    target: 'draft-7',
    io: 'input',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      const told = editorSchema({ ...jsonSchema });
      for (const key of Object.keys(jsonSchema)) Reflect.deleteProperty(jsonSchema, key);
      Object.assign(jsonSchema, told);
    },
  });

/** With `${NAME}` allowed in the place of any value; formats of no standard, and addresses that may come from there, go. */
function editorSchema({ format: _format, [TEXT_KIND]: kind, ...told }: JsonSchema): JsonSchema {
  const pattern = typeof kind === 'string' ? TEXTS[kind] : told['pattern'];
  if (typeof pattern === 'string') return { ...told, pattern: `${pattern}|${VARIABLE}` };
  if (told['enum'] === undefined && !SCALARS.has(told['type'])) return told;
  const parts = Object.entries(told);
  return {
    ...Object.fromEntries(parts.filter(([key]) => ABOUT.has(key))),
    anyOf: [Object.fromEntries(parts.filter(([key]) => !ABOUT.has(key))), { type: 'string', pattern: VARIABLE }],
  };
}
