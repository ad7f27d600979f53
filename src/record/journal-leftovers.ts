// What runs that ended, or were killed, left unpacked of their journals: the next run packs it.
import { readdir } from 'node:fs/promises';
import { partsIn } from './journal-parts.ts';
import { usernameIn } from './last-requests.ts';

/** Parts that former runs of this account left as they were: of journals with several, since one alone stays as it is. */
export async function leftUnpacked(folder: string, username: string): Promise<readonly string[]> {
  const left: string[] = [];
  for (const parts of partsIn(await readdir(folder), folder).values()) {
    if (parts.size < 2) continue;
    for (const { file } of parts.values())
      if (file.endsWith('.ndjson') && (await ownerOf(file)) === username) left.push(file);
  }
  return left;
}

/** Undefined: it does not tell, or cannot be read, or another bot has packed it just now. */
const ownerOf = (file: string): Promise<unknown> => usernameIn(file).catch(() => undefined);
