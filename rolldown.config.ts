// Bundles the code of the package into dist: `npm run build:code`. There is one file for each entry and for
// each group of modules that entries share, so a process has one copy of each module and loads few files.
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'rolldown';
import { defineConfig } from 'rolldown';
import { codeHashes } from './src/setup/version.ts';

/** The exports of the package, the command line, and modules that are started by their file (`ownModule`). */
const ENTRIES = [
  'index',
  'strategy/index',
  'strategy/testkit',
  'strategy/indicators',
  'pricing/index',
  'cli/main',
  'backtest/scenario-thread',
  'backtest/look-ahead-thread',
  'backtest/jobs/job-thread',
  'sweep/point-thread',
  'ledger/thread',
  'setup/type-check-thread',
  'live/stuck-loop-thread',
  'live/stuck-run-thread',
];
/** Libraries that strategies import: the loader gives them the copies of the bundle. */
const SHARED = { rxjs: 'rxjs', 'rxjs-operators': 'rxjs/operators', zod: 'zod' };
/** Libraries that start threads or load files of their own by path. They stay in node_modules. */
export const EXTERNAL = ['piscina', 'bullmq', 'ioredis', 'typescript'];

/** Modules that share a file, lower layers first. Whatever else several entries need gets files of its own. */
const LAYERS: readonly (readonly [name: string, test: RegExp])[] = [
  ['rxjs', /\/node_modules\/rxjs\//],
  ['zod', /\/node_modules\/zod\//],
  ['yaml', /\/node_modules\/yaml\//],
  ['domain', /\/src\/(?:domain|files|terminal)\/|\/src\/table\/csv-cell/],
  ['wire', /\/src\/(?:wire|pricing|measure|config|account|mirror)\//],
  ['tape', /\/src\/(?:journal|tape|import)\//],
  // most bots need no Redis
  ['strategy', /\/src\/(?:strategy|signals(?!\/redis)|ops|setup)\//],
  ['core', /\/src\/(?:risk|orders|engine|pipeline)\//],
  ['run', /\/src\/(?:run|report)\//],
  ['venue', /\/src\/(?:venue|traders)\//],
  ['threads', /\/src\/backtest\/(?:thread-pool|thread-side|young-generation)/],
];

/** An entry runs when its file is loaded, so it shares the file with no other module. */
const isEntry = (id: string): boolean => ENTRIES.some((name) => id.endsWith(`/src/${name}.ts`));

const library = (path: string): string => join(import.meta.dirname, 'node_modules', path);

export default defineConfig({
  input: {
    ...Object.fromEntries(ENTRIES.map((name) => [name, `src/${name}.ts`])),
    ...Object.fromEntries(Object.entries(SHARED).map(([name, specifier]) => [`library/${name}`, specifier])),
  },
  platform: 'node',
  external: (id) => EXTERNAL.some((name) => id === name || id.startsWith(`${name}/`)),
  resolve: {
    alias: {
      // its modules: a bundler cannot take its CommonJS files apart
      'rxjs/operators': library('rxjs/dist/esm/operators/index.js'),
      rxjs: library('rxjs/dist/esm/index.js'),
    },
  },
  // the index of a room names all of its modules; only those that are used belong to a file
  treeshake: { moduleSideEffects: (id) => !id.includes('/src/') || isEntry(id) },
  // bottleneck hides its optional Redis client from bundlers by eval
  checks: { eval: false, ineffectiveDynamicImport: false },
  plugins: [withoutFormerFiles(), codeHashesFile(), noticesFile()],
  output: {
    dir: 'dist',
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
    sourcemap: true,
    // places in the sources; their text would triple the size
    sourcemapExcludeSources: true,
    comments: { legal: true, annotation: true, jsdoc: false },
    codeSplitting: {
      groups: LAYERS.map(([name, test], index) => ({
        name,
        test: (id) => test.test(id) && !isEntry(id),
        priority: LAYERS.length - index,
      })),
    },
  },
});

/** Parts of the package that other commands build into the same folder. */
const BUILT_ELSEWHERE = ['web', 'site'];

function withoutFormerFiles(): Plugin {
  return {
    name: 'without-former-files',
    renderStart({ dir = '' }) {
      if (!existsSync(dir)) return;
      for (const name of readdirSync(dir))
        if (!BUILT_ELSEWHERE.includes(name)) rmSync(join(dir, name), { recursive: true });
    },
  };
}

/** Writes the hashes by which a bundle knows its version, since it has no sources to hash. */
function codeHashesFile(): Plugin {
  return {
    name: 'code-hashes',
    generateBundle() {
      this.emitFile({ type: 'asset', fileName: 'code-hashes.json', source: JSON.stringify(codeHashes()) });
    },
  };
}

type Manifest = { readonly name: string; readonly version: string; readonly license?: string };

/** Writes name, version and licence of each library in the bundle. */
function noticesFile(): Plugin {
  return {
    name: 'notices',
    generateBundle(_options, bundle) {
      const ids = Object.values(bundle).flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
      const folders = new Set(
        ids.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id.replaceAll('\\', '/')) ?? []),
      );
      // a library may lie in several folders
      const notices = [...new Set([...folders].map(noticeOf))].sort();
      const head = 'Libraries that are part of the files in this folder, with their versions and licences.\n';
      this.emitFile({ type: 'asset', fileName: 'THIRD-PARTY.txt', source: [head, ...notices].join('\n') });
    },
  };
}

function noticeOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
  const texts = readdirSync(folder)
    .filter((file) => /^(?:licen[cs]e|notice|copying)/i.test(file))
    .map((file) => readFileSync(join(folder, file), 'utf8').trim());
  return [`==== ${name} ${version}`, ...(texts.length > 0 ? texts : [`Licence: ${license ?? 'unknown'}`]), ''].join(
    '\n',
  );
}
