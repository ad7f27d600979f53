import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const MANIFEST = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  readonly name: string;
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
};
export const VERSION = MANIFEST.version;

/** Folders whose code determines the commands: the core, and the code that makes its settings. */
const CORE_ROOMS = [
  ...['account', 'config', 'domain', 'engine', 'mirror', 'orders', 'risk', 'strategy', 'wire'],
  'setup',
] as const;
const HASH_LENGTH = 12;

/** Folders whose code determines the result of a sweep point: also the venue, tapes, clock and figures. */
const SWEEP_ROOMS = [
  ...CORE_ROOMS,
  ...['backtest', 'exchange', 'journal', 'paper', 'report', 'run', 'sweep', 'tape', 'traders', 'venue'],
] as const;

let build: string | undefined;
let sweepBuild: string | undefined;

/** The version with a hash of the code that determines commands: a checkout may differ from the release. */
export function buildVersion(): string {
  build ??= `${VERSION}+${codeHash(CORE_ROOMS)}`;
  return build;
}

/** The version with a hash of the code that determines the result of a sweep point. */
export function sweepVersion(): string {
  sweepBuild ??= `${VERSION}+${codeHash(SWEEP_ROOMS)}`;
  return sweepBuild;
}

/** Hash over the sources of these folders and the versions of libraries. */
function codeHash(rooms: readonly string[]): string {
  const hash = createHash('sha256').update(JSON.stringify(MANIFEST.dependencies));
  const src = fileURLToPath(new URL('../', import.meta.url));
  const filesIn = (room: string): readonly string[] =>
    readdirSync(join(src, room), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.[jt]s$/.test(name))
      .sort()
      .map((name) => `${room}/${name}`);
  for (const file of rooms.flatMap(filesIn)) hash.update(`${file}\n`).update(readFileSync(join(src, file)));
  return hash.digest('hex').slice(0, HASH_LENGTH);
}
