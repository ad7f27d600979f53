// Loads strategy files by path. A strategy anywhere on disk imports `oddsmaker/strategy`,
// `oddsmaker/pricing`, `oddsmaker/indicators`, `rxjs` and `zod`. All of them resolve to the bot's copies, so the whole process has
// one kind of observable and schema.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { createRequire, registerHooks } from 'node:module';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { z } from 'zod';
import { OddsmakerError } from '../../domain/index.ts';
import { isSource, OWN_CODE, ownModule } from '../../files/index.ts';
import type { Strategy } from '../define.ts';
import { trapExit } from './exit-trap.ts';
import { asError, isOn } from './thrown.ts';

export type LoadedStrategy = {
  readonly strategy: Strategy;
  readonly file: string;
  /** URL of the real path (links resolved) with its generation, as it appears in stacks. */
  readonly url: string;
  readonly sha256: string;
  readonly source: Buffer;
  /** The author's other files that it imports, directly or indirectly. Packages are left out. */
  readonly imports: readonly ImportedFile[];
};

export type ImportedFile = { readonly file: string; readonly source: Buffer };

const OWN = new Map(
  Object.entries({
    'oddsmaker/strategy': 'strategy/index',
    'oddsmaker/pricing': 'pricing/index',
    'oddsmaker/indicators': 'strategy/indicators',
    'oddsmaker/testkit': 'strategy/testkit',
    // the package has its own copies of these in its bundle
    ...(isSource ? {} : { rxjs: 'library/rxjs', 'rxjs/operators': 'library/rxjs-operators', zod: 'library/zod' }),
  }).map(([specifier, name]) => [specifier, ownModule(name).href]),
);

let hooked = false;

/**
 * Makes all imports of `oddsmaker/…`, `rxjs` and `zod`, from any file, resolve to the bot's copies. Only the
 * first call counts.
 * @param isAllStrategyCode whether every file outside the bot's own code is a strategy or belongs to one
 */
export function shareOurPackages(isAllStrategyCode = false): void {
  if (hooked) return;
  hooked = true;
  registerHooks({
    resolve(specifier, context, next) {
      const own = OWN.get(specifier);
      if (own !== undefined) return { url: own, shortCircuit: true };
      if (/^(?:rxjs|zod)(?:\/|$)/.test(specifier)) return next(specifier, { ...context, parentURL: import.meta.url });
      const parent = context.parentURL ?? '';
      const home = IS_PACKAGE.test(specifier) ? homeOf(parent) : undefined;
      const found = next(specifier, home === undefined ? context : { ...context, parentURL: home });
      const isPart = PARTS.has(found.url) || ((isAllStrategyCode || PARTS.has(parent)) && isStrategyCode(found.url));
      if (!isPart) return found;
      const generation = GENERATION.exec(parent)?.[0] ?? '';
      GENERATIONS.get(generation)?.add(found.url);
      const url = found.url + generation;
      PARTS.add(url);
      IMPORTS.set(parent, (IMPORTS.get(parent) ?? new Set()).add(url));
      return { ...found, url, format: formatOf(found.url, found.format) };
    },
  });
}

/** URLs of strategy files and of the author's files that they import, without packages. */
const PARTS = new Set<string>();
/** The parts that each part imports, by URL. */
const IMPORTS = new Map<string, Set<string>>();

const IS_PACKAGE = /^(?![./#])(?!(?:node|file|data):)/;
/** Folders without packages of their own, each with the folder whose packages it uses. Both are URLs. */
const HOMES = new Map<string, string>();

/** Makes the files in `folder` find packages as if they were in `home`. */
export function findPackagesIn(home: string, folder: string): void {
  HOMES.set(pathToFileURL(`${folder}/`).href, pathToFileURL(`${home}/`).href);
}

function homeOf(parent: string): string | undefined {
  for (const [folder, home] of HOMES) if (parent.startsWith(folder)) return home;
  return undefined;
}
const isStrategyCode = (url: string): boolean =>
  url.startsWith('file:') && !url.includes('/node_modules/') && !url.startsWith(OWN_CODE);
/**
 * Matches a line that imports or exports. A file with such a line and without `IS_COMMON` is a module; for
 * any other file the decision is left to Node.
 */
const IS_MODULE =
  /^\s*(?:import\s*["']|import\b[^;:()]*?\bfrom\s*["']|export\s+(?:default|const|let|var|function|class|abstract|async|declare|enum|type|interface|\{|\*))/m;
const IS_COMMON = /\bmodule\.exports\b|\bexports\.\w|\brequire\s*\(/;

/**
 * The module format of a file. Where no package.json says `module`, Node fails on a file with imports (type
 * `commonjs`, which `npm init` writes) or warns about it (no type). Here a file with imports is a module.
 */
function formatOf(url: string, resolved: string | null | undefined): string | null | undefined {
  const isOpen =
    resolved === undefined || resolved === null || resolved === 'commonjs' || resolved === 'commonjs-typescript';
  const ending = /\.[jt]s$/.exec(fileURLToPath(url))?.[0];
  if (!isOpen || ending === undefined) return resolved;
  const source = readFileSync(fileURLToPath(url), 'utf8');
  if (!IS_MODULE.test(source) || IS_COMMON.test(source)) return resolved;
  return ending === '.ts' ? 'module-typescript' : 'module';
}

/**
 * One generation of strategy files and their imports, as the suffix of their URLs. Files of a generation
 * share module state with each other and with no other generation. Packages and CommonJS modules exist once
 * per process.
 */
export type ModuleGeneration = string & { readonly life: unique symbol };
const GENERATION = /\?life=\d+$/;
/** URLs of the files of each generation, without the suffix. */
const GENERATIONS = new Map<string, Set<string>>();

/** Begins a new, empty generation. */
export function beginGeneration(): ModuleGeneration {
  const generation = `?life=${GENERATIONS.size + 1}` as ModuleGeneration;
  GENERATIONS.set(generation, new Set());
  return generation;
}

/** Paths of the files that a generation loaded or tried to load, sorted. */
export const filesOf = (generation: ModuleGeneration): readonly string[] =>
  [...(GENERATIONS.get(generation) ?? [])].map((url) => fileURLToPath(url)).sort();

const { cache } = createRequire(import.meta.url);
/** Whether the file was loaded as CommonJS, and so once for all generations. */
export const isCommonJs = (file: string): boolean => file in cache;

/** The CommonJS files that are loaded. */
export const commonJsFiles = (): ReadonlySet<string> => new Set(Object.keys(cache));

/**
 * Forgets CommonJS files, so that a file is read again that was empty when it was read: its editor was writing
 * it.
 */
export function forgetCommonJs(files: readonly string[]): void {
  for (const file of files) Reflect.deleteProperty(cache, file);
}

/** SHA-256 (hex) of the files of a generation as they are on disk now. */
export function codeOf(generation: ModuleGeneration): string {
  const hash = createHash('sha256');
  for (const url of [...(GENERATIONS.get(generation) ?? [])].sort())
    hash
      .update(url)
      .update('\0')
      .update(readFileSync(fileURLToPath(url)))
      .update('\0');
  return hash.digest('hex');
}

const LOAD_TIMEOUT_MS = 30_000;

/**
 * An error thrown while a file loads, but not by its import: in a callback or a promise, of this file or of
 * one loaded before.
 */
export class ThrownMeanwhile extends Error {
  /** Whether the loading file is on the stack. */
  readonly isItsOwn: boolean;

  constructor(thrown: unknown, url: string) {
    const { message, stack = '' } = asError(thrown);
    super(message);
    this.stack = stack;
    this.isItsOwn = isOn(stack, url);
  }
}

const UNCAUGHT_EVENTS = ['unhandledRejection', 'uncaughtException'] as const;

/**
 * Waits until a file has loaded. An uncaught error rejects at once, as if the file's import had thrown it,
 * and no other listener receives it. An uncaught error of another generation goes to the existing listeners,
 * if there are any. The timeout ends a top-level await that never settles, and keeps the process alive until
 * then.
 */
async function loadedWell<T>(loading: Promise<T>, url: string): Promise<T> {
  const { promise: failed, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    reject(new Error(`it did not finish within ${LOAD_TIMEOUT_MS / 1000} s: does it wait forever?`));
  }, LOAD_TIMEOUT_MS);
  const others = UNCAUGHT_EVENTS.map((event) => ({ event, listeners: process.rawListeners(event) }));
  for (const { event, listeners } of others)
    process.removeAllListeners(event).on(event, (reason: unknown, ...rest: unknown[]) => {
      if (listeners.length === 0 || !isOfOtherGeneration(reason, url)) reject(new ThrownMeanwhile(reason, url));
      else for (const listener of listeners) listener.call(process, reason, ...rest);
    });
  try {
    const loaded = await Promise.race([loading, failed]);
    await Promise.race([nextTurn(), failed]);
    return loaded;
  } finally {
    clearTimeout(timer);
    // listeners that the file itself added are removed: they must not decide how the process ends
    for (const { event, listeners } of others) {
      process.removeAllListeners(event);
      for (const listener of listeners) process.on(event, listener as () => void);
    }
  }
}

function isOfOtherGeneration(thrown: unknown, url: string): boolean {
  const generations = generationsOn(asError(thrown));
  return generations.size > 0 && !generations.has(generationOf(url));
}

/** The generations whose files, imports included, are on the stack of an error. */
export const generationsOn = ({ stack = '' }: Error): ReadonlySet<string> =>
  new Set([...PARTS].filter((part) => isOn(stack, part)).map(generationOf));

/** The generation in a URL. Empty when the file was loaded without one. */
export const generationOf = (url: string): string => GENERATION.exec(url)?.[0] ?? '';

/**
 * Loads one strategy file.
 * @param file absolute path
 * @param generation the generation to load it in; none by default
 * @throws OddsmakerError `STRATEGY_NOT_FOUND` when the file cannot be read, `STRATEGY_INVALID` when it does
 * not load or does not export a strategy
 */
export async function loadStrategy(file: string, generation?: ModuleGeneration): Promise<LoadedStrategy> {
  shareOurPackages();
  trapExit();
  let source: Buffer;
  let url: string;
  try {
    source = readFileSync(file);
    // files that it imports see it under its real path only
    url = pathToFileURL(realpathSync(file)).href;
  } catch (error) {
    throw new OddsmakerError('STRATEGY_NOT_FOUND', `strategy file ${file} cannot be read`, { cause: error });
  }
  let module: { readonly default?: unknown };
  try {
    if (generation !== undefined) GENERATIONS.get(generation)?.add(url);
    url += generation ?? '';
    PARTS.add(url);
    module = (await loadedWell(import(url), url)) as typeof module;
  } catch (error) {
    throw new OddsmakerError(
      'STRATEGY_INVALID',
      `strategy file ${file} does not load: ${explained(error instanceof Error ? error : asError(error))}`,
      { cause: error },
    );
  }
  if (!isStrategy(module.default)) {
    throw new OddsmakerError('STRATEGY_INVALID', `strategy file ${file} ${lackOf(module.default)}`);
  }
  return {
    strategy: module.default,
    file,
    url,
    source,
    sha256: createHash('sha256').update(source).digest('hex'),
    imports: importsOf(url),
  };
}

/** All imports of a file, direct and indirect, with their text on disk now: Node read them just before. */
function importsOf(url: string): readonly ImportedFile[] {
  const found = new Set([url]);
  // iterating a set also visits what is added during the loop
  for (const part of found) for (const imported of IMPORTS.get(part) ?? []) found.add(imported);
  found.delete(url);
  return [...found]
    .map((part) => fileURLToPath(part.replace(GENERATION, '')))
    .sort()
    .map((file) => ({ file, source: readFileSync(file) }));
}

/** The error's message, its place where known, and what to do about the mistakes that Node explains badly. */
function explained(error: Error & { readonly code?: unknown; readonly url?: unknown }): string {
  const { message, code, url } = error;
  const text = `${message}${placeOf(error)}`;
  if (code === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX')
    return `${text}: types are taken out and nothing is compiled, so write a union of literals or an object \`as const\` instead`;
  if (code === 'ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING')
    return 'a file in node_modules is taken as it is, with no types in it: copy it out, into a folder of your own (`oddsmaker init` makes one)';
  const isMissing = code === 'ERR_MODULE_NOT_FOUND' || code === 'ERR_UNSUPPORTED_DIR_IMPORT';
  if (isMissing && typeof url === 'string' && url.startsWith('file:'))
    for (const ending of ['.ts', '/index.ts'])
      if (existsSync(fileURLToPath(url.replace(/\/$/, '') + ending)))
        return `${text}: an import names the whole file, here with ${ending} at its end`;
  return text;
}

/**
 * The place of a load error, as ` (file:line)`. Empty when unknown. Node puts it above the message when a
 * file cannot be parsed; otherwise it is the first frame in the author's code.
 */
export function placeOf(error: Error): string {
  const stack = typeof error.stack === 'string' ? error.stack : '';
  const [above = ''] = stack.split('\n');
  const place =
    /^((?:file:\/\/)?\/.*?)(?:\?life=\d+)?:(\d+)$/.exec(above) ??
    [...stack.matchAll(/^ {4}at .*?(file:\/\/.+?)(?:\?life=\d+)?:(\d+):\d+\)?$/gm)].find(([, url = '']) =>
      isStrategyCode(url),
    );
  const [, path = '', line] = place ?? [];
  return place === undefined ? '' : ` (${path.startsWith('file:') ? fileURLToPath(path) : path}:${line})`;
}

/** What an export lacks to be a strategy. */
function lackOf(value: unknown): string {
  const isNearly = typeof value === 'object' && value !== null && 'create' in value && !('params' in value);
  return isNearly
    ? 'exports a strategy without params: give z.object({}) where it has none'
    : 'has no default export made with defineStrategy({ name, params, create })';
}

function isStrategy(value: unknown): value is Strategy {
  if (typeof value !== 'object' || value === null) return false;
  const { name, params, create, scope } = value as Partial<Record<keyof Strategy, unknown>>;
  return (
    typeof name === 'string' &&
    typeof create === 'function' &&
    params instanceof z.ZodType &&
    (scope === undefined || scope === 'market' || scope === 'game')
  );
}
