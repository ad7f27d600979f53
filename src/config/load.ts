// Reads a YAML file into a validated configuration. Every error names file, line, column, the key and what was expected.
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
  takeValues,
  userText,
} from '../domain/index.ts';
import { z } from 'zod';
import type { Environment } from './environment.ts';
import { expandEnvironment } from './environment.ts';
import { keysAt } from './json-schema.ts';
import type { Config } from './schema.ts';
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
export type Overrides = readonly {
  readonly path: readonly (string | number)[];
  readonly value: unknown;
}[];

/** @throws OddsmakerError CONFIG_INVALID */
export function loadConfig(file: string, env: Environment, overrides: Overrides = []): LoadedConfig {
  return loaded(file, readYaml(file, env, overrides, undefined));
}

/**
 * The same for whoever never connects anywhere: the username and secrets may be missing in the environment, those of strategies apart.
 * @throws OddsmakerError CONFIG_INVALID
 */
export function loadOffline(file: string, env: Environment, overrides: Overrides = []): LoadedConfig {
  const isNeeded = (path: ConfigPath): boolean =>
    path[0] === 'strategies' ||
    !(isSecretName(String(path.at(-1))) || isDeepStrictEqual(path, ['exchange', 'username']));
  return loaded(file, readYaml(file, env, overrides, undefined, isNeeded));
}

/** For a command that only reads what runs of this file left here: no secret is needed, unless the username is one. */
export const loadToRead = (file: string, env: Environment): LoadedConfig =>
  isUsernameElsewhere(file, env) ? loadConfig(file, env) : loadOffline(file, env);

function loaded(file: string, read: ReturnType<typeof readYaml>): LoadedConfig {
  const config = read.check(configSchema, () => read.document.toJS() as unknown);
  return {
    ...unpackConfig({ config, file }),
    problem: read.problem,
    sets: (path) => read.document.hasIn(path),
  };
}

/** A configuration for another thread, with what this process took from its environment. */
export type TransferredConfig = Pick<LoadedConfig, 'config' | 'file'> & { readonly taken: readonly TakenText[] };

export const packConfig = ({ config, file }: Pick<LoadedConfig, 'config' | 'file'>): TransferredConfig => ({
  config,
  file,
  taken: takenValues(),
});

/** The same of a configuration that was loaded before, in another thread: its errors have no place in the file. */
export function unpackConfig({
  config,
  file,
  taken,
}: Pick<LoadedConfig, 'config' | 'file'> & Partial<TransferredConfig>): LoadedConfig {
  if (taken !== undefined) takeValues(taken);
  const folder = dirname(resolve(file));
  return {
    config,
    file,
    resolve: (path) => resolve(folder, path),
    problem: (path, message) => new OddsmakerError('CONFIG_INVALID', `${file}: ${path.join('.')}: ${message}`),
    sets: () => true,
  };
}

/** Any other YAML file against its schema. @throws OddsmakerError CONFIG_INVALID */
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

/** The exchange section alone, for when the rest of the file may be broken. */
export function loadExchange(file: string, env: Environment): Config['exchange'] {
  return loadPart(file, env, ['exchange'], configSchema.shape.exchange);
}

/** What the processes of one account find each other by; nothing else of the file has to be right. */
export type RunPlace = {
  /** Undefined: the file names none. */
  readonly username: string | undefined;
  /** Absolute: journal.dir, or the folder of the file when no journal is written. */
  readonly folder: string;
};

/** @throws OddsmakerError CONFIG_INVALID */
export function loadRunPlace(file: string, env: Environment): RunPlace {
  const { exchange } = configSchema.shape;
  const username = loadPart(file, env, ['exchange', 'username'], exchange.shape.username);
  return { username, folder: loadRunFolder(file, env) };
}

/** Whether the file takes the username from a variable that is not set here. */
export function isUsernameElsewhere(file: string, env: Environment): boolean {
  const { document } = readYaml(file, {}, [], ['exchange', 'username'], () => false);
  const text: unknown = document.getIn(['exchange', 'username']);
  if (typeof text !== 'string') return false;
  return [...text.matchAll(/\$\{(\w+)\}/g)].some(([, name = '']) => env[name] === undefined);
}

/** Where a bot of this file keeps its journal, whatever its account is. @throws OddsmakerError CONFIG_INVALID */
export const loadRunFolder = (file: string, env: Environment): string =>
  runFolderOf(file, loadPart(file, env, ['journal'], configSchema.shape.journal).dir);

export const runFolderOf = (file: string, journalDir: string | null): string =>
  resolve(dirname(resolve(file)), journalDir ?? '.');

/** How long the guard waits; nothing else of the file has to be right. */
export function loadDeadline(file: string, env: Environment): number {
  return loadPart(file, env, ['guard'], configSchema.shape.guard).deadline;
}

/** By what a fence is kept in the ledger; nothing else of the file has to be right. */
export type HaltPlace = {
  /** Absolute; null: none is kept. */
  readonly ledger: string | null;
  readonly instance: string;
  /** Undefined: an embedded one. */
  readonly exchange: string | undefined;
  readonly mode: string;
};

/** @throws OddsmakerError CONFIG_INVALID */
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

/** Whom to alert. @throws OddsmakerError CONFIG_INVALID */
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
 * `section`: the path of the only part that has to be right; `isNeeded`: whether a variable must be set that this key takes
 * from the environment (what it takes from one that is not stays as it is written).
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
  const at = (offset: number | undefined): string => {
    const { line, col } = lines.linePos(offset ?? 0);
    return `${file}:${line}:${col}`;
  };
  // of a section alone, only errors inside it count
  const range = section === undefined ? undefined : rangeOf(document, section);
  const syntax = document.errors.find(({ pos }) => range === undefined || (pos[0] >= range[0] && pos[0] < range[1]));
  if (syntax !== undefined)
    throw new OddsmakerError('CONFIG_INVALID', `${at(syntax.pos[0])}: not YAML: ${syntax.message}`);
  const problem = (path: ConfigPath, message: string): OddsmakerError =>
    new OddsmakerError(
      'CONFIG_INVALID',
      `${at(offsetOf(document, path))}: ${path.length === 0 ? '' : `${path.join('.')}: `}${message}`,
    );
  const part = safePart(document, section, range, at);
  const { others, taken } = expandEnvironment(part, env, { problem, isNeeded }, section ?? []);
  // what an alias stands for has more than one place
  const hasAliases = aliasesIn(document).size > 0;
  const take = (scalar: Scalar): void => {
    const one = taken.get(scalar);
    if (one !== undefined) takeValues([hasAliases ? { ...one, path: undefined } : one, one]);
  };
  // a number, true or false is no secret
  for (const scalar of taken.keys()) if (typeof scalar.value === 'string') take(scalar);
  const notSet = setOverrides(document, overrides, problem);
  /** @throws OddsmakerError CONFIG_INVALID */
  const check = <T>(schema: Schema<T>, asked: () => unknown, under: ConfigPath = []): T => {
    const told = (): unknown => {
      try {
        return asked();
      } catch (error) {
        // aliases of aliases, without end
        throw problem(under, messageOf(error));
      }
    };
    for (;;) {
      const parse = () => schema.safeParse(told() ?? (under.length === 0 ? {} : undefined));
      const parsed = parse();
      if (parsed.success) {
        for (const path of notSet)
          throw problem(path, 'it cannot be set: what it is to be in is no mapping that is written out');
        return parsed.data;
      }
      const { issues } = parsed.error;
      // a password of digits is text, and a port in quotes a number
      const retold = issues.flatMap(({ path }) => {
        const node: unknown = document.getIn([...under, ...path], true);
        const other = isScalar(node) ? others.get(node) : undefined;
        if (!isScalar(node) || other === undefined) return [];
        const { value } = node;
        node.value = other;
        if (typeof other === 'string') take(node);
        others.delete(node);
        return [{ node, value, path }];
      });
      if (retold.length === 0) throw invalid(issues, under, schema, { document, problem, at });
      const again = parse();
      const left = again.success ? [] : again.error.issues;
      for (const { node, value, path } of retold)
        if (left.some((issue) => isDeepStrictEqual(issue.path, path))) node.value = value;
    }
  };
  return { document, problem, check };
}

/** @throws OddsmakerError CONFIG_INVALID */
function textOf(file: string): string {
  try {
    return userText(readFileSync(file));
  } catch (error) {
    throw new OddsmakerError('CONFIG_INVALID', `${file}: the file cannot be read (${messageOf(error)})`, {
      cause: error,
    });
  }
}

/** The section, or the whole document: without aliases that lead nowhere, and without names of JavaScript. */
function safePart(
  document: Document.Parsed,
  section: readonly string[] | undefined,
  range: ReturnType<typeof rangeOf> | undefined,
  at: (offset: number | undefined) => string,
): unknown {
  const [lost] = [...aliasesIn(document, range)].flatMap(([alias, node]) => (node === undefined ? alias : []));
  if (lost !== undefined)
    throw new OddsmakerError(
      'CONFIG_INVALID',
      `${at(lost.range?.[0])}: the alias *${lost.source} has no anchor before it`,
    );
  const part: unknown = section === undefined ? document : nodeAt(document, section);
  const [unsafe] = unsafeKeysIn(part, section ?? []);
  if (unsafe !== undefined)
    throw new OddsmakerError(
      'CONFIG_INVALID',
      `${at(unsafe.offset)}: ${unsafe.path.join('.')}: expected another name: this one means something to JavaScript itself`,
    );
  return part;
}

/** All that the schema refuses, each with its place. */
function invalid(
  issues: readonly Issue[],
  under: ConfigPath,
  schema: unknown,
  {
    document,
    problem,
    at,
  }: {
    readonly document: Document.Parsed;
    readonly problem: (path: ConfigPath, message: string) => OddsmakerError;
    readonly at: (offset: number | undefined) => string;
  },
): OddsmakerError {
  const messages = issues.flatMap((issue) => {
    const path = [...under, ...issue.path];
    if (issue.code !== 'unrecognized_keys') return [problem(path, issue.message).message];
    const known = schema instanceof z.ZodType ? keysAt(schema, issue.path) : [];
    return (issue.keys ?? []).map(
      (key) =>
        `${at(keyOffsetOf(document, [...path, key]))}: ${[...path, key].join('.')}: unknown key${didYouMean(key, known)}`,
    );
  });
  return new OddsmakerError('CONFIG_INVALID', messages.join('\n'));
}

/** Returns the paths that could not be set. @throws what `problem` makes */
function setOverrides(
  document: Document.Parsed,
  overrides: Overrides,
  problem: (path: ConfigPath, message: string) => OddsmakerError,
): readonly ConfigPath[] {
  const notSet: ConfigPath[] = [];
  for (const { path, value } of overrides) {
    const aliases = aliasesIn(document);
    const shared = anchorOn(document, path, aliases);
    if (shared !== undefined) throw problem(path, `it cannot be set alone: *${shared} stands for the same elsewhere`);
    // a parent that cannot hold it is left as it is: the schema may say what is wrong with it
    if (!path.every((key, index) => canHold(document, path.slice(0, index), key))) {
      notSet.push(path);
      continue;
    }
    document.setIn(path, value);
    const moved = aliasOfAnother(document, aliases);
    if (moved !== undefined)
      throw problem(path, `it cannot be set alone: *${moved.source} stands for a part of it elsewhere`);
  }
  return notSet;
}

/** The configuration with secrets hidden, for `check`, the journal and logs. */
export const redacted = (config: Config): unknown => configWithoutSecrets(config);
