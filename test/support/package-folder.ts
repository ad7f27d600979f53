// The package in a folder as npm would install it, with the bundle of this checkout, and without types, page
// and docs.
import { execFileSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { EXTERNAL } from '../../rolldown.config.ts';
import { ROOT } from './children.ts';

const PARTS = ['bin', 'config', 'strategies', 'examples', 'package.json'];

/** Bundles the code of this checkout into the `dist` of a folder, with source maps as if that were the checkout. */
export function bundleInto(folder: string): void {
  const dist = join(folder, 'dist');
  const rolldown = join(ROOT, 'node_modules/rolldown/bin/cli.mjs');
  execFileSync(process.execPath, [rolldown, '-c', '--dir', dist], { cwd: ROOT, stdio: 'pipe' });
  for (const name of globSync('**/*.js.map', { cwd: dist })) {
    const file = join(dist, name);
    const map = JSON.parse(readFileSync(file, 'utf8')) as { sources: readonly string[] };
    const inFolder = (source: string): string => join(folder, relative(ROOT, resolve(dirname(file), source)));
    map.sources = map.sources.map((source) => relative(dirname(file), inFolder(source)));
    writeFileSync(file, JSON.stringify(map));
  }
}

/**
 * Makes the package.
 * @param folder where its files go; the strategies in it run only outside of node_modules
 * @param libraries the folder node_modules for the libraries that the bundle leaves out
 */
export function makePackage(folder: string, libraries: string): void {
  for (const name of PARTS) cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  bundleInto(folder);
  mkdirSync(libraries, { recursive: true });
  for (const name of EXTERNAL) symlinkSync(join(ROOT, 'node_modules', name), join(libraries, name));
}
