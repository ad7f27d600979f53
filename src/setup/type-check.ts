// Type-checks strategy files, when typescript is installed near the configuration or with Oddsmaker. As at
// run time, a strategy in any folder gets `oddsmaker/strategy`, rxjs and zod from Oddsmaker.
import { existsSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import type * as TypeScript from 'typescript';
import { isSource, ROOT } from '../files/index.ts';

/**
 * Result of a check. `problems` are `file:line:column: text`; undefined when not checked, for the reason
 * `why`.
 */
export type Typed = { readonly problems: readonly string[] } | { readonly problems: undefined; readonly why: string };

const OWN_PACKAGES = /^(?:oddsmaker|rxjs|zod)(?:\/|$)/;

export class TypeChecker {
  readonly #beside: string;
  /** The program of the last check. Unchanged files are not checked again. */
  #before: TypeScript.Program | undefined;

  /** @param beside a file in whose folder, or above, typescript may be installed */
  constructor(beside: string) {
    this.#beside = beside;
  }

  check(files: readonly string[]): Typed {
    const beside = this.#beside;
    const ts = typescriptFor(beside);
    if (ts === undefined)
      return { problems: undefined, why: 'typescript is not installed: npm install --save-dev typescript' };
    if (typeof (ts as Partial<typeof TypeScript>).createProgram !== 'function')
      return { problems: undefined, why: `typescript ${ts.version} has no API for programs: run tsc` };
    const options = optionsFor(ts, beside);
    const host = hostFor(ts, options);
    const read = host.getSourceFile.bind(host);
    const packages = packagesUnder(options);
    host.getSourceFile = (file, ...args) => {
      if (!file.includes('/node_modules/') && !isOwnFile(file)) return read(file, ...args);
      if (!packages.has(file)) packages.set(file, read(file, ...args));
      return packages.get(file);
    };
    const oldProgram = this.#before;
    const program = ts.createProgram({
      // links are resolved, because imports are relative to the file and not to the link
      rootNames: files.map((file) => (existsSync(file) ? realpathSync(file) : file)),
      options,
      host,
      ...(oldProgram === undefined ? {} : { oldProgram }),
    });
    this.#before = program;
    const checked = program
      .getSourceFiles()
      .filter(({ fileName }) => !/\/node_modules\//.test(fileName) && !isOwnFile(fileName));
    // diagnostics without a file concern the settings, such as types that are not installed
    const found = checked
      .flatMap((file) => ts.getPreEmitDiagnostics(program, file))
      .filter(({ file }) => file !== undefined);
    return { problems: [...new Set(found.map((diagnostic) => textOf(ts, diagnostic)))] };
  }
}

/** Parsed files of packages and of Oddsmaker, by compiler options. They never change in a process. */
const PACKAGES = new Map<string, Map<string, TypeScript.SourceFile | undefined>>();

function packagesUnder(options: TypeScript.CompilerOptions): Map<string, TypeScript.SourceFile | undefined> {
  const key = JSON.stringify(options);
  const known = PACKAGES.get(key) ?? new Map<string, TypeScript.SourceFile | undefined>();
  PACKAGES.set(key, known);
  return known;
}

const isOwnFile = (file: string): boolean => ['src/', 'dist/'].some((part) => file.startsWith(join(ROOT, part)));

function typescriptFor(beside: string): typeof TypeScript | undefined {
  for (const from of [resolve(beside), join(ROOT, 'package.json')])
    try {
      return createRequire(from)('typescript') as typeof TypeScript;
    } catch {
      // tried from the other place
    }
  return undefined;
}

/** Options of the nearest tsconfig.json, or `DEFAULTS` (strict, for code that Node runs). */
function optionsFor(ts: typeof TypeScript, beside: string): TypeScript.CompilerOptions {
  const file = ts.findConfigFile(dirname(resolve(beside)), (name) => ts.sys.fileExists(name));
  const raw: unknown = file === undefined ? DEFAULTS : ts.readConfigFile(file, (name) => ts.sys.readFile(name)).config;
  const folder = file === undefined ? dirname(resolve(beside)) : dirname(file);
  const { options } = ts.parseJsonConfigFileContent(raw, { ...ts.sys, readDirectory: () => [] }, folder);
  return {
    ...options,
    noEmit: true,
    skipLibCheck: true,
    // a checkout has sources instead of built files
    ...(isSource ? { customConditions: ['oddsmaker-source'] } : {}),
  };
}

const DEFAULTS = {
  compilerOptions: {
    target: 'es2024',
    module: 'nodenext',
    strict: true,
    types: [],
    erasableSyntaxOnly: true,
    allowImportingTsExtensions: true,
  },
};

function hostFor(ts: typeof TypeScript, options: TypeScript.CompilerOptions): TypeScript.CompilerHost {
  const host = ts.createCompilerHost(options);
  const ownEntry = join(ROOT, isSource ? 'src' : 'dist', 'index.ts');
  host.resolveModuleNameLiterals = (literals, containing, redirected, compilerOptions, source) =>
    literals.map((literal) =>
      ts.resolveModuleName(
        literal.text,
        OWN_PACKAGES.test(literal.text) ? ownEntry : containing,
        compilerOptions,
        host,
        undefined,
        redirected,
        ts.getModeForUsageLocation(source, literal, compilerOptions),
      ),
    );
  return host;
}

function textOf(ts: typeof TypeScript, { file, start, messageText }: TypeScript.Diagnostic): string {
  const text = ts.flattenDiagnosticMessageText(messageText, '\n');
  if (file === undefined || start === undefined) return text;
  const { line, character } = file.getLineAndCharacterOfPosition(start);
  return `${file.fileName}:${line + 1}:${character + 1}: ${text}`;
}
