// Where the processes of one account find each other.
import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import type { LoadedConfig } from '../config/index.ts';
import { runFolderOf } from '../config/index.ts';
import type { RunFiles } from '../ops/index.ts';
import { runFiles, unwritable } from '../ops/index.ts';
import { makeFolder } from '../files/index.ts';
import { accountOf } from './account-of.ts';

/** Journals and leases of dry runs lie beside those with money, and never among them. */
export const DRY_FOLDER = 'dry';

/** @throws OddsmakerError RUN_FOLDER_UNWRITABLE, RUN_FOLDER_FULL */
export function makeRunFolder(folder: string): void {
  try {
    makeFolder(folder);
  } catch (error) {
    throw unwritable(folder, error);
  }
}

/** Lease, heartbeat, fence and control socket lie beside the journal. */
export function runFilesOf({ config, file }: LoadedConfig): RunFiles {
  return runFiles(runFolderOf(file, config.journal.dir), accountOf(config.exchange).username, configPathOf(file));
}

/** One name for a file, whichever way it is reached. */
export function configPathOf(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return resolve(file);
  }
}
