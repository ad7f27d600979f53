// The folder and files by which the processes of one account find each other.
import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import type { LoadedConfig } from '../config/index.ts';
import { runFolderOf } from '../config/index.ts';
import type { RunFiles } from '../ops/index.ts';
import { runFiles, unwritable } from '../ops/index.ts';
import { makeFolder } from '../files/index.ts';
import { accountOf } from './account-of.ts';

/** Subfolder for journals and leases of dry runs, which keeps them apart from runs with money. */
export const DRY_FOLDER = 'dry';

/** Creates the run folder. @throws OddsmakerError RUN_FOLDER_UNWRITABLE, RUN_FOLDER_FULL */
export function makeRunFolder(folder: string): void {
  try {
    makeFolder(folder);
  } catch (error) {
    throw unwritable(folder, error);
  }
}

/** Paths of lease, heartbeat, fence and control socket, in the folder of the journal. */
export function runFilesOf({ config, file }: LoadedConfig): RunFiles {
  return runFiles(runFolderOf(file, config.journal.dir), accountOf(config.exchange).username, configPathOf(file));
}

/** The path of a configuration file with links resolved, so that each file has one name. */
export function configPathOf(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return resolve(file);
  }
}
