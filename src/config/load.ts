// Reads a YAML file into a validated configuration. Every error names file, line, column, the key and what was expected.
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Document } from 'yaml';
import { isDocument, isMap, isNode, isScalar, LineCounter, parseDocument, visit } from 'yaml';
import { OddsmakerError } from '../domain/index.ts';
import type { Config } from './schema.ts';
import { configSchema } from './schema.ts';

export type ConfigPath = readonly PropertyKey[];

export type LoadedConfig = {
  readonly config: Config;
  readonly file: string;
  /** A path of the file, made absolute: paths are relative to the file. */
  readonly resolve: (path: string) => string;
  /** An error about one key, with its place in the file. */
  readonly problem: (path: ConfigPath, message: string) => OddsmakerError;
  /** Whether the file itself sets a key (otherwise a default is in force). */
  readonly sets: (path: ConfigPath) => boolean;
};

/** Changes of the command line, by path, taken before the defaults are. */
export type Overrides = readonly { readonly path: readonly string[]; readonly value: unknown }[];

/** @throws OddsmakerError CONFIG_INVALID */
export function loadConfig(file: string, env: Environment, overrides: Overrides = []): LoadedConfig {
  const read = readYaml(file, env, overrides, undefined);
  const parsed = configSchema.safeParse(read.document.toJS() ?? {});
  if (!parsed.success) throw read.invalid(parsed.error.issues, []);
  const folder = dirname(resolve(file));
  return { config: parsed.data, file, resolve: (path) => resolve(folder, path), problem: read.problem, sets: (path) => read.document.hasIn(path) };
}

/** The exchange section alone, for when the rest of the file may be broken. */
export function loadExchange(file: string, env: Environment): Config['exchange'] {
  const read = readYaml(file, env, [], 'exchange');
  const parsed = configSchema.shape.exchange.safeParse((read.document.toJS() as { exchange?: unknown } | null)?.exchange);
  if (!parsed.success) throw read.invalid(parsed.error.issues, ['exchange']);
  return parsed.data;
}

type Environment = Readonly<Record<string, string | undefined>>;
type Issue = { readonly code?: string | undefined; readonly path: ConfigPath; readonly message: string; readonly keys?: readonly string[] };

/** `section`: the only part that has to be right. */
function readYaml(file: string, env: Environment, overrides: Overrides, section: string | undefined) {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new OddsmakerError('CONFIG_INVALID', `${file}: the file cannot be read`, { cause: error });
  }
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const at = (offset: number | undefined): string => {
    const { line, col } = lines.linePos(offset ?? 0);
    return `${file}:${line}:${col}`;
  };
  const [syntax] = document.errors;
  if (syntax !== undefined) throw new OddsmakerError('CONFIG_INVALID', `${at(syntax.pos[0])}: not YAML: ${syntax.message}`);
  const problem = (path: ConfigPath, message: string): OddsmakerError =>
    new OddsmakerError('CONFIG_INVALID', `${at(offsetOf(document, path))}: ${path.length === 0 ? '' : `${path.join('.')}: `}${message}`);
  const invalid = (issues: readonly Issue[], under: ConfigPath): OddsmakerError => {
    const messages = issues.map((issue) => {
      // an unknown key is told at the key itself
      const unknown = issue.code === 'unrecognized_keys' ? issue.keys?.[0] : undefined;
      const path = [...under, ...issue.path, ...(unknown === undefined ? [] : [unknown])];
      return problem(path, unknown === undefined ? issue.message : 'unknown key').message;
    });
    return new OddsmakerError('CONFIG_INVALID', messages.join('\n'));
  };
  expandEnvironment(section === undefined ? document : document.get(section, true), env, (offset, message) => new OddsmakerError('CONFIG_INVALID', `${at(offset)}: ${message}`));
  for (const { path, value } of overrides) document.setIn(path, value);
  return { document, problem, invalid };
}

/** `${NAME}` in any text takes the environment. */
function expandEnvironment(
  part: unknown,
  env: Environment,
  fail: (offset: number | undefined, message: string) => OddsmakerError,
): void {
  if (!isNode(part) && !isDocument(part)) return;
  visit(part, {
    Scalar(key, node) {
      if (key === 'key' || typeof node.value !== 'string') return;
      node.value = node.value.replace(/\$\{(\w+)\}/g, (_whole, name: string) => {
        const value = env[name];
        if (value === undefined) throw fail(node.range?.[0], `the environment variable ${name} is not set`);
        return value;
      });
    },
  });
}

/** Where a path stands in the file; the nearest parent when the key is missing. */
function offsetOf(document: Document, path: ConfigPath): number | undefined {
  for (let length = path.length; length >= 0; length--) {
    const prefix = path.slice(0, length);
    const last = prefix.at(-1);
    const parent: unknown = length === 0 ? document.contents : document.getIn(prefix.slice(0, -1), true);
    if (isMap(parent)) {
      const pair = parent.items.find((item) => isScalar(item.key) && item.key.value === last);
      if (pair !== undefined && isNode(pair.value) && pair.value.range) return isScalar(pair.key) && length === path.length && !isScalar(pair.value) ? pair.key.range?.[0] : pair.value.range[0];
      if (pair !== undefined && isScalar(pair.key)) return pair.key.range?.[0];
    }
    const node: unknown = length === 0 ? document.contents : document.getIn(prefix, true);
    if (isNode(node) && node.range) return node.range[0];
  }
  return undefined;
}

/** The configuration with secrets hidden, for `check`, the journal and logs. */
export function redacted(config: Config): unknown {
  return {
    ...config,
    exchange: { ...config.exchange, ...(config.exchange.password === undefined ? {} : { password: '[hidden]' }) },
    ops: { ...config.ops, token: config.ops.token === null ? null : '[hidden]' },
  };
}
