// The story of an order for a page, told by a process of its own: a journal may take seconds to read, and nobody must wait.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { messageOf, withoutTaken } from '../domain/index.ts';
import { ApiError } from '../page/server/index.ts';
import { ROOT } from '../setup/index.ts';

const WHY_MS = 60_000;
const MOST_OF_A_STORY = 1 << 20;
const BIN = join(ROOT, 'bin', 'oddsmaker.js');
const execute = promisify(execFile);
let isTelling = false;

/** @throws ApiError 404, 409, 429 */
export async function explainOrder(journal: string | undefined, order: string): Promise<string> {
  if (journal === undefined) throw new ApiError(409, 'NO_JOURNAL', 'no journal is written: journal.dir');
  if (isTelling) throw new ApiError(429, 'TOO_MANY', 'another order is looked up: one at a time');
  isTelling = true;
  try {
    const { stdout } = await execute(process.execPath, [BIN, 'why', journal, order], {
      timeout: WHY_MS,
      maxBuffer: MOST_OF_A_STORY,
    });
    // the words of strategies are in it
    return withoutTaken(stdout);
  } catch (error) {
    const { stdout, stderr } = error as { readonly stdout?: string; readonly stderr?: string };
    // of a journal that goes on it says that it is torn, and tells all the same
    if (stdout !== undefined && stdout !== '') return withoutTaken(stdout);
    throw new ApiError(404, 'NOT_FOUND', stderr?.trim() || messageOf(error));
  } finally {
    isTelling = false;
  }
}
