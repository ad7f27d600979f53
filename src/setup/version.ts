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

/** What decides on commands: the core, and what makes its settings of a configuration. */
const ROOMS = [
  ...['account', 'config', 'domain', 'engine', 'mirror', 'orders', 'risk', 'strategy', 'wire'],
  'setup',
] as const;
const SHOWN = 12;

/** What decides on what a point of a sweep comes to, beyond that: the venue, the tapes, the clock and the figures. */
const PLAYED = [
  ...ROOMS,
  ...['backtest', 'exchange', 'journal', 'paper', 'report', 'run', 'sweep', 'tape', 'traders', 'venue'],
] as const;

let build: string | undefined;
let played: string | undefined;

/** The version with its build, as journals name it: of one version, a checkout may have code that commands otherwise. */
export function buildVersion(): string {
  build ??= `${VERSION}+${codeHash(ROOMS)}`;
  return build;
}

/** The same of whoever plays points of a sweep: another one may come to other results. */
export function sweepVersion(): string {
  played ??= `${VERSION}+${codeHash(PLAYED)}`;
  return played;
}

/** Of sources and libraries. */
function codeHash(rooms: readonly string[]): string {
  const hash = createHash('sha256').update(JSON.stringify(MANIFEST.dependencies));
  const src = fileURLToPath(new URL('../', import.meta.url));
  const filesIn = (room: string): readonly string[] =>
    readdirSync(join(src, room), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.[jt]s$/.test(name))
      .sort()
      .map((name) => `${room}/${name}`);
  for (const file of rooms.flatMap(filesIn)) hash.update(`${file}\n`).update(readFileSync(join(src, file)));
  return hash.digest('hex').slice(0, SHOWN);
}
