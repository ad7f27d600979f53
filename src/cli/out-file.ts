// The one file that a command is asked to write.
import { writeFileSync } from 'node:fs';
import { messageOf, OddsmakerError } from '../domain/index.ts';

/** @throws OddsmakerError OUT_UNWRITABLE */
export function writeOutFile(out: string, text: string): void {
  try {
    writeFileSync(out, text);
  } catch (error) {
    throw new OddsmakerError('OUT_UNWRITABLE', `--out ${out}: ${messageOf(error)}`, { cause: error });
  }
}
