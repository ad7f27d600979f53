// Builds the code once for a whole test run, as the package has it, with `BUILT=1` (`npm test`, `npm run test:long`):
// so the tests run what users run, and each command loads few files. Without it, commands run from the sources.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './children.ts';
import { bundleInto } from './package-folder.ts';

/** Beside the libraries, as an installed package. */
const BUILDS = join(ROOT, 'node_modules/.oddsmaker-built');
const INPUTS = ['bin/*', 'package*.json', 'rolldown.config.ts', 'tsconfig*.json', 'src/**/*.ts', 'dist/web/**/*.*'];
/** Copied, since the code finds its files from the real path of its own. */
const COPIED = ['bin', 'package.json', 'dist/web'];
const { files } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { readonly files: readonly string[] };
const LINKED = files.filter((name) => !/^!|^(?:bin|dist)$/.test(name));

export default function setup(): void {
  if (process.env['BUILT'] === undefined) return;
  const hash = createHash('sha256');
  for (const name of globSync(INPUTS, { cwd: ROOT }).sort())
    hash.update(`${name}\n`).update(readFileSync(join(ROOT, name)));
  const folder = join(BUILDS, hash.digest('hex').slice(0, 16));
  if (!existsSync(folder)) build(folder);
  process.env['ODDSMAKER_BUILT'] = folder;
}

function build(folder: string): void {
  const unfinished = `${folder}.${process.pid}`;
  mkdirSync(unfinished, { recursive: true });
  bundleInto(unfinished);
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const flags = ['-p', 'tsconfig.build.json', '--outDir', join(unfinished, 'dist')];
  execFileSync(process.execPath, [tsc, ...flags], { cwd: ROOT, stdio: 'pipe' });
  for (const name of COPIED) cpSync(join(ROOT, name), join(unfinished, name), { recursive: true });
  for (const name of LINKED) symlinkSync(join(ROOT, name), join(unfinished, name));
  for (const former of readdirSync(BUILDS).filter((name) => !name.includes('.')))
    rmSync(join(BUILDS, former), { recursive: true });
  renameSync(unfinished, folder);
}
