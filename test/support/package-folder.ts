// The package in a folder as npm would install it, with the bundle of this checkout, and without types, page
// and docs.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { EXTERNAL } from '../../rolldown.config.ts';
import { ROOT } from './children.ts';

const PARTS = ['bin', 'config', 'strategies', 'examples', 'package.json'];

/** Bundles the code of this checkout. */
export function bundleInto(dist: string): void {
  const rolldown = join(ROOT, 'node_modules/rolldown/bin/cli.mjs');
  execFileSync(process.execPath, [rolldown, '-c', '--dir', dist], { cwd: ROOT, stdio: 'pipe' });
}

/**
 * Makes the package.
 * @param folder where its files go; the strategies in it run only outside of node_modules
 * @param libraries the folder node_modules for the libraries that the bundle leaves out
 */
export function makePackage(folder: string, libraries: string): void {
  for (const name of PARTS) cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  bundleInto(join(folder, 'dist'));
  mkdirSync(libraries, { recursive: true });
  for (const name of EXTERNAL) symlinkSync(join(ROOT, 'node_modules', name), join(libraries, name));
}
