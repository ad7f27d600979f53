// Reads a YAML file into a validated configuration. Every error names file, line, column, the key and what
// was expected.
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Document, Scalar } from 'yaml';
import { isNode, isScalar, LineCounter, parseDocument } from 'yaml';
import type { TakenText } from '../domain/index.ts';
import {
  configWithoutSecrets,
  didYouMean,
  isSecretName,
  messageOf,
  OddsmakerError,
  takenValues,
  noteSecrets,
  userText,
} from '../domain/index.ts';
import { z } from 'zod';
import type { Environment } from './environment.ts';
import { expandEnvironment } from './environment.ts';
import { keysAt } from './json-schema.ts';
import type { Config } from './schema.ts';
import { withParamFiles } from './param-files.ts';
import { configSchema } from './schema.ts';
import type { ConfigPath } from './yaml-nodes.ts';
import {
  aliasesIn,
  aliasOfAnother,
  anchorOn,
  canHold,
  keyOffsetOf,
  nodeAt,
  offsetOf,
  rangeOf,
  unsafeKeysIn,
} from './yaml-nodes.ts';

/** A validated configuration and its file. */
export type LoadedConfig = {
  readonly config: Config;
  readonly file: string;
  /** Makes a path absolute. Paths in the file are relative to the file. */
  readonly resolve: (path: string) => string;
  /** Makes an error about one key, with its place in the file. */
  readonly problem: (path: ConfigPath, message: string) => OddsmakerError;
  /** True when the file itself sets a key. Otherwise the default applies. */
  readonly sets: (path: ConfigPath) => boolean;
};

/** Values from the command line, by path. They are set before the defaults. */
export type Overrides = readonly {
  readonly path: readonly (string | number)[];
  readonly value: unknown;
}[];

/** Loads a configuration. @throws OddsmakerError CONFIG_INVALID */
export function loadConfig(file: string, env: Environment, overrides: Overrides = []): LoadedConfig {
  return loaded(file, readYaml(file, env, overrides, undefined));
}

/**
 * Loads a configuration for a command that connects nowhere: the environment may lack the username and
 * secrets, except those of strategies.
 * @throws OddsmakerError CONFIG_INVALID
 */
export function loadOffline(file: string, env: Environment, overrides: Overrides = []): LoadedConfig {
  const isNeeded = (path: ConfigPath): boolean =>
    path[0] === 'strategies' ||
    !(isSecretName(String(path.at(-1))) || isDeepStrictEqual(path, ['exchange', 'username']));
  return loaded(file, readYaml(file, env, overrides, undefined, isNeeded));
}

/**
 * Loads a configuration for a command that reads the files of its runs. It needs no secret, except a username
 * from the environment.
 */
export const loadToRead = (file: string, env: Environment): LoadedConfig =>
  isUsernameElsewhere(file, env) ? loadConfig(file, env) : loadOffline(file, env);

function loaded(file: string, read: ReturnType<typeof readYaml>): LoadedConfig {
  const config = read.check(configSchema, () => read.document.toJS() as unknown);
  const found: LoadedConfig = {
    ...unpackConfig({ config, file }),
    problem: read.problem,
    sets: (path) => read.document.hasIn(path),
  };
  return { ...found, config: withParamFiles(found) };
}

/** A configuration in transit to another thread, with the values that came from the environment. */
export type TransferredConfig = Pick<LoadedConfig, 'config' | 'file'> & { readonly taken: readonly TakenText[] };

/** Makes a configuration ready for another thread. */
export const packConfig = ({ config, file }: Pick<LoadedConfig, 'config' | 'file'>): TransferredConfig => ({
  config,
  file,
  taken: takenValues(),
});

/** Restores a configuration from another thread. Its errors name the file without a line. */
export function unpackConfig({
  config,
  file,
  taken,
}: Pick<LoadedConfig, 'config' | 'file'> & Partial<TransferredConfig>): LoadedConfig {
  if (taken !== undefined) noteSecrets(taken);
  const folder = dirname(resolve(file));
  return {
    config,
    file,
    resolve: (path) => resolve(folder, path),
    problem: (path, message) => new OddsmakerError('CONFIG_INVALID', `${file}: ${path.join('.')}: ${message}`),
    sets: () => true,
  };
}

/** Loads any YAML file and checks it against a schema. @throws OddsmakerError CONFIG_INVALID */
export function loadYaml<T>(file: string, env: Environment, schema: Schema<T>): T {
  const read = readYaml(file, env, [], undefined);
  return read.check(schema, () => read.document.toJS() as unknown);
}

type Schema<T> = {
  readonly safeParse: (
    value: unknown,
  ) =>
    | { readonly success: true; readonly data: T }
    | { readonly success: false; readonly error: { readonly issues: readonly Issue[] } };
};

/**
 * Loads the exchange section alone: the rest of the file may be broken.
 * @throws OddsmakerError CONFIG_INVALID
 */
export function loadExchange(file: string, env: Environment): Config['exchange'] {
  return loadPart(file, env, ['exchange'], configSchema.shape.exchange);
}

/** The account and folder by which the processes of one account find each other. */
export type RunPlace = {
  /** Undefined when the file names no user. */
  readonly username: string | undefined;
  /** The absolute path of journal.dir, or of the file's folder when no journal is written. */
  readonly folder: string;
};

/**
 * Loads the account and the folder of runs. The rest of the file may be broken.
 * @throws OddsmakerError CONFIG_INVALID
 */
export function loadRunPlace(file: string, env: Environment): RunPlace {
  const { exchange } = configSchema.shape;
  const username = loadPart(file, env, ['exchange', 'username'], exchange.shape.username);
  return { username, folder: loadRunFolder(file, env) };
}

/** True when the file takes the username from a variable that is not set. */
export function isUsernameElsewhere(file: string, env: Environment): boolean {
  const { document } = readYaml(file, {}, [], ['exchange', 'username'], () => false);
  const text: unknown = document.getIn(['exchange', 'username']);
  if (typeof text !== 'string') return false;
  return [...text.matchAll(/\$\{(\w+)\}/g)].some(([, name = '']) => env[name] === undefined);
}

/**
 * Returns the folder in which bots of this file keep their journals.
 * @throws OddsmakerError CONFIG_INVALID
 */
export const loadRunFolder = (file: string, env: Environment): string =>
  runFolderOf(file, loadPart(file, env, ['journal'], configSchema.shape.journal).dir);

/** Returns the absolute folder of runs for a value of journal.dir. */
export const runFolderOf = (file: string, journalDir: string | null): string =>
  resolve(dirname(resolve(file)), journalDir ?? '.');

/** Returns guard.deadline, ms. The rest of the file may be broken. @throws OddsmakerError CONFIG_INVALID */
export function loadDeadline(file: string, env: Environment): number {
  return loadPart(file, env, ['guard'], configSchema.shape.guard).deadline;
}

/** The values under which the ledger keeps a fence. */
export type HaltPlace = {
  /** The absolute path of the ledger. Null when there is none. */
  readonly ledger: string | null;
  readonly instance: string;
  /** The address of the exchange. Undefined for an embedded one. */
  readonly exchange: string | undefined;
  readonly mode: string;
};

/** Loads where a fence is kept. The rest of the file may be broken. @throws OddsmakerError CONFIG_INVALID */
export function loadHaltPlace(file: string, env: Environment): HaltPlace {
  const { exchange, ledger, orders } = configSchema.shape;
  const kept = loadPart(file, env, ['ledger'], ledger);
  const { embedded, restUrl, playerMode } = loadPart(file, env, ['exchange'], exchange);
  return {
    ledger: kept.file === null ? null : resolve(dirname(resolve(file)), kept.file),
    instance: loadPart(file, env, ['orders'], orders).instance,
    exchange: embedded === undefined ? restUrl : undefined,
    mode: playerMode,
  };
}

/** Loads the alert targets alone. @throws OddsmakerError CONFIG_INVALID */
export const loadAlertTargets = (file: string, env: Environment): Config['alerts'] =>
  loadPart(file, env, ['alerts'], configSchema.shape.alerts);

function loadPart<T>(file: string, env: Environment, path: readonly string[], schema: Schema<T>): T {
  const read = readYaml(file, env, [], path);
  const node: unknown = nodeAt(read.document, path);
  return read.check(schema, () => (isNode(node) ? (node.toJS(read.document) as unknown) : undefined), path);
}

type Issue = {
  readonly code?: string | undefined;
  readonly path: ConfigPath;
  readonly message: string;
  readonly keys?: readonly string[];
};

/**
 * Reads and parses a YAML file.
 * @param section the path of the only part that must be valid. Undefined for the whole file
 * @param isNeeded true when the variable of a key must be set. The text of a variable that is not set stays
 *   as written
 */
function readYaml(
  file: string,
  env: Environment,
  overrides: Overrides,
  section: readonly string[] | undefined,
  isNeeded: (path: ConfigPath) => boolean = () => true,
) {
  const text = textOf(file);
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const placeOf = (offset: number | undefined): string => {
    const { line, col } = lines.linePos(offset ?? 0);
    return `${file}:${line}:${col}`;
  };
  // for a section, only errors inside it count
  const range = section === undefined ? undefined : rangeOf(document, section);
  const syntax = document.errors.find(({ pos }) => range === undefined || (pos[0] >= range[0] && pos[0] < range[1]));
  if (syntax !== undefined)
    throw new OddsmakerError('CONFIG_INVALID', `${placeOf(syntax.pos[0])}: not YAML: ${syntax.message}`);
  const problem = (path: ConfigPath, message: string): OddsmakerError =>
    new OddsmakerError(
      'CONFIG_INVALID',
      `${placeOf(offsetOf(document, path))}: ${path.length === 0 ? '' : `${path.join('.')}: `}${message}`,
    );
  const part = safePart(document, section, range, placeOf);
  const { others, taken } = expandEnvironment(part, env, { problem, isNeeded }, section ?? []);
  // a value with an alias has more than one place
  const hasAliases = aliasesIn(document).size > 0;
  const take = (scalar: Scalar): void => {
    const value = taken.get(scalar);
    if (value !== undefined) noteSecrets([hasAliases ? { ...value, path: undefined } : value, value]);
  };
  // numbers, true and false are not secret
  for (const scalar of taken.keys()) if (typeof scalar.value === 'string') take(scalar);
  const notSet = setOverrides(document, overrides, problem);
  /** @throws OddsmakerError CONFIG_INVALID */
  const check = <T>(schema: Schema<T>, read: () => unknown, under: ConfigPath = []): T => {
    const given = (): unknown => {
      try {
        return read();
      } catch (error) {
        // endless aliases of aliases
        throw problem(under, messageOf(error));
      }
    };
    for (;;) {
      const parse = () => schema.safeParse(given() ?? (under.length === 0 ? {} : undefined));
      const parsed = parse();
      if (parsed.success) {
        for (const path of notSet) throw problem(path, 'it cannot be set: its parent is not a mapping in the file');
        return parsed.data;
      }
      const { issues } = parsed.error;
      // a password of digits is text, and a port in quotes a number
      const reread = issues.flatMap(({ path }) => {
        const node: unknown = document.getIn([...under, ...path], true);
        const other = isScalar(node) ? others.get(node) : undefined;
        if (!isScalar(node) || other === undefined) return [];
        const { value } = node;
        node.value = other;
        if (typeof other === 'string') take(node);
        others.delete(node);
        return [{ node, value, path }];
      });
      if (reread.length === 0) throw invalid(issues, under, schema, { document, problem, placeOf });
      const again = parse();
      const left = again.success ? [] : again.error.issues;
      for (const { node, value, path } of reread)
        if (left.some((issue) => isDeepStrictEqual(issue.path, path))) node.value = value;
    }
  };
  return { document, problem, check };
}

/** Reads the text of a file. @throws OddsmakerError CONFIG_INVALID */
function textOf(file: string): string {
  try {
    return userText(readFileSync(file));
  } catch (error) {
    throw new OddsmakerError('CONFIG_INVALID', `${file}: the file cannot be read (${messageOf(error)})`, {
      cause: error,
    });
  }
}

/**
 * Returns the section or the whole document. Refuses aliases without an anchor, and keys such as `__proto__`.
 */
function safePart(
  document: Document.Parsed,
  section: readonly string[] | undefined,
  range: ReturnType<typeof rangeOf> | undefined,
  placeOf: (offset: number | undefined) => string,
): unknown {
  const [lost] = [...aliasesIn(document, range)].flatMap(([alias, node]) => (node === undefined ? alias : []));
  if (lost !== undefined)
    throw new OddsmakerError(
      'CONFIG_INVALID',
      `${placeOf(lost.range?.[0])}: the alias *${lost.source} has no anchor before it`,
    );
  const part: unknown = section === undefined ? document : nodeAt(document, section);
  const [unsafe] = unsafeKeysIn(part, section ?? []);
  if (unsafe !== undefined)
    throw new OddsmakerError(
      'CONFIG_INVALID',
      `${placeOf(unsafe.offset)}: ${unsafe.path.join('.')}: expected another name: this one means something to JavaScript itself`,
    );
  return part;
}

/** Makes one error of all that the schema refuses, each line with its place. */
function invalid(
  issues: readonly Issue[],
  under: ConfigPath,
  schema: unknown,
  {
    document,
    problem,
    placeOf,
  }: {
    readonly document: Document.Parsed;
    readonly problem: (path: ConfigPath, message: string) => OddsmakerError;
    readonly placeOf: (offset: number | undefined) => string;
  },
): OddsmakerError {
  const messages = issues.flatMap((issue) => {
    const path = [...under, ...issue.path];
    if (issue.code !== 'unrecognized_keys') return [problem(path, issue.message).message];
    const known = schema instanceof z.ZodType ? keysAt(schema, issue.path) : [];
    return (issue.keys ?? []).map(
      (key) =>
        `${placeOf(keyOffsetOf(document, [...path, key]))}: ${[...path, key].join('.')}: unknown key${didYouMean(key, known)}`,
    );
  });
  return new OddsmakerError('CONFIG_INVALID', messages.join('\n'));
}

/**
 * Sets values of the command line. Returns the paths that could not be set.
 * @throws the error of `problem`
 */
function setOverrides(
  document: Document.Parsed,
  overrides: Overrides,
  problem: (path: ConfigPath, message: string) => OddsmakerError,
): readonly ConfigPath[] {
  const notSet: ConfigPath[] = [];
  for (const { path, value } of overrides) {
    const aliases = aliasesIn(document);
    const shared = anchorOn(document, path, aliases);
    if (shared !== undefined) throw problem(path, `it cannot be set alone: *${shared} uses the same value elsewhere`);
    // a parent that cannot hold the key stays as it is: the schema may report what is wrong with it
    if (!path.every((key, index) => canHold(document, path.slice(0, index), key))) {
      notSet.push(path);
      continue;
    }
    document.setIn(path, value);
    const moved = aliasOfAnother(document, aliases);
    if (moved !== undefined)
      throw problem(path, `it cannot be set alone: *${moved.source} uses a part of it elsewhere`);
  }
  return notSet;
}

/** Returns the configuration with secrets hidden, for `check`, the journal and logs. */
export const redactedConfig = (config: Config): unknown => configWithoutSecrets(config);
