import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
};
export const VERSION = manifest.version;

/** What decides on commands: the core, and what makes its settings of a configuration. */
const ROOMS = ['config', 'domain', 'engine', 'mirror', 'orders', 'risk', 'strategy', 'wire'] as const;
const SHOWN = 12;

let build: string | undefined;

/** The version with its build, as journals name it: of one version, a checkout may have code that commands otherwise. */
export function buildVersion(): string {
  build ??= `${VERSION}+${codeHash()}`;
  return build;
}

/** Of sources and libraries. */
function codeHash(): string {
  const hash = createHash('sha256').update(JSON.stringify(manifest.dependencies));
  const src = fileURLToPath(new URL('../', import.meta.url));
  for (const room of ROOMS)
    for (const name of readdirSync(join(src, room), { recursive: true, encoding: 'utf8' }).sort())
      if (/\.[jt]s$/.test(name)) hash.update(`${room}/${name}\n`).update(readFileSync(join(src, room, name)));
  return hash.digest('hex').slice(0, SHOWN);
}
