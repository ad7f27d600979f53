// Loads strategy files by path. A strategy anywhere on disk imports `oddsmaker/strategy`, `oddsmaker/pricing`, `rxjs` and
// `zod`; all of them resolve to our copies, so that observables and schemas are of one kind in the whole process.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { createRequire, registerHooks } from 'node:module';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { z } from 'zod';
import { OddsmakerError } from '../../domain/index.ts';
import type { Strategy } from '../define.ts';
import { trapExit } from './exit-trap.ts';
import { asError, isOn } from './thrown.ts';

export type LoadedStrategy = {
  readonly strategy: Strategy;
  readonly file: string;
  /** Where it truly lies, with its life, as stacks tell it. */
  readonly url: string;
  readonly sha256: string;
  readonly source: Buffer;
  /** Files of its own that it imports, and that these import; packages are not among them. */
  readonly imports: readonly ImportedFile[];
};

export type ImportedFile = { readonly file: string; readonly source: Buffer };

/** We run from our sources, or from what was built of them. */
const ENDING = import.meta.url.slice(-2);
const OWN = new Map([
  ['oddsmaker/strategy', `../index.${ENDING}`],
  ['oddsmaker/pricing', `../../pricing/index.${ENDING}`],
  ['oddsmaker/testkit', `../testkit.${ENDING}`],
]);

let hooked = false;

/**
 * From now on imports of them, from wherever, are of our copies. `areAllTheirs`: no file but ours is anything else than
 * strategies and what belongs to them.
 */
export function shareOurPackages(areAllTheirs = false): void {
  if (hooked) return;
  hooked = true;
  registerHooks({
    resolve(specifier, context, next) {
      const own = OWN.get(specifier);
      if (own !== undefined) return { url: new URL(own, import.meta.url).href, shortCircuit: true };
      if (/^(?:rxjs|zod)(?:\/|$)/.test(specifier)) return next(specifier, { ...context, parentURL: import.meta.url });
      const parent = context.parentURL ?? '';
      const home = IS_PACKAGE.test(specifier) ? homeOf(parent) : undefined;
      const found = next(specifier, home === undefined ? context : { ...context, parentURL: home });
      const isPart = PARTS.has(found.url) || ((areAllTheirs || PARTS.has(parent)) && isTheirs(found.url));
      if (!isPart) return found;
      const life = LIFE.exec(parent)?.[0] ?? '';
      LIVES.get(life)?.add(found.url);
      const url = found.url + life;
      PARTS.add(url);
      IMPORTS.set(parent, (IMPORTS.get(parent) ?? new Set()).add(url));
      return { ...found, url, format: formatOf(found.url, found.format) };
    },
  });
}

/** Strategy files and what they import of their own, packages apart. */
const PARTS = new Set<string>();
/** What each of them imports of these. */
const IMPORTS = new Map<string, Set<string>>();

const IS_PACKAGE = /^(?![./#])(?!(?:node|file|data):)/;
/** Folders that have no packages of their own, and where those are looked for instead. */
const HOMES = new Map<string, string>();

/** Files in a folder find packages as if they were in the other one. */
export function findPackagesIn(home: string, folder: string): void {
  HOMES.set(pathToFileURL(`${folder}/`).href, pathToFileURL(`${home}/`).href);
}

function homeOf(parent: string): string | undefined {
  for (const [folder, home] of HOMES) if (parent.startsWith(folder)) return home;
  return undefined;
}
const isTheirs = (url: string): boolean =>
  url.startsWith('file:') && !url.includes('/node_modules/') && !url.startsWith(OURS);
/** A line that imports or exports, and nothing that only CommonJS has: what has both, or neither, Node judges. */
const IS_MODULE =
  /^\s*(?:import\s*["']|import\b[^;:()]*?\bfrom\s*["']|export\s+(?:default|const|let|var|function|class|abstract|async|declare|enum|type|interface|\{|\*))/m;
const IS_COMMON = /\bmodule\.exports\b|\bexports\.\w|\brequire\s*\(/;

/**
 * Where no package.json says `module`, Node takes a file with imports for a mistake (`commonjs`, as `npm init` writes it) or
 * warns of it (nothing said). What has imports is a module.
 */
function formatOf(url: string, told: string | null | undefined): string | null | undefined {
  const isOpen = told === undefined || told === null || told === 'commonjs' || told === 'commonjs-typescript';
  const ending = /\.[jt]s$/.exec(fileURLToPath(url))?.[0];
  if (!isOpen || ending === undefined) return told;
  const source = readFileSync(fileURLToPath(url), 'utf8');
  if (!IS_MODULE.test(source) || IS_COMMON.test(source)) return told;
  return ending === '.ts' ? 'module-typescript' : 'module';
}

const OURS = new URL('../../', import.meta.url).href;

/**
 * One life of strategy files and of the files that they import: they share what they keep with each other, and with no
 * other life. Packages and CommonJS live once in a process.
 */
export type ModuleGeneration = string & { readonly life: unique symbol };
const LIFE = /\?life=\d+$/;
/** The URLs of the files of each. */
const LIVES = new Map<string, Set<string>>();

export function beginGeneration(): ModuleGeneration {
  const life = `?life=${LIVES.size + 1}` as ModuleGeneration;
  LIVES.set(life, new Set());
  return life;
}

/** The files that were loaded in a life, or should have been. */
export const filesOf = (life: ModuleGeneration): readonly string[] =>
  [...(LIVES.get(life) ?? [])].map((url) => fileURLToPath(url)).sort();

const { cache } = createRequire(import.meta.url);
/** Loaded as CommonJS, once for all lives. */
export const isCommonJs = (file: string): boolean => file in cache;

/** A hash of the files that were loaded in a life, as they are now. */
export function codeOf(life: ModuleGeneration): string {
  const hash = createHash('sha256');
  for (const url of [...(LIVES.get(life) ?? [])].sort())
    hash
      .update(url)
      .update('\0')
      .update(readFileSync(fileURLToPath(url)))
      .update('\0');
  return hash.digest('hex');
}

const LOADED_WITHIN_MS = 30_000;

/** What was thrown while a file loads, and not by its loading: by a callback or in a promise, of this file or of one before. */
export class ThrownMeanwhile extends Error {
  /** The file that loads is on the stack. */
  readonly isItsOwn: boolean;

  constructor(thrown: unknown, url: string) {
    const { message, stack = '' } = asError(thrown);
    super(message);
    this.stack = stack;
    this.isItsOwn = isOn(stack, url);
  }
}

const LOOSE = ['unhandledRejection', 'uncaughtException'] as const;

/**
 * What the file at this URL leaves to be thrown is told as what it throws itself, at once, and nobody else hears of it; what one
 * of another life throws meanwhile is for those who listened before. A top-level await may never settle, and then nothing else
 * would keep the process alive.
 */
async function loadedWell<T>(loading: Promise<T>, url: string): Promise<T> {
  const { promise: failed, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    reject(new Error(`it did not finish within ${LOADED_WITHIN_MS / 1000} s: does it await for ever?`));
  }, LOADED_WITHIN_MS);
  const others = LOOSE.map((event) => ({ event, listeners: process.rawListeners(event) }));
  for (const { event, listeners } of others)
    process.removeAllListeners(event).on(event, (reason: unknown, ...more: unknown[]) => {
      if (listeners.length === 0 || !isOfOtherGeneration(reason, url)) reject(new ThrownMeanwhile(reason, url));
      else for (const listener of listeners) listener.call(process, reason, ...more);
    });
  try {
    const loaded = await Promise.race([loading, failed]);
    await Promise.race([nextTurn(), failed]);
    return loaded;
  } finally {
    clearTimeout(timer);
    // a file's own listeners have no say in how the process ends
    for (const { event, listeners } of others) {
      process.removeAllListeners(event);
      for (const listener of listeners) process.on(event, listener as () => void);
    }
  }
}

function isOfOtherGeneration(thrown: unknown, url: string): boolean {
  const lives = generationsOn(asError(thrown));
  return lives.size > 0 && !lives.has(generationOf(url));
}

/** The lives whose files are on a stack, those of their imports too. */
export const generationsOn = ({ stack = '' }: Error): ReadonlySet<string> =>
  new Set([...PARTS].filter((part) => isOn(stack, part)).map(generationOf));

/** Empty: of those that were loaded with none. */
export const generationOf = (url: string): string => LIFE.exec(url)?.[0] ?? '';

/** Loads one strategy file; `file` is absolute. */
export async function loadStrategy(file: string, life?: ModuleGeneration): Promise<LoadedStrategy> {
  shareOurPackages();
  trapExit();
  let source: Buffer;
  let url: string;
  try {
    source = readFileSync(file);
    // what it imports knows it by this name only
    url = pathToFileURL(realpathSync(file)).href;
  } catch (error) {
    throw new OddsmakerError('STRATEGY_NOT_FOUND', `strategy file ${file} cannot be read`, { cause: error });
  }
  let module: { readonly default?: unknown };
  try {
    if (life !== undefined) LIVES.get(life)?.add(url);
    url += life ?? '';
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

/** As they are now: they were read just before. */
function importsOf(url: string): readonly ImportedFile[] {
  const found = new Set([url]);
  // a set goes on with what is added meanwhile
  for (const one of found) for (const imported of IMPORTS.get(one) ?? []) found.add(imported);
  found.delete(url);
  return [...found]
    .map((one) => fileURLToPath(one.replace(LIFE, '')))
    .sort()
    .map((file) => ({ file, source: readFileSync(file) }));
}

/** What is wrong, where as far as it is known, and what to do about the mistakes that Node itself explains least. */
function explained(error: Error & { readonly code?: unknown; readonly url?: unknown }): string {
  const { message, code, url } = error;
  const said = `${message}${placeOf(error)}`;
  if (code === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX')
    return `${said}: types are taken out and nothing is compiled, so write a union of literals or an object \`as const\` instead`;
  if (code === 'ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING')
    return 'a file in node_modules is taken as it is, with no types in it: copy it out, into a folder of your own (`oddsmaker init` makes one)';
  const isMissing = code === 'ERR_MODULE_NOT_FOUND' || code === 'ERR_UNSUPPORTED_DIR_IMPORT';
  if (isMissing && typeof url === 'string' && url.startsWith('file:'))
    for (const ending of ['.ts', '/index.ts'])
      if (existsSync(fileURLToPath(url.replace(/\/$/, '') + ending)))
        return `${said}: an import names the whole file, here with ${ending} at its end`;
  return said;
}

/** As ` (file:line)`: above the message where a file cannot be read, in the trace where it throws. */
export function placeOf(error: Error): string {
  const stack = typeof error.stack === 'string' ? error.stack : '';
  const [above = ''] = stack.split('\n');
  const at =
    /^((?:file:\/\/)?\/.*?)(?:\?life=\d+)?:(\d+)$/.exec(above) ??
    [...stack.matchAll(/^ {4}at .*?(file:\/\/.+?)(?:\?life=\d+)?:(\d+):\d+\)?$/gm)].find(([, url = '']) =>
      isTheirs(url),
    );
  const [, path = '', line] = at ?? [];
  return at === undefined ? '' : ` (${path.startsWith('file:') ? fileURLToPath(path) : path}:${line})`;
}

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
