// The type checker over strategy files, where typescript is installed beside the configuration or with us. A strategy imports
// `oddsmaker/strategy`, rxjs and zod from us, wherever it lies, as when it runs.
import { existsSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import type * as TypeScript from 'typescript';
import { ROOT } from './own-package.ts';

/** `problems`: `file:line:column: text` each; undefined: nothing was checked, as `why` says. */
export type Typed = { readonly problems: readonly string[] } | { readonly problems: undefined; readonly why: string };

const OURS = /^(?:oddsmaker|rxjs|zod)(?:\/|$)/;

export class TypeChecker {
  readonly #beside: string;
  /** What did not change since is not looked at again. */
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
      return { problems: undefined, why: `typescript ${ts.version} cannot be asked by programs: run tsc` };
    const options = optionsFor(ts, beside);
    const host = hostFor(ts, options);
    const read = host.getSourceFile.bind(host);
    const packages = packagesUnder(options);
    host.getSourceFile = (file, ...how) => {
      if (!file.includes('/node_modules/') && !isOurs(file)) return read(file, ...how);
      if (!packages.has(file)) packages.set(file, read(file, ...how));
      return packages.get(file);
    };
    const oldProgram = this.#before;
    const program = ts.createProgram({
      // what it imports lies beside the file, not beside a link to it
      rootNames: files.map((file) => (existsSync(file) ? realpathSync(file) : file)),
      options,
      host,
      ...(oldProgram === undefined ? {} : { oldProgram }),
    });
    this.#before = program;
    const checked = program
      .getSourceFiles()
      .filter(({ fileName }) => !/\/node_modules\//.test(fileName) && !isOurs(fileName));
    // what is wrong with the settings, such as types that are not installed, is no fault of a strategy
    const found = checked
      .flatMap((file) => ts.getPreEmitDiagnostics(program, file))
      .filter(({ file }) => file !== undefined);
    return { problems: [...new Set(found.map((one) => textOf(ts, one)))] };
  }
}

/** Files of packages and of ours, by the options they were read with: they stay as they are while the process lives. */
const PACKAGES = new Map<string, Map<string, TypeScript.SourceFile | undefined>>();

function packagesUnder(options: TypeScript.CompilerOptions): Map<string, TypeScript.SourceFile | undefined> {
  const key = JSON.stringify(options);
  const known = PACKAGES.get(key) ?? new Map<string, TypeScript.SourceFile | undefined>();
  PACKAGES.set(key, known);
  return known;
}

const isOurs = (file: string): boolean => ['src/', 'dist/'].some((part) => file.startsWith(join(ROOT, part)));

function typescriptFor(beside: string): typeof TypeScript | undefined {
  for (const from of [resolve(beside), join(ROOT, 'package.json')])
    try {
      return createRequire(from)('typescript') as typeof TypeScript;
    } catch {
      // perhaps beside the other
    }
  return undefined;
}

/** Those of the nearest tsconfig.json; where there is none, strict, for what Node runs. */
function optionsFor(ts: typeof TypeScript, beside: string): TypeScript.CompilerOptions {
  const file = ts.findConfigFile(dirname(resolve(beside)), (name) => ts.sys.fileExists(name));
  const raw: unknown = file === undefined ? DEFAULTS : ts.readConfigFile(file, (name) => ts.sys.readFile(name)).config;
  const folder = file === undefined ? dirname(resolve(beside)) : dirname(file);
  const { options } = ts.parseJsonConfigFileContent(raw, { ...ts.sys, readDirectory: () => [] }, folder);
  return {
    ...options,
    noEmit: true,
    skipLibCheck: true,
    // a checkout has sources in the place of what is built
    ...(existsSync(join(ROOT, 'src')) ? { customConditions: ['oddsmaker-source'] } : {}),
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
  const home = join(ROOT, existsSync(join(ROOT, 'src')) ? 'src' : 'dist', 'index.ts');
  host.resolveModuleNameLiterals = (literals, containing, redirected, of, source) =>
    literals.map((literal) =>
      ts.resolveModuleName(
        literal.text,
        OURS.test(literal.text) ? home : containing,
        of,
        host,
        undefined,
        redirected,
        ts.getModeForUsageLocation(source, literal, of),
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
