import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isSource, MANIFEST, OWN_CODE, VERSION } from '../files/index.ts';

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

/** The file of a package with the hashes of its code, written when its bundle was made. */
const HASHES = 'code-hashes.json';

export type CodeHashes = { readonly core: string; readonly sweep: string };

let hashes: CodeHashes | undefined;
const hashesOnce = (): CodeHashes =>
  (hashes ??= isSource ? codeHashes() : (JSON.parse(readFileSync(new URL(HASHES, OWN_CODE), 'utf8')) as CodeHashes));

/** The version with a hash of the code that determines commands: a checkout may differ from the release. */
export const buildVersion = (): string => `${VERSION}+${hashesOnce().core}`;

/** The version with a hash of the code that determines the result of a sweep point. */
export const sweepVersion = (): string => `${VERSION}+${hashesOnce().sweep}`;

/** Hashes of the sources of a checkout and the versions of its libraries. */
export const codeHashes = (): CodeHashes => ({ core: codeHash(CORE_ROOMS), sweep: codeHash(SWEEP_ROOMS) });

/** Hash over the sources of these folders and the versions of libraries. */
function codeHash(rooms: readonly string[]): string {
  const hash = createHash('sha256').update(JSON.stringify(MANIFEST.dependencies));
  const src = fileURLToPath(OWN_CODE);
  const filesIn = (room: string): readonly string[] =>
    readdirSync(join(src, room), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .sort()
      .map((name) => `${room}/${name}`);
  for (const file of rooms.flatMap(filesIn)) hash.update(`${file}\n`).update(readFileSync(join(src, file)));
  return hash.digest('hex').slice(0, HASH_LENGTH);
}
