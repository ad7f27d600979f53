// Where the processes of one account find each other.
import { unwritable } from '../ops/index.ts';
import { makeFolder } from '../record/folder.ts';

/** @throws OddsmakerError RUN_FOLDER_UNWRITABLE, RUN_FOLDER_FULL */
export function makeRunFolder(folder: string): void {
  try {
    makeFolder(folder);
  } catch (error) {
    throw unwritable(folder, error);
  }
}
