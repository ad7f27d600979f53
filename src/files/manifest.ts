// The manifest of the package.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './own-code.ts';

export const MANIFEST = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  readonly name: string;
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
};
export const VERSION = MANIFEST.version;
