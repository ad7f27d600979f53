// The package is built in the checkout itself, so one test at a time packs it: a second build would delete the files of
// the first before they are packed.
import { mkdirSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'node:path';
import { systemCodeOf } from '../../src/domain/index.ts';

const LOOK_EVERY_MS = 100;

/** Calls what builds the package while no other test of the run does. */
export async function building<T>(pack: () => T): Promise<T> {
  // the cache belongs to this run (own-cache.ts), so no former run has left it
  const lock = join(process.env['XDG_CACHE_HOME'] ?? '', 'building');
  while (!isTaken(lock)) await sleep(LOOK_EVERY_MS);
  try {
    return pack();
  } finally {
    rmSync(lock, { recursive: true });
  }
}

function isTaken(lock: string): boolean {
  try {
    mkdirSync(lock);
    return true;
  } catch (error) {
    if (systemCodeOf(error) === 'EEXIST') return false;
    throw error;
  }
}
